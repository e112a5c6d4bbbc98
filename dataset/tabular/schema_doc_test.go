package tabular

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestSchemaReference: the reference has every key, and its example is a schema.
func TestSchemaReference(t *testing.T) {
	content, err := os.ReadFile("../../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for section, of := range map[string]reflect.Type{
		"## The file":     reflect.TypeFor[Schema](),
		"## `[label]`":    reflect.TypeFor[LabelSpec](),
		"## `[[group]]`":  reflect.TypeFor[GroupSpec](),
		"## `[[column]]`": reflect.TypeFor[ColumnSpec](),
	} {
		_, rest, found := strings.Cut(text, section+"\n")
		if !found {
			t.Errorf("there is no section %q", section)
		}
		part, _, _ := strings.Cut(rest, "\n## ")
		for _, key := range tomlKeys(of, nil) {
			isTable := key == "label" || key == "group" || key == "column" && of == reflect.TypeFor[Schema]()
			if !isTable && !regexp.MustCompile("(?m)^\\|.*`"+key+"`.*\\|").MatchString(part) {
				t.Errorf("%s does not have the key %s", section, key)
			}
		}
	}
	example := regexp.MustCompile("(?s)```toml\n(.*?)```").FindStringSubmatch(text)
	if example == nil {
		t.Fatal("there is no example")
	}
	if _, err := readSchema(strings.NewReader(example[1]), "docs/schema.md"); err != nil {
		t.Error(err)
	}
}

// tomlKeys returns the keys that the table at a path below t may have.
func tomlKeys(t reflect.Type, path []string) []string {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case len(path) > 0 && key == path[0]:
			return tomlKeys(f.Type, path[1:])
		case len(path) > 0:
		case f.Anonymous:
			keys = append(keys, tomlKeys(f.Type, nil)...)
		default:
			keys = append(keys, key)
		}
	}
	return keys
}

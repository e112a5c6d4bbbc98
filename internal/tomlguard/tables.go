package tomlguard

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// CheckTables returns an error that names the line if a text, which was decoded into dst, has something else
// where dst has a map: the parser leaves such a map empty without a word.
func CheckTables(text string, dst any) error {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return err
	}
	key, found := notTable(values, reflect.TypeOf(dst))
	if key == "" {
		return nil
	}
	line, _ := Place(text, key)
	return fmt.Errorf("line %d: %s: found %s, expected %s", line, key, word(fmt.Sprintf("%T", found)), word("table"))
}

// notTable returns the first key whose value is no table where a type has a map, "" if there is none.
func notTable(value any, t reflect.Type) (key string, found any) {
	switch t.Kind() {
	case reflect.Pointer:
		return notTable(value, t.Elem())
	case reflect.Slice:
		list := reflect.ValueOf(value)
		for k := 0; list.Kind() == reflect.Slice && k < list.Len(); k++ {
			if key, found := notTable(list.Index(k).Interface(), t.Elem()); key != "" {
				return key, found
			}
		}
	case reflect.Struct:
		values, _ := value.(map[string]any)
		for k := range t.NumField() {
			field := t.Field(k)
			name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
			inside, ok := values[name]
			if !ok {
				continue
			}
			if _, isTable := inside.(map[string]any); field.Type.Kind() == reflect.Map && !isTable {
				return name, inside
			}
			if key, found := notTable(inside, field.Type); key != "" {
				return key, found
			}
		}
	}
	return "", nil
}

package tomlguard

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// checkTables returns an error that names the line if a text, which was decoded into dst, has something else
// where dst has a map: the parser leaves such a map empty without a word.
func checkTables(text string, dst any) error {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return err
	}
	key, found := notTable("", values, reflect.TypeOf(dst))
	if key == "" {
		return nil
	}
	line, _ := place(text, toml.Key{key}, key)
	return fmt.Errorf("line %d: %s: found %s, expected %s", line, key, word(fmt.Sprintf("%T", found)), word("table"))
}

// notTable returns the first key whose value is no table where a type has a map, "" if there is none. The value given
// is that of key.
func notTable(key string, value any, t reflect.Type) (where string, found any) {
	switch t.Kind() {
	case reflect.Pointer:
		return notTable(key, value, t.Elem())
	case reflect.Map:
		if _, isTable := value.(map[string]any); !isTable {
			return key, value
		}
	case reflect.Slice:
		list := reflect.ValueOf(value)
		for k := 0; list.Kind() == reflect.Slice && k < list.Len(); k++ {
			if where, found := notTable(key, list.Index(k).Interface(), t.Elem()); where != "" {
				return where, found
			}
		}
	case reflect.Struct:
		values, _ := value.(map[string]any)
		for k := range t.NumField() {
			field := t.Field(k)
			name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
			for given, inside := range values {
				if !strings.EqualFold(given, name) { // as the parser compares them
					continue
				}
				if where, found := notTable(given, inside, field.Type); where != "" {
					return where, found
				}
			}
		}
	}
	return "", nil
}

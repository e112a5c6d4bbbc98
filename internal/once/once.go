// Package once makes values that many ask for.
package once

import "sync"

// Values are values by key, each of which is made when it is asked for first. One whose making failed is made again when it
// is asked for again: what was missing may be there then. The zero value is ready for use.
type Values[K comparable, V any] struct{ made sync.Map } // from K to func() (V, error)

// Get returns the value of a key, which make makes. Of calls at the same time, one makes it.
func (v *Values[K, V]) Get(key K, make func() (V, error)) (V, error) {
	f, _ := v.made.LoadOrStore(key, sync.OnceValues(make))
	value, err := f.(func() (V, error))()
	if err != nil {
		v.made.Delete(key)
	}
	return value, err
}

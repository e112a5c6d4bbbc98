// Package leftovers has what a program must remove before it ends, such as locks and temporary
// files, also if a signal ends it while it is at work.
package leftovers

import "sync"

var (
	mu   sync.Mutex
	list = map[*int]func(){}
)

// Make calls create, unless the program ends, for something that remove removes. It is called once:
// by the function that Make returns, or by Remove.
func Make(create func() error, remove func()) (done func(), err error) {
	mu.Lock()
	defer mu.Unlock()
	if err := create(); err != nil {
		return nil, err
	}
	key := new(int)
	list[key] = remove
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if _, is := list[key]; is {
			delete(list, key)
			remove()
		}
	}, nil
}

// Remove removes everything. The program must end then: who makes something afterwards waits for
// ever.
func Remove() {
	mu.Lock()
	for _, remove := range list {
		remove()
	}
}

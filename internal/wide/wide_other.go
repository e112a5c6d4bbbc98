//go:build !amd64 || noasm

package wide

import "github.com/fairtrain/fairtrain/internal/swar"

// Available reports whether the processor has the instructions.
const Available = false

func decimals(*uint64, *swar.Short, int) (read, points uint64) {
	panic("wide: no such instructions")
}

func cut(*[Texts]swar.Short, []byte, uint32, byte, *[Texts]uint32, uint32) {
	panic("wide: no such instructions")
}

func pairs(*swar.Short, *uint32, int, *byte, int, uint32) (n, length int) {
	panic("wide: no such instructions")
}

func plain(*byte, int) int { panic("wide: no such instructions") }

func standardize(*float64, int, float64, float64) bool { panic("wide: no such instructions") }

//go:build !noasm

package wide

import (
	"golang.org/x/sys/cpu"

	"github.com/fairtrain/fairtrain/internal/swar"
)

// Available reports whether the processor has the instructions.
var Available = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512VPOPCNTDQ

//go:noescape
func decimals(to *[Texts]uint64, texts *[Texts]swar.Short) (read, points uint64)

//go:noescape
func cut(texts *[Texts]swar.Short, mark byte, places *[Texts]uint32, around uint32)

//go:noescape
func plain(text *byte, n int) int

//go:build !noasm

package wide

import (
	"math"

	"golang.org/x/sys/cpu"

	"github.com/fairtrain/fairtrain/internal/swar"
)

var (
	has512 = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512VPOPCNTDQ
	has256 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1
)

// Available reports whether the processor has the instructions.
var Available = has512 || has256

func decimals(to *uint64, texts *swar.Short, n int) (read, points uint64) {
	if has512 {
		return decimals512(to, texts, n)
	}
	return decimals256(to, texts, n)
}

func cut(to *[Texts]swar.Short, text []byte, behind uint32, mark byte, places *[Texts]uint32, around uint32) {
	text = text[behind:]
	if has512 {
		for k, at := range places {
			to[k] = swar.ShortAt((*[16]byte)(text[at:]))
		}
		cut512(to, mark, places, around)
		return
	}
	if last := min(len(text)-16, math.MaxUint32); last < 0 || !cut256(to, &text[0], uint32(last), mark, places, around, &firsts) {
		panic("wide: no 16 bytes at a place")
	}
}

func pairs(texts *swar.Short, columns *uint32, room int, text *byte, size int, last uint32) (n, length int) {
	return pairs256(texts, columns, room, text, size, last, &firsts)
}

func plain(text *byte, n int) int {
	if has512 {
		return plain512(text, n)
	}
	return plain256(text, n)
}

//go:noescape
func decimals512(to *uint64, texts *swar.Short, n int) (read, points uint64)

//go:noescape
func cut512(texts *[Texts]swar.Short, mark byte, places *[Texts]uint32, around uint32)

//go:noescape
func plain512(text *byte, n int) int

//go:noescape
func decimals256(to *uint64, texts *swar.Short, n int) (read, points uint64)

// cut256 stops at a place behind the last one that a part may begin at, and is not ok then.
//
//go:noescape
func cut256(to *[Texts]swar.Short, text *byte, last uint32, mark byte, places *[Texts]uint32, around uint32, firsts *[17][2]swar.Short) (ok bool)

// pairs256 takes the length of a pair from 32 bytes, which are enough.
//
//go:noescape
func pairs256(texts *swar.Short, columns *uint32, room int, text *byte, size int, last uint32, firsts *[17][2]swar.Short) (n, length int)

//go:noescape
func plain256(text *byte, n int) int

// standardize takes AVX2 only: eight numbers at a time would not be divided faster.
//
//go:noescape
func standardize(numbers *float64, fours int, mean, sd float64) (isSpecial bool)

// firsts are, by the length of a text, the bytes of it and the byte that has the length: what First does with 16 bytes.
var firsts = func() (firsts [17][2]swar.Short) {
	all := swar.Short{Low: ^uint64(0), High: ^uint64(0)}
	for n := range firsts {
		length := swar.Short{}.First(n)
		bytes := all.First(n)
		bytes.High &= 1<<56 - 1
		firsts[n] = [2]swar.Short{bytes, length}
	}
	return firsts
}()

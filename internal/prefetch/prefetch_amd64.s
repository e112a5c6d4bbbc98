//go:build !noasm

#include "textflag.h"

// func read(from *float64, lines int)
TEXT ·read(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), AX
	MOVQ lines+8(FP), CX

next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JNZ next
	RET

// func readPlaces(from unsafe.Pointer, places *int, n, stride, bytes int)
TEXT ·readPlaces(SB), NOSPLIT, $0-40
	MOVQ from+0(FP), DI
	MOVQ places+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	MOVQ bytes+32(FP), R9

	LEAQ 63(R9), R10
	SHRQ $6, R10 // lines, but for the last byte

place:
	MOVQ (SI), AX
	IMULQ R8, AX
	ADDQ DI, AX
	LEAQ -1(AX)(R9*1), BX // the last byte
	MOVQ R10, DX

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ DX
	JNZ line
	PREFETCHT0 (BX)
	ADDQ $8, SI
	DECQ CX
	JNZ place
	RET

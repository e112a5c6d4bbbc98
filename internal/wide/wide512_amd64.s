//go:build !noasm

#include "textflag.h"

// The low words of eight texts, whose words alternate, and their high words.
DATA lows<>+0(SB)/8, $0
DATA lows<>+8(SB)/8, $2
DATA lows<>+16(SB)/8, $4
DATA lows<>+24(SB)/8, $6
DATA lows<>+32(SB)/8, $8
DATA lows<>+40(SB)/8, $10
DATA lows<>+48(SB)/8, $12
DATA lows<>+56(SB)/8, $14
GLOBL lows<>(SB), RODATA|NOPTR, $64
DATA highs<>+0(SB)/8, $1
DATA highs<>+8(SB)/8, $3
DATA highs<>+16(SB)/8, $5
DATA highs<>+24(SB)/8, $7
DATA highs<>+32(SB)/8, $9
DATA highs<>+40(SB)/8, $11
DATA highs<>+48(SB)/8, $13
DATA highs<>+56(SB)/8, $15
GLOBL highs<>(SB), RODATA|NOPTR, $64

// The words of the first four texts, and of the other four, from those of lows and highs.
DATA first<>+0(SB)/8, $0
DATA first<>+8(SB)/8, $8
DATA first<>+16(SB)/8, $1
DATA first<>+24(SB)/8, $9
DATA first<>+32(SB)/8, $2
DATA first<>+40(SB)/8, $10
DATA first<>+48(SB)/8, $3
DATA first<>+56(SB)/8, $11
GLOBL first<>(SB), RODATA|NOPTR, $64
DATA second<>+0(SB)/8, $4
DATA second<>+8(SB)/8, $12
DATA second<>+16(SB)/8, $5
DATA second<>+24(SB)/8, $13
DATA second<>+32(SB)/8, $6
DATA second<>+40(SB)/8, $14
DATA second<>+48(SB)/8, $7
DATA second<>+56(SB)/8, $15
GLOBL second<>(SB), RODATA|NOPTR, $64

// 10 to the power of 7 − k, for a point in byte k of eight.
DATA powers<>+0(SB)/8, $1e7
DATA powers<>+8(SB)/8, $1e6
DATA powers<>+16(SB)/8, $1e5
DATA powers<>+24(SB)/8, $1e4
DATA powers<>+32(SB)/8, $1e3
DATA powers<>+40(SB)/8, $1e2
DATA powers<>+48(SB)/8, $1e1
DATA powers<>+56(SB)/8, $1e0
GLOBL powers<>(SB), RODATA|NOPTR, $64

#define ALL(value, to) MOVQ value, R10; VPBROADCASTQ R10, to

// func decimals512(to *uint64, texts *swar.Short, n int) (read, points uint64)
TEXT ·decimals512(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ texts+8(FP), BX
	MOVQ n+16(FP), SI
	ALL($1, Z17)
	ALL($0xff, Z18)
	ALL($'-', Z19)
	ALL($0x3030303030303030, Z20) // '0'
	ALL($0x1e1e1e1e1e1e1e1e, Z21) // '.' ^ '0'
	ALL($64, Z22)
	ALL($8, Z23)
	ALL($0x7676767676767676, Z24) // 0x7f − 9
	ALL($0x8080808080808080, Z25)
	ALL($0x010a010a010a010a, Z26)
	ALL($0x0001006400010064, Z27)
	ALL($10000, Z28)
	ALL($0x8000000000000000, Z29)
	VMOVDQU64 lows<>(SB), Z30
	VMOVDQU64 highs<>(SB), Z31
	VMOVDQU64 powers<>(SB), Z15
	XORQ R8, R8 // read
	XORQ R9, R9 // points
	XORQ CX, CX // number of texts so far

eight:
	VMOVDQU64 (BX), Z0
	VMOVDQU64 64(BX), Z1
	VMOVDQA64 Z0, Z2
	VPERMT2Q Z1, Z30, Z0 // the low words
	VPERMT2Q Z1, Z31, Z2 // the high words

	// Z4 has 8 times the length without a minus, which is left out of Z0.
	VPSRLQ $53, Z2, Z4
	VPXORQ Z19, Z0, Z3
	VPTESTNMQ Z18, Z3, K1
	VPSHRDQ $8, Z2, Z0, K1, Z0
	VPSUBQ Z23, Z4, K1, Z4
	VPCMPUQ $2, Z22, Z4, K3 // at most 64

	// Z0 has the digits as the last bytes.
	VPXORQ Z20, Z0, Z0
	VPSUBQ Z4, Z22, Z3
	VPSLLVQ Z3, Z0, Z0

	// The first point is left out. Z5 has 8 times the number of bytes before it.
	VPCMPEQB Z21, Z0, K2
	VPMOVM2B K2, Z3
	VPTESTMQ Z3, Z3, K2
	VPSUBQ Z17, Z3, Z5
	VPANDNQ Z5, Z3, Z6
	VPOPCNTQ Z6, Z5
	VPADDQ Z23, Z5, Z7
	VPSRLVQ Z7, Z0, Z8
	VPSLLVQ Z7, Z8, Z8
	VPANDQ Z6, Z0, Z9
	VPSLLQ $8, Z9, Z9
	VPORQ Z8, Z9, K2, Z0

	// The others must be digits, and one at least.
	VPADDUSB Z24, Z0, Z3
	VPTESTNMQ Z25, Z3, K3, K3
	VMOVDQA64 Z23, Z3
	VPADDQ Z23, Z3, K2, Z3
	VPCMPUQ $5, Z3, Z4, K3, K3

	// Two digits, then four, then eight become one number.
	VPMADDUBSW Z26, Z0, Z0
	VPMADDWD Z27, Z0, Z0
	VPMULUDQ Z28, Z0, Z3
	VPSRLQ $32, Z0, Z0
	VPADDQ Z3, Z0, Z0
	VCVTQQ2PD Z0, Z0
	VPSRLQ $3, Z5, Z5
	VPERMPD Z15, Z5, Z5
	VDIVPD Z5, Z0, K2, Z0
	VPXORQ Z29, Z0, K1, Z0
	VMOVDQU64 Z0, (DI)

	KMOVB K3, AX
	KMOVB K2, DX
	SHLQ CX, AX
	SHLQ CX, DX
	ORQ AX, R8
	ORQ DX, R9
	ADDQ $128, BX
	ADDQ $64, DI
	ADDQ $8, CX
	CMPQ CX, SI
	JLT eight

	VZEROUPPER
	MOVQ R8, read+24(FP)
	MOVQ R9, points+32(FP)
	RET

// func cut512(texts *[Texts]swar.Short, mark byte, places *[Texts]uint32, around uint32)
TEXT ·cut512(SB), NOSPLIT, $0-28
	MOVQ texts+0(FP), BX
	MOVBQZX mark+8(FP), AX
	VPBROADCASTB AX, Z16
	MOVQ places+16(FP), DI
	MOVL around+24(FP), AX
	VPBROADCASTD AX, Y19
	ALL($1, Z17)
	ALL($0x00ffffffffffffff, Z18)
	ALL($64, Z22)
	VMOVDQU64 lows<>(SB), Z30
	VMOVDQU64 highs<>(SB), Z31
	VMOVDQU64 first<>(SB), Z28
	VMOVDQU64 second<>(SB), Z29
	MOVQ $8, CX

next:
	VMOVDQU64 (BX), Z0
	VMOVDQU64 64(BX), Z1
	VMOVDQA64 Z0, Z2
	VPERMT2Q Z1, Z30, Z0
	VPERMT2Q Z1, Z31, Z2

	VPCMPEQB Z16, Z0, K2
	VPMOVM2B K2, Z3
	VPSUBQ Z17, Z3, Z4
	VPANDNQ Z4, Z3, Z4 // the bytes before the mark
	VPANDQ Z4, Z0, Z0
	VPOPCNTQ Z4, Z4
	VPCMPUQ $0, Z22, Z4, K1 // the mark is no low byte
	VPCMPEQB Z16, Z2, K2
	VPMOVM2B K2, Z3
	VPSUBQ Z17, Z3, Z5
	VPANDNQ Z5, Z3, Z5
	VPANDQ.Z Z5, Z2, K1, Z2
	VPANDQ Z18, Z2, Z2
	VPOPCNTQ Z5, Z5
	VPADDQ Z5, Z4, K1, Z4
	VPSRLQ $3, Z4, Z5 // the lengths
	VPSLLQ $53, Z4, Z4
	VPORQ Z4, Z2, Z2
	VPMOVQD Z5, Y5
	VPADDD (DI), Y5, Y5
	VPADDD Y19, Y5, Y5
	VMOVDQU32 Y5, (DI)

	VMOVDQA64 Z0, Z1
	VPERMT2Q Z2, Z28, Z0
	VPERMT2Q Z2, Z29, Z1
	VMOVDQU64 Z0, (BX)
	VMOVDQU64 Z1, 64(BX)
	ADDQ $128, BX
	ADDQ $32, DI
	DECQ CX
	JNE next
	VZEROUPPER
	RET

// func plain512(text *byte, n int) int
TEXT ·plain512(SB), NOSPLIT, $0-24
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	ALL($0x2020202020202020, Z16)
	ALL($0x0a0a0a0a0a0a0a0a, Z17)

more:
	LEAQ 64(AX), DX
	CMPQ DX, CX
	JGT done
	VMOVDQU64 (SI)(AX*1), Z0
	VPCMPUB $1, Z16, Z0, K1 // below a blank
	VPMOVB2M Z0, K2         // or not ASCII
	KORQ K1, K2, K1
	VPCMPEQB Z17, Z0, K2
	KANDNQ K1, K2, K1
	KORTESTQ K1, K1
	JNE done
	MOVQ DX, AX
	JMP more

done:
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

//go:build !noasm

#include "textflag.h"

// What decimals256 needs, four times each: words, or the same byte in all of them.
#define FOUR(name, value) \
	DATA name<>+0(SB)/8, value \
	DATA name<>+8(SB)/8, value \
	DATA name<>+16(SB)/8, value \
	DATA name<>+24(SB)/8, value \
	GLOBL name<>(SB), RODATA|NOPTR, $32

FOUR(minus, $'-')
FOUR(byte, $0xff)
FOUR(eight, $8)
FOUR(sixtyfour, $64)
FOUR(digit, $0x3030303030303030) // '0'
FOUR(point, $0x1e1e1e1e1e1e1e1e) // '.' ^ '0'
FOUR(nines, $0x0909090909090909)
FOUR(eights, $0x0808080808080808)
FOUR(tens, $0x010a010a010a010a)
FOUR(hundreds, $0x0001006400010064)
FOUR(tenthousand, $10000)
FOUR(big, $0x4330000000000000) // 2^52 as float64
FOUR(one, $0x3ff0000000000000)

// What pairs256 needs besides.
FOUR(colons, $0x3a3a3a3a3a3a3a3a)
FOUR(blanks, $0x2020202020202020)
FOUR(highest, $0x8080808080808080)
FOUR(twodigits, $0x00ff00ff00ff00ff)
FOUR(fourdigits, $0x0000ffff0000ffff)

// The upper halves of 10^7, 10^6 … 1 as float64: the lower ones are 0.
DATA powersof<>+0(SB)/8, $0x412e8480416312d0
DATA powersof<>+8(SB)/8, $0x40c3880040f86a00
DATA powersof<>+16(SB)/8, $0x40590000408f4000
DATA powersof<>+24(SB)/8, $0x3ff0000040240000
GLOBL powersof<>(SB), RODATA|NOPTR, $32

// func decimals256(to *uint64, texts *swar.Short, n int) (read, points uint64)
TEXT ·decimals256(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ texts+8(FP), BX
	MOVQ n+16(FP), SI
	VPXOR Y15, Y15, Y15
	VPCMPEQQ Y14, Y14, Y14 // all bits
	VMOVDQU eight<>(SB), Y13
	VMOVDQU sixtyfour<>(SB), Y12
	VMOVDQU digit<>(SB), Y11
	VMOVDQU nines<>(SB), Y10
	XORQ R8, R8 // read
	XORQ R9, R9 // points
	XORQ CX, CX // number of texts so far

four:
	VMOVDQU (BX), X0
	VMOVDQU 16(BX), X1
	VINSERTI128 $1, 32(BX), Y0, Y0
	VINSERTI128 $1, 48(BX), Y1, Y1
	VPUNPCKHQDQ Y1, Y0, Y2 // the high words
	VPUNPCKLQDQ Y1, Y0, Y0 // the low words

	// Y4 has 8 times the length without a minus, which is left out of Y0; Y1 says where there is one.
	VPSRLQ $53, Y2, Y4
	VPXOR minus<>(SB), Y0, Y1
	VPAND byte<>(SB), Y1, Y1
	VPCMPEQQ Y15, Y1, Y1
	VPSRLQ $8, Y0, Y3
	VPSLLQ $56, Y2, Y2
	VPOR Y2, Y3, Y3
	VPBLENDVB Y1, Y3, Y0, Y0
	VPAND Y13, Y1, Y3
	VPSUBQ Y3, Y4, Y4

	// Y0 has the digits as the last bytes.
	VPXOR Y11, Y0, Y0
	VPSUBQ Y4, Y12, Y3
	VPSLLVQ Y3, Y0, Y0

	// The first point is left out. Y6 has the bytes before it, Y5 8 times their number; Y2 says where there is none.
	VPCMPEQB point<>(SB), Y0, Y3
	VPCMPEQQ Y15, Y3, Y2
	VPADDQ Y14, Y3, Y6
	VPANDN Y6, Y3, Y6
	VPAND eights<>(SB), Y6, Y5
	VPSADBW Y15, Y5, Y5
	VPADDQ Y13, Y5, Y7
	VPSRLVQ Y7, Y0, Y8
	VPSLLVQ Y7, Y8, Y8
	VPAND Y6, Y0, Y9
	VPSLLQ $8, Y9, Y9
	VPOR Y8, Y9, Y8
	VPBLENDVB Y2, Y0, Y8, Y0

	// The others must be digits, at least one and at most 8 of them with the point.
	VPMINUB Y10, Y0, Y3
	VPCMPEQQ Y3, Y0, Y3
	VPANDN Y13, Y2, Y6
	VPCMPGTQ Y6, Y4, Y6
	VPAND Y6, Y3, Y3
	VPCMPGTQ Y12, Y4, Y6
	VPANDN Y3, Y6, Y3

	// Two digits, then four, then eight become one number, which is exact as the lower bits of a float64 of 2^52.
	VPMADDUBSW tens<>(SB), Y0, Y0
	VPMADDWD hundreds<>(SB), Y0, Y0
	VPMULUDQ tenthousand<>(SB), Y0, Y6
	VPSRLQ $32, Y0, Y0
	VPADDQ Y6, Y0, Y0
	VMOVDQU big<>(SB), Y6
	VPOR Y6, Y0, Y0
	VSUBPD Y6, Y0, Y0
	VPSRLQ $3, Y5, Y5
	VMOVDQU powersof<>(SB), Y6
	VPERMD Y6, Y5, Y5
	VPSLLQ $32, Y5, Y5
	VPBLENDVB Y2, one<>(SB), Y5, Y5
	VDIVPD Y5, Y0, Y0
	VPSLLQ $63, Y1, Y1
	VPXOR Y1, Y0, Y0
	VMOVDQU Y0, (DI)

	VMOVMSKPD Y3, AX
	VMOVMSKPD Y2, DX
	XORQ $15, DX
	SHLQ CX, AX
	SHLQ CX, DX
	ORQ AX, R8
	ORQ DX, R9
	ADDQ $64, BX
	ADDQ $32, DI
	ADDQ $4, CX
	CMPQ CX, SI
	JLT four

	VZEROUPPER
	MOVQ R8, read+24(FP)
	MOVQ R9, points+32(FP)
	RET

// func cut256(to *[Texts]swar.Short, text *byte, last uint32, mark byte, places *[Texts]uint32, around uint32, firsts *[17][2]swar.Short) (ok bool)
TEXT ·cut256(SB), NOSPLIT, $0-49
	MOVQ to+0(FP), BX
	MOVQ text+8(FP), R11
	MOVL last+16(FP), R12
	VPBROADCASTB mark+20(FP), X3
	MOVQ places+24(FP), DI
	MOVL around+32(FP), R10
	MOVQ firsts+40(FP), SI
	MOVQ $32, CX

two:
	MOVL (DI), R8
	MOVL 4(DI), R9
	CMPL R8, R12
	JHI beyond
	CMPL R9, R12
	JHI beyond
	VMOVDQU (R11)(R8*1), X0
	VMOVDQU (R11)(R9*1), X1
	VPCMPEQB X3, X0, X4
	VPCMPEQB X3, X1, X5
	VPMOVMSKB X4, AX
	VPMOVMSKB X5, DX
	ORL $0x10000, AX
	ORL $0x10000, DX
	TZCNTL AX, AX // the lengths
	TZCNTL DX, DX
	ADDL R10, R8
	ADDL R10, R9
	ADDL AX, R8
	ADDL DX, R9
	MOVL R8, (DI)
	MOVL R9, 4(DI)
	SHLQ $5, AX
	SHLQ $5, DX
	VPAND (SI)(AX*1), X0, X0
	VPAND (SI)(DX*1), X1, X1
	VPOR 16(SI)(AX*1), X0, X0
	VPOR 16(SI)(DX*1), X1, X1
	VMOVDQU X0, (BX)
	VMOVDQU X1, 16(BX)
	ADDQ $32, BX
	ADDQ $8, DI
	DECQ CX
	JNE two
	MOVB $1, ok+48(FP)
	RET

beyond:
	MOVB $0, ok+48(FP)
	RET

// func pairs256(texts *swar.Short, columns *uint32, room int, text *byte, size int, last uint32, firsts *[17][2]swar.Short) (n, length int)
TEXT ·pairs256(SB), NOSPLIT, $0-72
	MOVQ texts+0(FP), DI
	MOVQ columns+8(FP), BX
	MOVQ room+16(FP), R9
	MOVQ text+24(FP), SI
	MOVQ size+32(FP), DX
	MOVL last+40(FP), R8
	MOVQ firsts+48(FP), R10
	SUBQ $32, DX
	VMOVDQU colons<>(SB), Y4
	VMOVDQU blanks<>(SB), Y5
	XORQ AX, AX // the place of the pair

pair:
	VMOVDQU (SI)(AX*1), Y0
	VPMINUB Y5, Y0, Y1 // itself where it is not above a blank
	VPCMPEQB Y0, Y1, Y1
	VPCMPEQB Y4, Y0, Y2
	VPMOVMSKB Y1, R11
	VPMOVMSKB Y2, R12
	TZCNTL R11, R11 // the length of the pair, 32 if it is above
	TZCNTL R12, R12 // that of the index
	LEAQ (AX)(R11*1), R15
	SUBL R12, R11
	DECL R11 // that of the value
	LEAL -1(R12), R13
	CMPL R13, $6
	JHI done
	LEAL -1(R11), R13
	CMPL R13, $14
	JHI done

	// The digits of the index as the last bytes of R13, behind zeros.
	VMOVQ X0, R13
	XORQ digit<>(SB), R13
	MOVL R12, CX
	NEGL CX
	SHLL $3, CX
	SHLQ CX, R13
	MOVQ $0x7676767676767676, R14 // makes 10 and more larger than 0x7f
	ADDQ R13, R14
	ORQ R13, R14
	TESTQ R14, highest<>(SB)
	JNE done

	// Two digits, then four, then eight become one number.
	LEAQ (R13)(R13*4), R14
	SHRQ $8, R13
	LEAQ (R13)(R14*2), R13
	ANDQ twodigits<>(SB), R13
	IMUL3Q $100, R13, R14
	SHRQ $16, R13
	ADDQ R14, R13
	ANDQ fourdigits<>(SB), R13
	IMUL3Q $10000, R13, R14
	SHRQ $32, R13
	ADDL R14, R13
	CMPL R13, R8
	JLS done

	LEAQ 1(AX)(R12*1), R12 // the place of the value
	CMPL R11, $1
	JEQ single

store:
	MOVL R11, CX
	SHLL $5, CX
	VMOVDQU (SI)(R12*1), X1
	VPAND (R10)(CX*1), X1, X1
	VPOR 16(R10)(CX*1), X1, X1
	VMOVDQU X1, (DI)
	MOVL R13, R8
	DECL R13
	MOVL R13, (BX)
	ADDQ $16, DI
	ADDQ $4, BX
	MOVQ R15, AX
	CMPB (SI)(AX*1), $' '
	JNE done
	INCQ AX
	DECQ R9
	JEQ done
	CMPQ AX, DX
	JLE pair
	JMP done

single:
	CMPB (SI)(R12*1), $'1'
	JNE store

done:
	VZEROUPPER
	SUBQ columns+8(FP), BX
	SHRQ $2, BX
	MOVQ BX, n+56(FP)
	MOVQ AX, length+64(FP)
	RET

// func plain256(text *byte, n int) int
TEXT ·plain256(SB), NOSPLIT, $0-24
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	MOVQ $0x1f1f1f1f1f1f1f1f, R8
	MOVQ R8, X4
	VPBROADCASTQ X4, Y4
	MOVQ $0x0a0a0a0a0a0a0a0a, R8
	MOVQ R8, X5
	VPBROADCASTQ X5, Y5

more:
	LEAQ 64(AX), DX
	CMPQ DX, CX
	JGT done
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU 32(SI)(AX*1), Y1
	VPCMPGTB Y4, Y0, Y2 // a blank or above; what is not ASCII is below 0
	VPCMPGTB Y4, Y1, Y3
	VPCMPEQB Y5, Y0, Y0
	VPCMPEQB Y5, Y1, Y1
	VPOR Y0, Y2, Y2
	VPOR Y1, Y3, Y3
	VPAND Y2, Y3, Y2
	VPMOVMSKB Y2, R8
	CMPL R8, $-1
	JNE done
	MOVQ DX, AX
	JMP more

done:
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

// func standardize(numbers *float64, fours int, mean, sd float64) (isSpecial bool)
TEXT ·standardize(SB), NOSPLIT, $0-33
	MOVQ numbers+0(FP), DI
	MOVQ fours+8(FP), CX
	VBROADCASTSD mean+16(FP), Y1
	VBROADCASTSD sd+24(FP), Y2
	VXORPD Y3, Y3, Y3
	VMOVUPD one<>(SB), Y4
	VXORPD Y5, Y5, Y5 // bits of special numbers
	JMP check

fours:
	VMOVUPD (DI), Y0
	VSUBPD Y1, Y0, Y0
	VDIVPD Y2, Y0, Y0
	VMOVUPD Y0, (DI)
	VCMPPD $0, Y3, Y0, Y6
	VCMPPD $0, Y4, Y0, Y7
	VCMPPD $3, Y0, Y0, Y8 // NaN
	VORPD Y6, Y5, Y5
	VORPD Y7, Y8, Y7
	VORPD Y7, Y5, Y5
	ADDQ $32, DI
	DECQ CX

check:
	TESTQ CX, CX
	JNE fours
	VMOVMSKPD Y5, AX
	VZEROUPPER
	TESTL AX, AX
	SETNE isSpecial+32(FP)
	RET

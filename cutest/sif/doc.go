// Package sif decodes the Standard Input Format (SIF), in which the CUTEst collection is
// written, into a plain description of the problem, a Model.
//
// A SIF file describes a problem as a sum of groups,
//
//	minimise  Σ_{i∈O} g_i(t_i(x))/s_i   subject to  g_i(t_i(x))/s_i =, ≤ or ≥ 0,  i∈C,
//	t_i(x) = a_iᵀx + Σ_j w_ij F_j(U_j x_j) − b_i,
//
// with group functions g_i of one variable (most are trivial, g(t) = t), element
// functions F_j of a few variables x_j, and optionally fewer internal variables U_j x_j in
// which F_j is simpler. It has up to three parts:
//
//   - the data part, a little language of cards with six fields at fixed columns: integer
//     and real parameters, loops over at most three levels, names with indices, and
//     sections that declare groups, variables, constants, ranges, bounds, a starting
//     point, element and group types and their uses;
//   - the ELEMENTS and GROUPS parts, which give the functions F and g of each type and
//     their derivatives as Fortran expressions (second derivatives are read past).
//
// Fortran functions may follow these parts. They are not read.
//
// Sources: A. R. Conn, N. I. M. Gould and Ph. L. Toint, LANCELOT: a Fortran package for
// large-scale nonlinear optimization (Release A), Springer 1992, chapters 2, 7 and 8, the
// definition of the format.
//
// Faults of a file are reported as file:line[:column] with the construct; limits on its
// size are in model.go. Lagrange multipliers of the START POINT section are read past.
//
// Read next: model.go (what comes out), decode.go (the data part, top down), linear.go and
// nonlinear.go (its sections), code.go (the other parts), parse.go (their expressions).
package sif

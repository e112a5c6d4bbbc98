// Package fairtrain is the root of the module; the program is cmd/fairtrain.
//
// To use the parts from Go, read examples/ first, then package problem, the contract
// between problems and methods, and package solver. Package train puts everything
// together: data, constraints, method, certificate.
package fairtrain

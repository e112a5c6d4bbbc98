//go:build !amd64 || noasm

package prefetch

func read(*float64, int) {}

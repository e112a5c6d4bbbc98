//go:build !linux

package spool

import "os"

func unnamed(dir string) (*os.File, error) { return removed(dir) }

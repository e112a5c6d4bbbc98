//go:build !unix

package spool

import (
	"errors"
	"os"
)

const canMap = false

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) {}

func release([]byte) {}

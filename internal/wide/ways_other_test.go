//go:build !amd64 || noasm

package wide

import "testing"

func inEveryWay(t *testing.T, _ func(t *testing.T)) { t.Skip("built for no such instructions") }

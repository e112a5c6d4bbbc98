//go:build !unix || solaris || aix

package atomicfile

import (
	"os"
	"runtime"
)

func lock(*os.File) {}

// isAbandoned reports whether the file may be removed: Windows removes no open file, other
// systems do.
func isAbandoned(string) bool { return runtime.GOOS == "windows" }

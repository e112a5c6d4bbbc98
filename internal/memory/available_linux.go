package memory

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// available is the memory of the machine, or of the container or control group, or of the process
// (ulimit -d), if it is less.
func available() int64 {
	total := machine()
	const runtime = 128 << 20 // that Go takes beside the heap, stacks of threads included
	var data unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &data); err == nil && data.Cur < uint64(total) {
		total = max(int64(data.Cur)-runtime, least)
	}
	for _, file := range limits() {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil &&
			limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}

// least is what is left at least.
const least = 1 << 20

// limits are the files that may have a limit, of control groups of version 2 and of version 1: of
// the group of the process and of all that it is in. In a container the group at the top is that of
// the container.
func limits() []string {
	const v2, v1 = "/sys/fs/cgroup", "/sys/fs/cgroup/memory"
	files := []string{v2 + "/memory.max", v1 + "/memory.limit_in_bytes"}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return files
	}
	for line := range strings.Lines(string(own)) { // such as 5:cpu,memory:/few
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[1] == "":
			files = append(files, upwards(v2, fields[2], "memory.max")...)
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			files = append(files, upwards(v1, fields[2], "memory.limit_in_bytes")...)
		}
	}
	return files
}

// upwards returns the files of a name of a group and of those that it is in.
func upwards(root, group, name string) (files []string) {
	for ; group != "/" && group != "."; group = path.Dir(group) {
		files = append(files, path.Join(root, group, name))
	}
	return files
}

func machine() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}

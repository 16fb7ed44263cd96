// Package processes looks at the processes of the system, for tests that start some and wait for their end.
package processes

import (
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Each returns the processes, each with the content of one of its files: "environ" or "cmdline". A process that
// has ended in the meantime, or belongs to another user, is left out. It returns none if /proc does not list
// processes. A glob pattern would cost ten times as much, since it lists all files of each process.
func Each(file string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			text, err := os.ReadFile(filepath.Join("/proc", e.Name(), file))
			if err == nil && !yield(pid, text) {
				return
			}
		}
	}
}

// Hang does not return. In a program without cgo a select without cases would end it: the runtime sees that nothing can
// happen any more.
func Hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// Package processes looks at the processes of the system, for tests that start some and wait for their end.
package processes

import (
	"iter"
	"os"
	"path/filepath"
	"strconv"
)

// Each returns the processes, each with what a file of it has: "environ", "cmdline". One that has ended
// meanwhile, or belongs to another user, is left out; there are none if /proc does not list them. A pattern
// for the files costs ten times as much: it lists all files of each process.
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

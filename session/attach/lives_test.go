package attach

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Where a process that accepts nothing refuses like one that has ended, its socket stays.
func TestLives(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		strconv.Itoa(os.Getpid()) + socketSuffix:          true,
		strconv.Itoa(os.Getpid()) + "-2" + socketSuffix:   true,
		strconv.Itoa(ended.Process.Pid) + socketSuffix:    false,
		"demo" + socketSuffix:                             false,
		"0" + socketSuffix:                                false,
		"99999999999999999999999999999999" + socketSuffix: false,
	} {
		if got := lives(filepath.Join(t.TempDir(), name)); got != want {
			t.Errorf("lives(%q) is %v", name, got)
		}
	}
}

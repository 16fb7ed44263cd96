package tokens_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"mcptea/cli/tokens"
)

// Two stores in one folder stand for two processes.
func TestLock_SharedByFolder(t *testing.T) {
	dir := t.TempDir()
	one, two := tokens.With(dir, nil), tokens.With(dir, nil)
	release, err := one.Lock("refresh a")
	if err != nil || release == nil {
		t.Fatalf("locked %t, %v", release != nil, err)
	}
	if again, err := two.Lock("refresh a"); again != nil || err != nil {
		t.Errorf("a held lock: locked %t, %v", again != nil, err)
	}
	other, err := two.Lock("consent a")
	if err != nil || other == nil {
		t.Fatalf("another name: locked %t, %v", other != nil, err)
	}
	other()
	release()
	if again, err := two.Lock("refresh a"); again == nil || err != nil {
		t.Errorf("a released lock: locked %t, %v", again != nil, err)
	} else {
		again()
	}
}

// TestLock_HolderKilled takes a lock whose process was killed while it held it, as a process that refreshes a token may
// be.
func TestLock_HolderKilled(t *testing.T) {
	const variable = "MCPTEA_TEST_LOCK"
	if dir := os.Getenv(variable); dir != "" {
		release, err := tokens.With(dir, nil).Lock("refresh a")
		fmt.Println(release != nil, err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	dir := t.TempDir()
	holder := exec.Command(os.Args[0], "-test.run=^TestLock_HolderKilled$")
	holder.Env = append(os.Environ(), variable+"="+dir)
	stdin, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stdout, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != "true <nil>\n" {
		t.Errorf("the other process locked: %q, %v", line, err)
	}
	store := tokens.With(dir, nil)
	if again, err := store.Lock("refresh a"); again != nil || err != nil {
		t.Errorf("a lock of another process: locked %t, %v", again != nil, err)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	release, err := store.Lock("refresh a")
	if release == nil || err != nil {
		t.Fatalf("the lock of a killed process: locked %t, %v", release != nil, err)
	}
	release()
}

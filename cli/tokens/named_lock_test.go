package tokens_test

import (
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

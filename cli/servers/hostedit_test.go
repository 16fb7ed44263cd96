package servers

import "testing"

// go run removes its program: an entry with it would not start any more.
func TestIsTemporary(t *testing.T) {
	for path, want := range map[string]bool{
		"/tmp/go-build1234567/b001/exe/mcptea": true,
		"/home/a/.cache/go-build12/b001/exe/m": true,
		"/usr/local/bin/mcptea":                false,
		"/home/go-build/bin/mcptea":            false,
		"/opt/exe/mcptea":                      false,
	} {
		if got := isTemporary(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

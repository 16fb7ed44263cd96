package servers_test

import (
	"testing"

	"mcptea/cli/servers"
	"mcptea/client/hosts"
	"mcptea/internal/system"
	"mcptea/session/intercept"
	"mcptea/session/tap/control"
)

// go run removes its program: an entry with it would not start any more.
func TestIsTemporary(t *testing.T) {
	for path, want := range map[string]bool{
		"/tmp/go-build1234567/b001/exe/mcptea": true,
		"/home/a/.cache/go-build12/b001/exe/m": true,
		"/usr/local/bin/mcptea":                false,
		"/home/go-build/bin/mcptea":            false,
		"/opt/exe/mcptea":                      false,
	} {
		if got := servers.IsTemporary(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// Of the wrapped entries only those with the URL of a tap that does not run are stale.
func TestCheckTaps_Stale(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	wrapped := func() []hosts.Problem { return []hosts.Problem{{ID: "F070", Severity: hosts.Info}} }
	state, err := system.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	control, err := control.Serve(state, control.Info{Listen: "http://127.0.0.1:2/"}, intercept.New(intercept.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	const gone = "http://127.0.0.1:1/mcp"
	c := &hosts.Configuration{Servers: []*hosts.Server{
		{Name: "over HTTP", Tap: gone, Problems: wrapped()},
		{Name: "over stdio", Problems: wrapped()},
		{Name: "without a problem", Tap: gone},
		{Name: "of a tap that runs", Tap: "http://127.0.0.1:2/mcp", Problems: wrapped()},
	}}
	servers.CheckTaps(t.Context(), c)
	for i, want := range []string{"F071", "F070", "", "F070"} {
		s, got := c.Servers[i], ""
		if len(s.Problems) > 0 {
			got = s.Problems[0].ID
		}
		if got != want {
			t.Errorf("%s: %q, want %q", s.Name, got, want)
		}
	}
}

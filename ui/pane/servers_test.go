package pane_test

import (
	"errors"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/ui/pane/servers"
)

// serving is a server called by a name whose tools are given as JSON; a call of a tool
// returns the name.
func serving(name, tools string) sessiontest.Serve {
	return sessiontest.Scripted(func(method, id string) string {
		result := "{}"
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"` + name + `","version":"1"}}`
		case "tools/list":
			result = `{"tools":[` + tools + `]}`
		case "tools/call":
			result = `{"content":[{"type":"text","text":"from ` + name + `"}]}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
}

func toolOf(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }

// beside is a connected session of the server "first". Each later connection of the test is
// one to the server "second".
func beside(t *testing.T) (*panetest.Program, *servers.Second) {
	t.Helper()
	left := []sessiontest.Serve{serving("first", toolOf("a")), serving("second", toolOf("a")+","+toolOf("b"))}
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"first-server", "--port", "1 2"}}, Record: "off", Lists: client.ListKinds,
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			serve := left[0]
			left = left[min(1, len(left)-1):]
			return sessiontest.Dial(serve)(tap, cfg)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := panetest.New(t)
	x := servers.NewSecond(p, s, func(word string) (client.Target, bool, error) {
		switch word {
		case "staging":
			return client.Target{Argv: []string{"staging-server"}, Dir: "/srv"}, true, nil
		case "theirs":
			return client.Target{}, false, errors.New("you have not agreed to it yet")
		}
		return client.Target{}, false, nil
	})
	t.Cleanup(x.End)
	return p, x
}

// do runs a command of the second server, and returns why it is off.
func do(x *servers.Second, id string) (why string) {
	for i := range x.Own {
		if c := &x.Own[i]; c.ID == id {
			if why = c.Why(); why == "" {
				c.Run()
			}
		}
	}
	return why
}

// The second server is asked for once; then what both offer is compared, and later calls go
// to both at once.
func TestServers_Second_Compares(t *testing.T) {
	p, x := beside(t)
	if why := do(x, "compare.close"); !strings.HasPrefix(why, "There is no second server.") {
		t.Errorf("without a second server: %q", why)
	}
	do(x, "compare.servers")
	p.Sees("Compare with a second server", "first-server --port '1 2'", "It is connected beside this one")
	p.Press("enter")
	p.Sees("first", "second", "this server", "second server", "+ tools b", "1 compatible")
	if other := x.Session(); other == nil || other.State().Handshake.Server.Name != "second" {
		t.Fatalf("the second session is %v", other)
	}
	p.Press("esc")

	x.Compare("tools/call", []byte(`{"name":"a","arguments":{"n":1}}`))
	p.Sees("first", "second", `a {"n":1} · same call to both`, "1 changed")

	p.Pane = nil
	if why := do(x, "compare.close"); why != "" || x.Session() != nil {
		t.Errorf("closing: %q, open: %v", why, x.Session())
	}
	if said := p.Asked[len(p.Asked)-1]; said != "say: The second server is closed." {
		t.Errorf("said %q", said)
	}
}

// A word can be the name of a server, as on the command line. What the user has not agreed to is
// not connected.
func TestServers_Second_ByName(t *testing.T) {
	p, x := beside(t)
	for name, connected := range map[string]bool{"theirs": false, "staging": true} {
		do(x, "compare.servers")
		p.Paint(p.W, p.H, true)
		p.Press("ctrl+k", "ctrl+u")
		p.Screen.Field().Paste(name)
		p.Press("enter")
		other := x.Session()
		if (other != nil) != connected {
			t.Fatalf("%s: the second session is %v", name, other)
		}
		if !connected {
			p.Sees("you have not agreed to it yet")
			continue
		}
		if target := other.Target(); target.Argv[0] != "staging-server" || target.Dir != "/srv" {
			t.Errorf("%s is %+v", name, target)
		}
		do(x, "compare.close")
	}
}

// A line that names no server is refused in the window; nothing is connected.
func TestServers_Second_NothingTyped(t *testing.T) {
	p, x := beside(t)
	do(x, "compare.servers")
	p.Paint(p.W, p.H, true)
	p.Press("ctrl+k", "ctrl+u", "enter")
	p.Sees("Type a command line, a URL or a name.")
	if x.Session() != nil {
		t.Error("a second server is connected")
	}
}

// A recording has no server to compare with.
func TestServers_Second_InARecording(t *testing.T) {
	p, x := beside(t)
	p.Recorded = true
	do(x, "compare.servers")
	if p.Pane != nil || strings.Join(p.Asked, "; ") != "needs a server: Compare servers" {
		t.Errorf("asked %q, open: %v", p.Asked, p.Pane)
	}
}

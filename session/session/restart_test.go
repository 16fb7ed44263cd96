package session

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/offer/changes"
)

func TestRestart_Changes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var connection atomic.Int32
		serve := sessiontest.Scripted(func(method, id string) string {
			result := `{}`
			switch method {
			case "initialize":
				instructions := "one"
				if connection.Add(1) > 1 {
					instructions = "two"
				}
				result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"},"instructions":"` + instructions + `"}`
			case "tools/list":
				names := map[int32]string{1: "a b", 2: "b c"}[connection.Load()]
				if connection.Load() > 2 {
					names = "b"
				}
				var tools []string
				for name := range strings.FieldsSeq(names) {
					tools = append(tools, `{"name":"`+name+`","description":"`+name+`","inputSchema":{"type":"object"}}`)
				}
				result = `{"tools":[` + strings.Join(tools, ",") + `]}`
			}
			if strings.HasPrefix(method, "notifications/") {
				return ""
			}
			return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
		})
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"x"}}, Record: "off", Lists: client.ListKinds, Dial: sessiontest.Dial(serve),
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(t.Context()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if st := s.State(); len(st.Restarts) != 0 || st.Changes.Counts("tools").Any() || len(st.Changes.Server) != 0 {
			t.Errorf("after the first connection: %+v", st.Changes)
		}
		if err := s.RestartAfter(t.Context(), Cause{Text: "main.go saved", Built: time.Second}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		st := s.State()
		want := changes.Counts{Added: 1, Removed: 1}
		if c := st.Changes.Counts("tools"); c != want {
			t.Errorf("tools %+v", c)
		}
		if len(st.Changes.Server) != 1 || st.Changes.Server[0].Section != "instructions" || st.Changes.ServerRestart != 1 {
			t.Errorf("%+v", st.Changes.Server)
		}
		if r := st.Restarts; len(r) != 1 || r[0].Number != 1 || r[0].Conn != 2 || r[0].Cause.Text != "main.go saved" || r[0].Lists["tools"] != want {
			t.Errorf("%+v", r)
		}
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		st = s.State()
		if r := st.Restarts; len(r) != 2 || r[1].Lists["tools"] != (changes.Counts{Removed: 1}) {
			t.Errorf("%+v", r)
		}
		if c := st.Changes.Counts("tools"); c != (changes.Counts{Removed: 1}) { // a; c came and went
			t.Errorf("tools %+v", c)
		}
		s.Changes().SeeList("tools")
		if c := s.State().Changes.Counts("tools"); c.Any() {
			t.Errorf("tools %+v", c)
		}
	})
}

// What a connection has put off does not reach the next one: its lists are fetched once, and a change is
// followed as soon as at first. Nothing is left of the pauses of those before.
func TestRestart_ListsThatWereToBeFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists atomic.Int32
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"x"}}, Record: "off", Lists: []client.ListKind{client.Tools},
			Dial: sessiontest.Dial(sessiontest.Scripted(func(method, id string) string {
				switch method {
				case "initialize":
					return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`
				case "tools/list":
					lists.Add(1)
					return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[]}}`
				}
				return ""
			})),
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(t.Context()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 6000 { // a minute
			s.changed(client.Tools)
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		before := runtime.NumGoroutine()
		for range 10 {
			s.changed(client.Tools)
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if now := runtime.NumGoroutine(); now > before {
			t.Errorf("%d goroutines after restarts, %d before", now, before)
		}
		lists.Store(0)
		time.Sleep(2 * maxRefetchPause)
		if n := lists.Load(); n != 0 {
			t.Errorf("the list is fetched %d times without a change", n)
		}
		s.changed(client.Tools)
		time.Sleep(2 * minRefetchPause)
		if n := lists.Load(); n != 1 {
			t.Errorf("the list is fetched %d times soon after a change", n)
		}
	})
}

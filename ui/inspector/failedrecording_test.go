package inspector

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/session/session"
)

const crashed = `{"mcptea":2,"t":1795801922769000000,"tool":"mcptea test","transport":"stdio","target":"server"}
{"s":1,"t":1795801922769226811,"k":"connection","what":"opened","conn":1,"transport":"stdio","target":"server"}
{"s":2,"t":1795801922769426811,"k":"process","what":"started","pid":3307,"path":"/bin/server","argv":["server"],"dir":"/src"}
{"s":3,"t":1795801922770583714,"k":"out","id":1,"m":"initialize","n":46,"msg":{"jsonrpc":"2.0","id":1,"method":"initialize"}}
{"s":4,"t":1795801922878955618,"k":"process","what":"exited","pid":3307,"code":1}
{"s":5,"t":1795801922879410603,"k":"step","step":"response","state":"failed","took":108773009,"detail":"initialize got no response: the server process exited with code 1 after 109 ms"}
{"s":6,"t":1795801922880730649,"k":"connection","what":"closed","conn":1}
`

// A recording of a failure shows why, whether it is read before the size of the window is known or after.
func TestRecording_FailureIsShown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crashed.mcptea.jsonl")
	if err := os.WriteFile(path, []byte(crashed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, late := range []bool{false, true} {
		s, err := session.OpenRecording(path, session.Config{Lint: true, Lists: client.ListKinds})
		if err != nil {
			t.Fatal(err)
		}
		m, stop := newModel(t.Context(), s, Options{}, sections(Own{}))
		size := tea.WindowSizeMsg{Width: 120, Height: 36}
		if !late {
			m.Update(size)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err = s.Until(ctx, func() bool {
			m.Look(time.Now())
			return m.recordingRead
		})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if late {
			m.Update(size)
		}
		m.Look(time.Now())
		for _, want := range []string{"Connection failed", "exited with code 1 after 109 ms, before responding to initialize", "connect to a server"} {
			if screen := ansi.Strip(m.View().Content); !strings.Contains(screen, want) {
				t.Errorf("late %v, without %q:\n%s", late, want, screen)
			}
		}
		stop()
		_ = s.Close(context.Background())
	}
}

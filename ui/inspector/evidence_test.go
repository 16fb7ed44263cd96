package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/session"
)

// opened is the window over the frames of two probes, of which the second one, on a
// connection of its own, is shown.
func opened(t *testing.T) *panetest.Program {
	t.Helper()
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for i, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}`,
	} {
		if i%2 == 0 {
			st.Connection(record.Connection{What: record.ConnectionOpened, Number: uint16(1 + i/2), Transport: "stdio"})
		}
		st.Append(transport.Frame{
			Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: time.Unix(1780000000, 0), Ending: "\n", Dir: transport.Direction(i % 2),
		})
	}
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	p := panetest.New(t)
	openEvidence(p, st, s, "T020 the server lists no tools", []int32{2, 3}, filter.Names{})
	return p
}

// The window shows the frames of the probe, of which the first is selected and in full.
func TestEvidence_Open_FramesOfTheProbe(t *testing.T) {
	p := opened(t)
	p.Sees("Probes", "T020 the server lists no tools", "evidence", "4 frames of all probes", "tools/list", "conn:2")
	if screen := p.Paint(p.W, p.H, true); strings.Contains(screen, "→ ping") {
		t.Errorf("a frame of another probe is listed:\n%s", screen)
	}
	p.Press("down")
	p.Sees("no such method")
}

// In a narrow terminal enter leads to the frame, and esc back to the list.
func TestEvidence_Open_Narrow(t *testing.T) {
	p := opened(t)
	p.W, p.H = 70, 20
	p.Sees("T020", "conn:2")
	p.Press("enter")
	if screen := p.Paint(p.W, p.H, true); strings.Contains(screen, "conn:2") || !strings.Contains(screen, "tools/list") {
		t.Errorf("the frame is not shown alone:\n%s", screen)
	}
	p.Press("esc")
	p.Sees("conn:2")
}

// Frames of the probes are not frames of the session: they are not sent again, marked, pinned or compared.
func TestEvidence_Open_CommandsOfTheSessionAreMissing(t *testing.T) {
	p := opened(t)
	for _, step := range []string{"the list", "the frame"} {
		var ids []string
		for _, c := range p.Pane.Commands() {
			ids = append(ids, c.ID)
		}
		if len(ids) < 5 {
			t.Errorf("%s has the commands %q only", step, ids)
		}
		for _, id := range []string{"again", "cancel.request", "mark", "note", "diff", "pin"} {
			if slices.Contains(ids, id) {
				t.Errorf("%s has the command %s", step, id)
			}
		}
		p.Press("tab")
	}
}

// A frame that is put into the composer leaves the window, which would cover it.
func TestEvidence_Open_ComposeClosesTheWindow(t *testing.T) {
	p := opened(t)
	p.Pane.(interface{ ComposeFrame([]byte) }).ComposeFrame([]byte("{}"))
	if p.Pane != nil || !slices.Equal(p.Asked, []string{"compose frame {}"}) {
		t.Errorf("asked %q, open: %v", p.Asked, p.Pane)
	}
}

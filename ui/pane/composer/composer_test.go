package composer

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/press"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/session/state"
	"mcptea/ui/app"
)

// noSession keeps what is sent.
type noSession struct{ frames []string }

func (*noSession) Store() *store.Store         { return nil }
func (*noSession) NextID() (jsonrpc.ID, error) { return jsonrpc.IDOf("1"), nil }
func (*noSession) Transport() string           { return "stdio" }
func (*noSession) History() *state.History     { return nil }
func (*noSession) Cancel(jsonrpc.ID) error     { return nil }

func (*noSession) RequestParams(_ jsonrpc.ID, _ string, params []byte) ([]byte, error) {
	return params, nil
}

func (s *noSession) StartFrame(frame []byte) *session.Call {
	s.frames = append(s.frames, string(frame))
	return &session.Call{}
}

func (*noSession) Repeat(int, time.Duration, func(jsonrpc.ID) []byte) *session.Repetition {
	return nil
}

// bench is a composer in a program.
type bench struct {
	*Pane
	*panetest.Program
	s *noSession
}

func newBench(t *testing.T) *bench {
	s := &noSession{}
	return benchOf(t, s, s)
}

func benchOf(t *testing.T, in Session, s *noSession) *bench {
	b := &bench{Program: panetest.New(t), s: s}
	b.Pane = New(b.Program, in)
	b.Program.Pane = b.Pane
	b.Pane.Refresh(app.Tick{Now: time.Now()})
	return b
}

func (b *bench) Compose(method, params string) { b.Pane.Compose(method, params) }
func (b *bench) ComposeFrame(frame []byte)     { b.Pane.ComposeFrame(frame) }

// run runs a command of any part of the pane.
func (b *bench) run(id string) string {
	b.T.Helper()
	for _, section := range b.Sections() {
		for _, c := range section.Commands {
			if c.ID == id {
				before := len(b.Asked)
				c.Run()
				if len(b.Asked) > before {
					return b.Asked[len(b.Asked)-1]
				}
				return ""
			}
		}
	}
	b.T.Fatalf("no command %s", id)
	return ""
}

// sent sends the draft, the second time if there is a warning, and returns the frame.
func (b *bench) sent() string {
	b.T.Helper()
	before := len(b.s.frames)
	for range 2 {
		if b.run("send"); len(b.s.frames) > before {
			return b.s.frames[before]
		}
	}
	b.T.Fatal("the draft is not sent")
	return ""
}

// Painting a draft must not copy its text.
func TestPaint_AllocatesByTheWindow(t *testing.T) {
	allocated := func(members int) uint64 {
		var params bytes.Buffer
		params.WriteString("{\n")
		for i := range members {
			fmt.Fprintf(&params, "  \"member%d\": %d,\n", i, i)
		}
		params.WriteString("  \"name\": \"echo\"\n}")
		p := newBench(t)
		p.Compose("tools/call", params.String())
		paint := func() {
			text{p.Pane}.Key(press.Key("down"))
			p.Height()
			p.Screen.Paint(p.Pane, 120, 12, true)
		}
		paint()
		for p.params.Checking() {
			runtime.Gosched()
			p.params.Problem()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 10 {
			paint()
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if small, large := allocated(100), allocated(300000); large > 2*small+256<<10 {
		t.Errorf("%d bytes are allocated for a small draft, and %d for a large one", small, large)
	}
}

// The wheel scrolls what is under it: the text, and the lists beside it.
func TestScroll(t *testing.T) {
	b := newBench(t)
	b.W, b.H = 120, 24
	var params bytes.Buffer
	params.WriteString("{\n")
	for i := range 60 {
		fmt.Fprintf(&params, "  \"member%d\": %d,\n", i, i)
	}
	params.WriteString("  \"last\": 0\n}")
	for i := range 20 {
		b.history.list = append(b.history.list, &past{label: fmt.Sprintf("sent-%d", i), row: store.None})
	}
	b.history.Changed()
	b.Compose("tools/call", params.String())
	for _, tc := range []struct {
		name         string
		x, y, n      int
		gone, inside string
	}{
		{"the text", 20, 10, 30, `"member5":`, `"member35":`},
		{"the malformations", 100, 3, 25, "○ trailing comma", "empty batch"},
		{"the history", 100, 20, 19, "sent-19", "sent-1 "},
	} {
		before := b.Program.Paint(120, 24, true)
		b.Screen.Click(tc.x, tc.y)
		b.Program.Paint(120, 24, true)
		b.Screen.Wheel(tc.x, tc.y, tc.n)
		after := b.Program.Paint(120, 24, true)
		if !strings.Contains(before, tc.gone) || strings.Contains(before, tc.inside) {
			t.Fatalf("%s: the screen before is not as expected:\n%s", tc.name, before)
		}
		if strings.Contains(after, tc.gone) || !strings.Contains(after, tc.inside) {
			t.Errorf("%s is not scrolled:\n%s", tc.name, after)
		}
	}
}

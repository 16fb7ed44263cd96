package composer

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/press"
	"mcptea/session/state"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/paint"

	"github.com/charmbracelet/x/ansi"
)

type noSession struct{}

func (noSession) Store() *store.Store         { return nil }
func (noSession) NextID() (jsonrpc.ID, error) { return "1", nil }
func (noSession) Transport() string           { return "stdio" }
func (noSession) History() *state.History     { return nil }

func (noSession) RequestParams(_ jsonrpc.ID, _ string, params []byte) ([]byte, error) {
	return params, nil
}

// Painting a draft must not copy its text.
func TestPaint_AllocatesByTheWindow(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	allocated := func(members int) uint64 {
		var text bytes.Buffer
		text.WriteString("{\n")
		for i := range members {
			fmt.Fprintf(&text, "  \"member%d\": %d,\n", i, i)
		}
		text.WriteString("  \"name\": \"echo\"\n}")
		p := New(noSession{})
		p.Compose("tools/call", text.String())
		paint := func() {
			p.Type(press.Key("down"))
			p.Height()
			p.Paint(pal, paint.NewJSONStyles(pal.Theme), 120, 12, true)
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

// The wheel scrolls what is under it: the text, the lists beside it, and the response.
func TestScroll(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	p := New(noSession{})
	var text bytes.Buffer
	text.WriteString("{\n")
	for i := range 60 {
		fmt.Fprintf(&text, "  \"member%d\": %d,\n", i, i)
	}
	text.WriteString("  \"last\": 0\n}")
	for i := range 20 {
		p.history.list = append(p.history.list, past{label: fmt.Sprintf("sent-%d", i), row: store.None})
	}
	p.history.loaded = true
	p.Compose("tools/call", text.String())
	screen := func() string {
		rows := p.Paint(pal, paint.NewJSONStyles(pal.Theme), 120, 24, true)
		return ansi.Strip(strings.Join(rows, "\n"))
	}
	for _, tc := range []struct {
		name         string
		x, y, n      int
		gone, inside string
	}{
		{"the text", 20, 10, 30, `"member5":`, `"member35":`},
		{"the malformations", 100, 3, 15, "● none", "empty batch"},
		{"the history", 100, 20, 10, "sent-19", "sent-5"},
	} {
		before := screen()
		p.Scroll(tc.x, tc.y, tc.n)
		after := screen()
		if !strings.Contains(before, tc.gone) || strings.Contains(before, tc.inside) {
			t.Fatalf("%s: the screen before is not as expected:\n%s", tc.name, before)
		}
		if strings.Contains(after, tc.gone) || !strings.Contains(after, tc.inside) {
			t.Errorf("%s is not scrolled:\n%s", tc.name, after)
		}
	}
}

package composer

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"mcptea/client/jsonrpc"
	stored "mcptea/session/history"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/internal/press"
	"mcptea/ui/paint"
)

type noSession struct{}

func (noSession) Store() *store.Store         { return nil }
func (noSession) NextID() (jsonrpc.ID, error) { return "1", nil }
func (noSession) Transport() string           { return "stdio" }
func (noSession) History() *stored.File       { return nil }

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

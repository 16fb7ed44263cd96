package pane_test

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/pane/reduce"
)

// The window shows when the reduction ends at the latest. The first esc ends it, and the second one closes the window.
func TestReduce_EscEndsIt(t *testing.T) {
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":null}`)
	st.Append(transport.Frame{Dir: transport.In, Bytes: raw, Envelope: jsonrpc.Scan(raw), Ending: "\n"})
	a := &later{Program: panetest.New(t)}
	reduce.Open(a, reduce.Options{Store: st})
	d := a.Pane.(*reduce.Dialog)
	d.Refresh(app.Tick{Now: time.Now()})
	if screen := a.Paint(80, 24, true); !strings.Contains(screen, "It ends in 20 s at the latest.") || d.Closes() != "end now" {
		t.Errorf("%s:\n%s", d.Closes(), screen)
	}
	if !d.Motion(keys.Back) {
		t.Error("the first esc closes the window")
	}
	a.run(0)
	if screen := a.Paint(80, 24, true); !strings.Contains(screen, "Nothing was reduced: it ended before the finding was found.") || d.Closes() != "close" {
		t.Errorf("%s:\n%s", d.Closes(), screen)
	}
	if d.Motion(keys.Back) {
		t.Error("the second esc does not close the window")
	}
}

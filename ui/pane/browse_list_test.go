package pane_test

import (
	"strings"
	"testing"

	"mcptea/check/modelview"
	"mcptea/internal/test/panetest"
	"mcptea/ui/pane/browse"
)

// The title names the host of the visible tools, even while the tools for the next host are being
// rewritten.
func TestBrowseList_ModelView_Rewriting(t *testing.T) {
	a := panetest.New(t)
	v := browse.NewModelView(a, modelview.Server{Name: "s", Tools: [][]byte{[]byte(`{"name":"one","description":"The only one.","inputSchema":{"type":"object"}}`)}})
	a.Pane = v
	sees := func(host string) {
		t.Helper()
		if screen := a.Paint(100, 20, true); !strings.Contains(screen, "Tools as a model sees them: "+host+" ") {
			t.Errorf("no %q in\n%s", host, screen)
		}
	}
	a.Hold = true
	a.Press("left")
	a.Press("right")
	sees("claude")
	a.Finish()
	sees("claude")
	a.Press("right")
	sees("claude")
	a.Finish()
	sees("claude-code")
}

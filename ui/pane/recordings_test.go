package pane_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/record/recordings"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	recordingspane "mcptea/ui/pane/recordings"
)

// recordingsCatalog is a list of recordings.
type recordingsCatalog struct {
	list    []recordings.Recording
	hostDir string
}

func (c *recordingsCatalog) Recordings() ([]recordings.Recording, bool, error) {
	return slices.Clone(c.list), true, nil
}
func (*recordingsCatalog) ReadFirst(string)       {}
func (*recordingsCatalog) Delete(...string) error { return nil }
func (*recordingsCatalog) Dir() string            { return "" }
func (c *recordingsCatalog) HostDir() string      { return c.hostDir }

func recordingsOf(t *testing.T, list ...recordings.Recording) (*panetest.Program, *recordingspane.Pane, *recordingsCatalog) {
	t.Helper()
	program, catalog := panetest.New(t), &recordingsCatalog{list: list}
	p := recordingspane.New(program, recordingspane.Program{}, catalog, "")
	program.Pane = p
	p.Refresh(app.Tick{})
	return program, p, catalog
}

// Without a recording the list says where taps record that hosts start without the user's XDG_STATE_HOME.
func TestRecordings_OfHosts(t *testing.T) {
	for _, dir := range []string{"", "/home/me/.local/state/mcptea/recordings"} {
		program, _, catalog := recordingsOf(t)
		catalog.hostDir = dir
		for _, w := range []int{80, 120, 200} {
			screen := strings.Join(strings.Fields(program.Paint(w, 24, true)), " ")
			if !strings.Contains(screen, "No recordings yet.") || strings.Contains(screen, "mcptea open "+dir) != (dir != "") {
				t.Errorf("%q:\n%s", dir, program.Paint(w, 24, true))
			}
		}
	}
}

// A row names what the client called, the most frequent first, and not what the server asked for.
func TestRecordings_Calls_OfTheClientByName(t *testing.T) {
	s := &recordings.Summary{Requests: []recordings.Request{
		{Method: "tools/call", Name: "search", Count: 28},
		{Method: "tools/list", Count: 3},
		{Method: "sampling/createMessage", Name: "model", FromServer: true, Count: 2},
		{Method: "prompts/get", Name: "plan", Count: 1},
	}}
	sees := func(calls string) {
		t.Helper()
		program, _, _ := recordingsOf(t, recordings.Recording{Path: "a", Summary: s})
		if screen := program.Paint(240, 30, true); !strings.Contains(screen, "  "+calls+"  ") {
			t.Errorf("the calls are not %q:\n%s", calls, screen)
		}
	}
	sees("search ×28, plan")
	for i := range 10 {
		s.Requests = append(s.Requests, recordings.Request{Method: "tools/call", Name: fmt.Sprint("t", i), Count: 1})
	}
	sees("search ×28, plan, t0, t1, t2, t3, t4, t5, …")
}

// What is being written is first, whatever the order of the others.
func TestRecordings_Sort_LiveFirst(t *testing.T) {
	program, p, catalog := recordingsOf(t,
		recordings.Recording{Path: "small", Size: 1}, recordings.Recording{Path: "large", Size: 9}, recordings.Recording{Path: "live", Live: true, Size: 5})
	listed := func() (paths []string) {
		p.Refresh(app.Tick{})
		p.Motion(keys.Top)
		for range catalog.list {
			r, _ := p.Selected()
			paths = append(paths, r.Path)
			p.Motion(keys.Down)
		}
		return paths
	}
	orders := map[string]bool{}
	for range 4 {
		orders[p.SortedBy()] = true
		for range 2 {
			if got := listed(); got[0] != "live" || p.SortedBy() == "size" && got[1] != "large" {
				t.Errorf("by %s: %q", p.SortedBy(), got)
			}
			slices.Reverse(catalog.list)
		}
		program.Run("sort")
	}
	if len(orders) != 4 || p.SortedBy() != "time" {
		t.Errorf("four times sort leads through %v to %s", orders, p.SortedBy())
	}
}

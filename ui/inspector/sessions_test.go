package inspector

import (
	"context"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/session/session"
)

// opened shows another session beside those of the program.
func (d *driver) opened(name string, cfg session.Config) *model {
	d.t.Helper()
	s, err := session.Open(cfg)
	if err != nil {
		d.t.Fatal(err)
	}
	m, unsubscribe := newModel(d.t.Context(), s, Options{Name: name, Pins: "none.txtar"}, sections(d.model.options.Filters))
	fixCatalogues(m)
	d.host.Go(func() {
		_ = d.host.Show(m.Program)
		unsubscribe()
		m.checker.Close()
		m.pins.Wait()
		_ = s.Close(context.Background())
	})
	d.settle()
	return m
}

// tracking is a session with the tracker in a version.
func tracking(version string, more ...string) session.Config {
	s := newTracker()
	s.set("initialize", strings.Replace(s.results["initialize"], "0.9.2", version, 1))
	for i := 0; i < len(more); i += 2 {
		s.set(more[i], more[i+1])
	}
	return servedConfig(revision.R20251125, s.serve)
}

func TestSessions_ChipsAndKeys(t *testing.T) {
	driveSession(t, 100, 30, tracking("0.9.2"), func(d *driver) {
		d.lacks("tracker  ●")
		notes := d.opened("notes", tracking("0.9.3"))
		d.sees(" tracker ● ", " notes ● ")
		if notes.session.State().Phase != session.Ready {
			t.Fatal("the second session is not connected")
		}
		d.press("6") // its own tab
		d.sees("Logs")
		d.press("S")
		if d.host.View().WindowTitle == "" {
			t.Error("no title")
		}
		d.press("2")
		d.sees("labels")
		d.press("S")
		d.press("q")
		d.lacks(" notes ")
		if notes.session.State().Phase == session.Ready {
			t.Error("the session that was ended is connected")
		}
	})
}

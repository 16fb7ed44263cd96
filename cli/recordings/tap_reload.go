package recordings

import (
	"errors"
	"strconv"
	"strings"

	"mcptea/cli/app"
	"mcptea/internal/words/phrase"
	"mcptea/session/tap/control"
)

// activeTaps returns the taps of this user on this machine.
func (p *tapCommand) activeTaps() ([]control.Info, error) {
	taps, err := control.Active(p.Ctx)
	if err != nil {
		return nil, app.Failed("%v", err)
	}
	return taps, nil
}

// reloadTaps restarts the servers of the active taps with a name or process id. Their hosts stay connected.
func (p *tapCommand) reloadTaps(name string) error {
	taps, err := p.activeTaps()
	if err != nil {
		return err
	}
	var restarted []control.Info
	var names []string
	var failed error
	for _, t := range taps {
		names = append(names, t.Name, strconv.Itoa(t.PID))
		if name != t.Name && name != strconv.Itoa(t.PID) {
			continue
		}
		if err := p.reloadTap(t); err != nil {
			failed = app.Failed("cannot restart the server of tap %d: %v", t.PID, err)
			continue
		}
		restarted = append(restarted, t)
	}
	switch {
	case failed == nil && restarted == nil:
		return app.Usage(app.Suggest(name, names, "mcptea tap --list prints the active taps."), "no active tap has the name or process id %q", name)
	case failed != nil:
		return failed
	case p.JSON:
		return p.PrintDocument(Taps{restarted})
	}
	for _, t := range restarted {
		p.Out.Line("Restarting " + p.Out.Name(p.Out.Safe(t.Target)) + p.Out.Faint("  "+strings.TrimSpace(phrase.Count(len(t.Sessions), "session"))))
	}
	return nil
}

func (p *tapCommand) reloadTap(t control.Info) error {
	a, err := control.Attach(p.Ctx, t.Socket)
	if err != nil {
		return err
	}
	return errors.Join(a.Restart(), a.Close())
}

package recordings

import (
	"fmt"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/tap/control"
)

// Taps is the output of tap --list --json.
type Taps struct {
	Taps []control.Info `json:"taps"` // active taps
}

// listTaps prints the active taps.
func (p *tapCommand) listTaps() error {
	taps, err := p.activeTaps()
	if err != nil {
		return err
	}
	if p.JSON {
		if taps == nil {
			taps = []control.Info{}
		}
		return p.PrintDocument(Taps{taps})
	}
	if len(taps) == 0 {
		return p.Out.Line("No active taps.")
	}
	return p.printTaps(taps)
}

func (p *tapCommand) printTaps(taps []control.Info) error {
	recorded := ""
	for _, t := range taps {
		line := fmt.Sprintf("%-7d %s  %s", t.PID, t.Since.Local().Format(time.DateTime), p.Out.Name(p.Out.Safe(t.Target)))
		if t.Name != "" {
			line += p.Out.Faint("  as ") + p.Out.Safe(t.Name)
		}
		if t.Listen != "" {
			line += p.Out.Faint("  on ") + t.Listen
		}
		if t.Watching != "" {
			line += p.Out.Faint("  watches ") + p.Out.Safe(t.Watching)
		}
		if t.Restarts > 0 {
			line += p.Out.Faint("  ") + phrase.Count(t.Restarts, "restart")
		}
		p.Out.Line(line)
		if t.Status != "" {
			p.Out.Line("        " + p.Out.Bad(p.Out.Safe(t.Status)))
		}
		for _, s := range t.Sessions {
			if s.Recording != "" {
				p.Out.Line("        " + p.Out.Faint(p.Out.Safe(s.Recording)))
				recorded = s.Recording
			}
		}
	}
	if recorded != "" {
		p.sayKeepsClient(recorded)
	}
	return nil
}

package use

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/runs/compare"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/comparison"
	"mcptea/ui/paint"
)

// compare is mcptea info --protocol all: it connects once with each protocol version.
func (p *commands) compare(t client.Target) error {
	if p.Flags.Record != "" && p.Flags.Record != "off" {
		return app.Usage("Omit it; mcptea list --record … records one connection.", "--record does not apply to --protocol all, which makes several connections")
	}
	p.Flags.Protocol = "auto"
	cfg, err := p.Config(t, "off")
	if err != nil {
		return err
	}
	if cfg.Policies, err = p.Policies(false); err != nil {
		return err
	}
	if cfg.Authorization != nil && p.Err.Terminal {
		cfg.Authorization.OpenBrowser = p.Browse
	}
	defer p.PrintWarnings()
	report, err := p.runComparison(cfg)
	if err != nil {
		return err
	}
	if !p.JSON {
		p.printComparison(report)
	} else if err := p.printCompareJSON(report); err != nil {
		return err
	}
	return p.compared(report)
}

// runComparison connects with each protocol version. On a terminal it shows the
// progress on stderr.
func (p *commands) runComparison(cfg session.Config) (compare.Report, error) {
	changed := make(chan struct{}, 1)
	c := compare.New(cfg, func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	done := make(chan compare.Report, 1)
	go func() { done <- c.Run(p.Ctx) }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	if p.Err.Terminal {
		fmt.Fprintln(p.Err, p.Err.Faint(strings.Join(display.Wrap(compare.Warning(cfg.Target), p.Err.Width), "\n")))
	}
	for spin := 0; ; {
		select {
		case r := <-done:
			p.Err.Status("")
			return r, context.Cause(p.Ctx)
		case <-changed:
		case <-tick.C:
		}
		r := c.Report()
		if i := slices.IndexFunc(r.Runs, func(run compare.Run) bool { return run.Outcome == compare.Running }); i >= 0 && p.Err.Addressable {
			spin++
			p.Err.Status(strings.TrimRight(ansi.Strip(comparison.Run(p.palette(), r.Runs[i], p.Err.Width-1, time.Now(), spin)[0]), " "))
		}
	}
}

// palette is the palette for output streams: without colors, because the background
// of the terminal is not known.
func (p *commands) palette() *paint.Palette {
	phrase.UseASCII(p.ASCII)
	theme, err := target.ThemeCatalog().Load("monochrome", true)
	if err != nil {
		theme = themes.ForBackground(true)
	}
	return paint.NewPalette(theme, p.ASCII)
}

func (p *commands) printComparison(r compare.Report) {
	w := app.DefaultWidth
	if p.Out.Terminal {
		w = p.Out.Width
	}
	lines := append(display.Wrap(r.Sentence(), w), "")
	lines = append(lines, comparison.Runs(p.palette(), r, w, time.Now(), 0)...)
	if steps := comparison.Steps(p.palette(), r, w); len(steps) > 0 {
		lines = append(append(lines, ""), steps...)
	}
	for _, l := range lines {
		p.Out.Line(p.Out.Painted(l))
	}
}

// compared returns the error with the exit code for a comparison.
func (p *commands) compared(r compare.Report) error {
	switch len(r.Spoken()) {
	case 0:
		// The failure with the newest version is the most relevant.
		for _, run := range slices.Backward(r.Runs) {
			if run.Err != nil {
				return p.Explained(run.Err, run.Why, target.ConnectCode(run.Err))
			}
		}
		fmt.Fprintf(p.Err, "%s the server supports none of the protocol versions that mcptea requested\n", p.Err.Bad("mcptea:"))
		return app.Silent(app.ExitConnect)
	case 1:
		fmt.Fprintf(p.Err, "%s the server supports only one protocol version, so there is nothing to compare\n", p.Err.Bad("mcptea:"))
		return app.Silent(app.ExitError)
	}
	return nil
}

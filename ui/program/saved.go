package program

import (
	"context"
	"maps"
	"slices"

	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// followSettings applies settings that are saved while the program runs. Invalid ones are reported, and the old
// ones stay.
func (p *Program) followSettings() {
	if p.options.Saved == nil {
		return
	}
	p.Go(func(ctx context.Context) func() {
		next, err := p.options.Saved(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return func() {
			if err == nil {
				err = p.takeOver(next)
			}
			if err != nil {
				f := Flash{Text: dialog.Sentence(err) + " The previous settings stay.", Wrong: true}
				f.File, f.Line = paint.PlaceOf(err)
				p.Announce(f)
			}
			p.followSettings()
		}
	})
}

// takeOver applies all settings or, if one is invalid, none. A setting that was not changed in the file does
// not override the user's choice in the running program.
func (p *Program) takeOver(next Settings) error {
	o := p.options
	if _, err := o.Themes.Load(next.Theme, p.Dark); err != nil {
		return err
	}
	all, err := p.sections()
	if err != nil {
		return err
	}
	known, later := p.knownKeys(next, all)
	bound, err := keys.NewMap(known, all)
	if err != nil {
		return err
	}
	p.Keys = *bound
	o.Quiet, o.Keys = next.Quiet, next.Keys
	if next.NoMouse != o.NoMouse {
		o.NoMouse, p.noMouse = next.NoMouse, next.NoMouse
	}
	if next.Theme != o.Theme {
		o.Theme, p.chosenTheme = next.Theme, ""
	}
	p.Retheme()
	p.Say("The settings were read again." + paint.If(later, " New commands and filters, and their keys, apply from the next start.", ""))
	return nil
}

// knownKeys returns the keys, except those of commands and filters that the user has written since
// the program started. later reports whether there are such commands or filters.
func (p *Program) knownKeys(next Settings, all []keys.Section) (known map[string][]string, later bool) {
	known = maps.Clone(next.Keys)
	for _, id := range next.Own {
		if !slices.ContainsFunc(all, func(s keys.Section) bool {
			return slices.ContainsFunc(s.Commands, func(c keys.Command) bool { return c.ID == id })
		}) {
			delete(known, id)
			later = true
		}
	}
	return known, later
}

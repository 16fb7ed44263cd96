package settings

import (
	"context"
	"maps"

	"mcptea/record/filter"
)

// Again returns the settings with the current configuration file: flags and environment variables still take
// precedence. The error, with file and line, is about the file or a theme; the settings are not changed.
func (p *Settings) Again(ctx context.Context) (*Settings, error) {
	c, err := Read(ctx, p.ConfigPath)
	if err != nil {
		return nil, err
	}
	names, err := filter.NewNames(p.ConfigPath, c.Filters)
	if err != nil {
		return nil, err
	}
	next := *p
	next.Configured, next.NamedFilters, next.Origins = c, names, maps.Clone(p.Origins)
	fromConfig := func(flag, key string) (set, ours bool) {
		if kind := p.Origins[flag].Kind; kind == fromFlag || kind == fromEnvironment {
			return false, false
		}
		line, set := c.Line(key)
		next.Origins[flag] = Origin{FromDefault, ""}
		if set {
			next.Origins[flag] = p.InFile(line)
		}
		return set, true
	}
	if set, ours := fromConfig("theme", "theme"); ours {
		if next.Flags.Theme = ""; set {
			next.Flags.Theme = c.Theme
		}
	}
	if set, ours := fromConfig("mouse", "mouse"); ours {
		next.Flags.Mouse = !set || c.Mouse
	}
	return &next, next.checkTheme()
}

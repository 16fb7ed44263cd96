package settings

import (
	"mcptea/cli/app"
	"mcptea/record/filter"
)

// ParseFilter reads the filter of frames that a flag has, with the named filters of the
// configuration file.
func (p *Settings) ParseFilter(flag, text string) (filter.Filter, error) {
	f, err := filter.Frames.With(p.NamedFilters).Parse(text)
	if err != nil {
		err = app.Usage("mcptea help filter describes the language.", "%s: %v", flag, err)
	}
	return f, err
}

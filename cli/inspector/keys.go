package inspector

import (
	"errors"

	"mcptea/cli/settings"
	"mcptea/ui"
	"mcptea/ui/keys"
)

// CheckKeys reports the bindings of the configuration file that the inspector does not accept, with file and
// line. mcptea config rejects the same bindings.
func CheckKeys(p *settings.Settings) error {
	err := ui.CheckKeys(p.Configured.Keys, ui.Own{Filters: p.NamedFilters, Commands: p.Configured.Commands})
	if err == nil {
		return nil
	}
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // error of errors.Join itself
		errs = joined.Unwrap()
	}
	return p.KeysError(errs, func(err error) string {
		bound, _ := errors.AsType[*keys.UserError](err)
		if bound == nil {
			return ""
		}
		return bound.ID
	})
}

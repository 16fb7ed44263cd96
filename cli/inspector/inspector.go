// Package inspector opens the inspector, and serves agents beside it.
package inspector

import (
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
)

// Inspector opens the inspector.
type Inspector struct {
	*settings.Settings
	*target.Target
	*link.Link
	Execute func(args []string) error // runs the program once more
}

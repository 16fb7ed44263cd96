// Package inspector opens the inspector, and serves agents beside it.
package inspector

import (
	"mcptea/cli/target"
)

// Inspector opens the inspector.
type Inspector struct {
	*target.Connection
	Execute func(args []string) error // runs the program once more
}

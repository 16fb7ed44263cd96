//go:build unix

package tokens

import "io/fs"

// isLoose reports whether permissions let other users read or change a file.
func isLoose(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 }

//go:build windows

package tokens

import "io/fs"

// isLoose reports false: the access lists of the folder decide here.
func isLoose(fs.FileMode) bool { return false }

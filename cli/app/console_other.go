//go:build !windows

package app

import "os"

// enableEscapes does nothing: terminals interpret escape sequences.
func enableEscapes(*os.File) {}

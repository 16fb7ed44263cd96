//go:build !windows

package cli

import "os"

// enableEscapes does nothing: terminals interpret escape sequences.
func enableEscapes(*os.File) {}

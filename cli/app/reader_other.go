//go:build !unix

package app

import "os"

// awaitReaderExit reports nothing here: a reader that has exited is noticed at the next write.
func awaitReaderExit(*os.File, <-chan struct{}) bool { return false }

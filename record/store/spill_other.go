//go:build unix && !linux

package store

import "os"

func unnamedFile() (*os.File, error) { return removedFile() }

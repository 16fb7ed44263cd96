//go:build unix && !linux

package store

import (
	"errors"
	"os"
)

func unnamedFile() (*os.File, error) { return removedFile() }

func anonymousFile() (*os.File, error) { return nil, errors.ErrUnsupported }

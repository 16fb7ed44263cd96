// Package programs provides small programs that serve as servers in tests: tests of commands start servers
// hundreds of times, and starting one of these costs at most half as much as starting mcptea or the binary of a
// test.
package programs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mcptea/internal/test/gobuild"
	"mcptea/internal/test/raced"
)

var built struct {
	sync.Once
	source string // the folder of this file
	dir    string
	err    error
}

// Build builds the servers, once in a process, and returns their directory, which must come before the
// directory of the program on PATH. It contains
//   - mcptea: the demo server for `mcptea demo --serve`, which accepts all arguments; for every other command line it
//     runs the program, such as for `mcptea demo --serve=true`, a server that checks arguments,
//   - namedserver: offers what its arguments name,
//   - respell: spells the messages of another server differently.
//
// They are built without cgo, whose libraries are a quarter of a start, and without the check of arguments, whose
// library is another. [Remove] removes them.
func Build() (dir string, err error) {
	built.Do(func() {
		root, err := moduleRoot()
		if err != nil {
			built.err = err
			return
		}
		built.source = filepath.Join(root, "internal", "test", "programs")
		if built.dir, built.err = os.MkdirTemp("", "mcptea-servers-"); built.err != nil {
			return
		}
		built.err = gobuild.Run(context.Background(), built.source, []string{"CGO_ENABLED=0"}, "-tags", "bareserver", "-o", built.dir, "./...")
	})
	return built.dir, built.err
}

// moduleRoot returns the folder of go.mod around the working directory, in which go test runs the tests of a package. The
// paths of the source in a binary may be trimmed.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("there is no go.mod in the working directory or above it")
}

// Program builds the program with a version into a directory below the directory of [Build], and returns its
// directory: starting it takes two thirds of the time for the binary of a test. It returns "" if only the
// binary of the test supports the race detector or coverage.
func Program(version string) (dir string, err error) {
	if testing.CoverMode() != "" || raced.Enabled {
		return "", nil
	}
	servers, err := Build()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(servers, "program")
	return dir, gobuild.Run(context.Background(), built.source, nil, "-ldflags", "-s -w -X main.version="+version, "-o", dir+string(filepath.Separator), "../../..")
}

// Remove removes what [Build] has built, if it has.
func Remove() error {
	if built.dir == "" {
		return nil
	}
	return os.RemoveAll(built.dir)
}

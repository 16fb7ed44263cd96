// Package gobuild builds programs for tests.
package gobuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Run runs go build with arguments in a directory, with variables in addition to those of the process. The
// error contains its output.
func Run(ctx context.Context, dir string, variables []string, args ...string) error {
	build := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
	build.Dir, build.Env = dir, append(os.Environ(), variables...)
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	return nil
}

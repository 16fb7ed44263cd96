//go:build !linux && !windows

package stdio

import "os"

// pipe is the end of a pipe that is read.
type pipe struct{ *os.File }

func (pipe) linger(bool) {}

// newPipe creates a pipe, and returns our end and the end of the child.
func newPipe() (ours source, theirs *os.File, err error) {
	read, write, err := os.Pipe()
	return pipe{read}, write, err
}

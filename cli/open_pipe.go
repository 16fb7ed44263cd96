package cli

import (
	"bytes"
	"io"
	"os"
)

// copyPipe copies a pipe to a file, and closes first when the file has a line.
func copyPipe(to *os.File, path string, first chan<- struct{}) error {
	from, err := os.Open(path) // waits for a writer of the pipe
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	buf := make([]byte, 256<<10)
	for line := false; ; {
		n, err := from.Read(buf)
		if _, failed := to.Write(buf[:n]); failed != nil {
			return failed
		}
		if !line && bytes.IndexByte(buf[:n], '\n') >= 0 {
			line = true
			close(first)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

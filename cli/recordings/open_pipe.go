package recordings

import (
	"bytes"
	"errors"
	"io"
	"os"

	"mcptea/cli/app"
)

// maxFirstLine is how many bytes of a pipe are read until there must be a line.
const maxFirstLine = 64 << 20

// copyPipe copies a pipe to a file, and closes first when the file has a line.
func copyPipe(to *os.File, path string, first chan<- struct{}) error {
	from, err := os.Open(path) // waits for a writer of the pipe
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	file, buf := &app.BoundedWriter{To: to, Left: app.MaxPiped}, make([]byte, 256<<10)
	total := 0
	for line := false; ; {
		n, err := from.Read(buf)
		if _, failed := file.Write(buf[:n]); failed != nil {
			return failed
		}
		if !line && bytes.IndexByte(buf[:n], '\n') >= 0 {
			line = true
			close(first)
		}
		if total += n; !line && total > maxFirstLine {
			return errors.New("it is not a recording: its first line does not end")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

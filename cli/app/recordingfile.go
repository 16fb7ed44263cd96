package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/session/export"
)

// RecordingFile returns the path of a recording that can be read more than once: a
// pipe, and "-" for stdin, are copied to a temporary file, which cleanUp removes.
func (p *App) RecordingFile(name string) (path string, cleanUp func(), err error) {
	if name != "-" {
		if err := RefuseDevice(name); err != nil {
			return "", nil, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return "", nil, FileError("", name, err, "mcptea open lists the recordings.")
		}
		if info.Mode().IsRegular() {
			return name, func() {}, nil
		}
	}
	c, err := p.CopyPipe(name, maxPiped)
	if err != nil {
		return "", nil, err
	}
	select {
	case err = <-c.End:
	case <-p.Ctx.Done():
		err = context.Cause(p.Ctx)
	}
	if err != nil {
		c.Remove()
		return "", nil, Failed("cannot copy %s to a temporary file: %v", name, err)
	}
	return c.Path, c.Remove, nil
}

// PipeCopy is a temporary file that is filled from a pipe in the background.
type PipeCopy struct {
	Path   string
	Line   <-chan struct{} // closed when the file has a line
	End    <-chan error    // the end of the pipe
	Remove func()          // removes the file
}

// CopyPipe copies a pipe, or stdin for "-". Its first line may have at most this many bytes.
func (p *App) CopyPipe(name string, maxLine int64) (PipeCopy, error) {
	dir, err := os.MkdirTemp("", "mcptea-") // mode 0700
	if err != nil {
		return PipeCopy{}, Failed("cannot copy %s to a temporary file: %v", name, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, pipeName(name)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		_ = os.Remove(dir)
		return PipeCopy{}, Failed("cannot copy %s to a temporary file: %v", name, err)
	}
	remove := func() { _, _ = file.Close(), os.RemoveAll(dir) }
	forget := p.AtExit.Add(remove)
	line, end := make(chan struct{}), make(chan error, 1)
	go func() {
		from := p.In
		if name != "-" {
			f, err := os.Open(name) // waits for a writer of the pipe
			if err != nil {
				end <- err
				return
			}
			defer func() { _ = f.Close() }()
			from = f
		}
		end <- copyPipe(&boundedWriter{file, maxPiped}, from, maxLine, line)
	}()
	return PipeCopy{file.Name(), line, end, func() { forget(); remove() }}, nil
}

// pipeName returns the name that the screen shows for the copy of a pipe.
func pipeName(name string) string {
	switch dir := filepath.Dir(name); {
	case name == "-":
		return "stdin.mcptea.jsonl"
	case strings.HasPrefix(dir, "/dev") || strings.HasPrefix(dir, "/proc"): // process substitution of a shell: <(zcat FILE)
		return "pipe.mcptea.jsonl"
	}
	return filepath.Base(name)
}

// copyPipe copies to the end, and closes line after the first line.
func copyPipe(to io.Writer, from io.Reader, maxLine int64, line chan<- struct{}) error {
	buf, total := make([]byte, 256<<10), int64(0)
	for {
		n, err := from.Read(buf)
		if _, failed := to.Write(buf[:n]); failed != nil {
			return failed
		}
		if line != nil && bytes.IndexByte(buf[:n], '\n') >= 0 {
			close(line)
			line = nil
		}
		if total += int64(n); line != nil && total > maxLine {
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

// maxPiped bounds the bytes that are copied from a pipe.
const maxPiped = 4 << 30

var errPipedTooMuch = errors.New("the pipe has more than the maximum; write it to a file, and name that")

// boundedWriter passes a limited number of bytes on, and drops the rest.
type boundedWriter struct {
	to   io.Writer
	left int64
}

func (b *boundedWriter) Write(text []byte) (int, error) {
	if int64(len(text)) > b.left {
		return 0, errPipedTooMuch
	}
	b.left -= int64(len(text))
	return b.to.Write(text)
}

// RefuseDevice returns why a file is not read as a recording: a directory, and a device,
// which may have no end. Other errors are found when it is opened.
func RefuseDevice(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return Usage("Name a file in the directory.", "%s is a directory", name)
	case info.Mode()&os.ModeDevice != 0:
		return Usage("Name a file, or a pipe such as <(zcat FILE).", "%s is a device and not a recording", name)
	case info.Mode()&os.ModeSocket != 0:
		return Usage("Name a file, or a pipe such as <(zcat FILE).", "%s is a socket and not a recording", name)
	}
	return nil
}

// RecordingSource opens a recording for the commands that read all of its events.
func (p *App) RecordingSource(name string) (src export.Source, path string, cleanUp func(), err error) {
	path, cleanUp, err = p.RecordingFile(name)
	if err != nil {
		return src, "", nil, err
	}
	src, err = export.FromFile(p.Ctx, path)
	if err != nil {
		cleanUp()
		return src, "", nil, NotARecording(name, err)
	}
	return src, path, cleanUp, nil
}

// NotARecording returns the error for a file that is not a recording.
func NotARecording(name string, err error) error {
	if errors.Is(err, record.ErrNotARecording) {
		return FileError("", name, err, "A recording is made with --record FILE, or by the inspector.")
	}
	return Usage("", "%v", err)
}

// MaxNotes bounds how many remarks of one kind are printed.
const MaxNotes = 20

// Notes prints the first remarks, and in the end how many more there were.
type Notes struct {
	P     *App
	total int
}

// NoteCards notes that the server cards of a catalog are fetched.
func (p *App) NoteCards(cards int, timeout time.Duration) {
	p.Note(fmt.Sprintf("fetching %s that the catalog names, for at most %s", phrase.Count(cards, "server card"), phrase.Duration(timeout)))
}

// Add prints a note, unless MaxNotes were printed.
func (n *Notes) Add(text string) {
	if n.total++; n.total <= MaxNotes {
		n.P.Note(text)
	}
}

// End prints how many remarks were not shown.
func (n *Notes) End() {
	if more := n.total - MaxNotes; more > 0 {
		n.P.Note(phrase.Count(more, "more note") + " not shown")
	}
}

// OpenInput opens a file; "-" is stdin.
func (p *App) OpenInput(name string) (io.Reader, func(), error) {
	if name == "-" {
		return p.In, func() {}, nil
	}
	if err := RefuseDevice(name); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, FileError("", name, err, "")
	}
	return f, func() { _ = f.Close() }, nil
}

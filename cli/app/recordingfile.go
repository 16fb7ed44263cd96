package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"mcptea/session/export"
	"mcptea/session/record"
	"mcptea/ui/paint"
)

// RecordingFile returns the path of a recording that can be read more than once: a
// pipe, and "-" for stdin, are copied to a temporary file, which cleanUp removes.
func (p *App) RecordingFile(name string) (path string, cleanUp func(), err error) {
	in, closing, err := p.OpenInput(name)
	if err != nil {
		return "", nil, err
	}
	defer closing()
	if f, ok := in.(*os.File); ok && name != "-" {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return name, func() {}, nil
		}
	}
	tmp, err := os.CreateTemp("", "mcptea-*.jsonl") // mode 0600
	if err != nil {
		return "", nil, Failed("cannot copy %s to a temporary file: %v", name, err)
	}
	remove := func() { _ = os.Remove(tmp.Name()) }
	p.AtExit.Add(remove)
	err = p.copyInput(&BoundedWriter{tmp, MaxPiped}, in)
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		remove()
		return "", nil, Failed("cannot copy %s to a temporary file: %v", name, err)
	}
	return tmp.Name(), remove, nil
}

// MaxPiped is how many bytes of a pipe are copied.
const MaxPiped = 4 << 30

// ErrPipedTooMuch says that a pipe has more bytes than are copied.
var ErrPipedTooMuch = errors.New("the pipe has more than it may have; write it to a file, and name that")

// BoundedWriter passes so many bytes on, and none of what is more.
type BoundedWriter struct {
	To   io.Writer
	Left int64
}

func (b *BoundedWriter) Write(text []byte) (int, error) {
	if int64(len(text)) > b.Left {
		return 0, ErrPipedTooMuch
	}
	b.Left -= int64(len(text))
	return b.To.Write(text)
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

// copyInput copies until the end or until the program is interrupted, also while a
// read waits.
func (p *App) copyInput(to io.Writer, from io.Reader) error {
	lines := record.NewLines(p.Ctx, from)
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, wrong := to.Write(line); wrong != nil {
			return wrong
		}
		if err != nil {
			return nil
		}
	}
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

// NotARecording is the error about a file that is no recording.
func NotARecording(name string, err error) error {
	if errors.Is(err, record.ErrNotARecording) {
		return Usage("A recording is made with --record FILE, or by the inspector.", "%s: %v", name, err)
	}
	return Usage("", "%v", err)
}

// Note prints a remark on what was read, on stderr.
func (p *App) Note(text string) {
	fmt.Fprintf(p.Err, "%s %s\n", p.Err.Warn("note:"), p.Err.Safe(text))
}

// MaxNotes is how many remarks of one kind are printed.
const MaxNotes = 20

// Notes prints the first remarks, and in the end how many more there were.
type Notes struct {
	P     *App
	total int
}

// Add notes a remark, if it is not one too many.
func (n *Notes) Add(text string) {
	if n.total++; n.total <= MaxNotes {
		n.P.Note(text)
	}
}

// End prints how many remarks were not shown.
func (n *Notes) End() {
	if more := n.total - MaxNotes; more > 0 {
		n.P.Note(paint.Plural(more, "more note") + " not shown")
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
		return nil, nil, Usage("", "%v", err)
	}
	return f, func() { _ = f.Close() }, nil
}

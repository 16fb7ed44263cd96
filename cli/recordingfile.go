package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"mcptea/session/export"
	"mcptea/session/record"
	"mcptea/ui/paint"
)

// recordingFile returns the path of a recording that can be read more than once: a
// pipe, and "-" for stdin, are copied to a temporary file, which cleanUp removes.
func (p *App) recordingFile(name string) (path string, cleanUp func(), err error) {
	in, closing, err := p.openInput(name)
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
		return "", nil, failed("cannot copy %s to a temporary file: %v", name, err)
	}
	remove := func() { _ = os.Remove(tmp.Name()) }
	p.atExit.add(remove)
	err = p.copyInput(&boundedWriter{tmp, maxPiped}, in)
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		remove()
		return "", nil, failed("cannot copy %s to a temporary file: %v", name, err)
	}
	return tmp.Name(), remove, nil
}

// maxPiped is how many bytes of a pipe are copied.
const maxPiped = 4 << 30

// errPipedTooMuch says that a pipe has more bytes than are copied.
var errPipedTooMuch = errors.New("the pipe has more than it may have; write it to a file, and name that")

// boundedWriter passes so many bytes on, and none of what is more.
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

// refuseDevice returns why a file is not read as a recording: a directory, and a device,
// which may have no end. Other errors are found when it is opened.
func refuseDevice(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return usage("Name a file in the directory.", "%s is a directory", name)
	case info.Mode()&os.ModeDevice != 0:
		return usage("Name a file, or a pipe such as <(zcat FILE).", "%s is a device and not a recording", name)
	case info.Mode()&os.ModeSocket != 0:
		return usage("Name a file, or a pipe such as <(zcat FILE).", "%s is a socket and not a recording", name)
	}
	return nil
}

// copyInput copies until the end or until the program is interrupted, also while a
// read waits.
func (p *App) copyInput(to io.Writer, from io.Reader) error {
	lines := record.NewLines(p.ctx, from)
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

// recordingSource opens a recording for the commands that read all of its events.
func (p *App) recordingSource(name string) (src export.Source, path string, cleanUp func(), err error) {
	path, cleanUp, err = p.recordingFile(name)
	if err != nil {
		return src, "", nil, err
	}
	src, err = export.FromFile(p.ctx, path)
	if err != nil {
		cleanUp()
		return src, "", nil, notARecording(name, err)
	}
	return src, path, cleanUp, nil
}

func notARecording(name string, err error) error {
	if errors.Is(err, record.ErrNotARecording) {
		return usage("A recording is made with --record FILE, or by the inspector.", "%s: %v", name, err)
	}
	return usage("", "%v", err)
}

// note prints a remark on what was read, on stderr.
func (p *App) note(text string) {
	fmt.Fprintf(p.err, "%s %s\n", p.err.warn("note:"), p.err.safe(text))
}

// maxNotes is how many remarks of one kind are printed.
const maxNotes = 20

// notes prints the first remarks, and in the end how many more there were.
type notes struct {
	p     *App
	total int
}

func (n *notes) add(text string) {
	if n.total++; n.total <= maxNotes {
		n.p.note(text)
	}
}

func (n *notes) end() {
	if more := n.total - maxNotes; more > 0 {
		n.p.note(paint.Plural(more, "more note") + " not shown")
	}
}

// openInput opens a file; "-" is stdin.
func (p *App) openInput(name string) (io.Reader, func(), error) {
	if name == "-" {
		return p.in, func() {}, nil
	}
	if err := refuseDevice(name); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, usage("", "%v", err)
	}
	return f, func() { _ = f.Close() }, nil
}

package recordings

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"mcptea/cli/app"
	"mcptea/client/secret"
	"mcptea/session/tap/pipeline"
)

// A serverStderr prints the stderr of a server for users. Each line has a mark, so that it cannot
// be mistaken for a line of mcptea. Control characters are replaced, and secrets are redacted.
type serverStderr struct {
	screen  *app.Screen
	secrets *secret.Values
	label   string // of each line, or ""

	mu    sync.Mutex
	part  []byte       // the beginning of a line
	lines secret.Lines // finds secrets that go on in the next line
}

// stderrFor returns the writer for the stderr of a server whose host reads the stderr of mcptea: unchanged for a host, and
// marked on a terminal.
func (p *tapCommand) stderrFor(secrets *secret.Values) io.Writer {
	if p.Err.Terminal {
		return &serverStderr{screen: p.Err, secrets: secrets}
	}
	return p.Err.Writer
}

// Write prints the lines that end in b. A line that is too long is cut into several.
func (w *serverStderr) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for text := range bytes.Lines(b) {
		w.part = append(w.part, text...)
		if line, ended := bytes.CutSuffix(w.part, []byte("\n")); ended || len(w.part) >= pipeline.MaxStderr {
			w.print(string(bytes.TrimSuffix(line, []byte("\r"))))
			w.part = w.part[:0]
		}
	}
	return len(b), nil
}

func (w *serverStderr) print(line string) {
	text := w.screen.Marked(w.lines.Redact(w.secrets, secret.Text(line)))
	if w.label != "" {
		text = w.screen.Faint(w.label) + " " + text
	}
	fmt.Fprintln(w.screen, text) // the user may have closed it
}

package watch

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"mcptea/internal/shell"
)

// NewScripted returns a watcher of a directory that is not there, whose events a test writes; touch has the event of a
// mark come after those so far.
func NewScripted(dir string, events <-chan fsnotify.Event, touch func(path string), sources *Sources, lookUp func(string) (fs.FileInfo, error)) (*Watcher, func()) {
	ctx, stop := context.WithCancel(context.Background())
	o := &Watcher{changes: make(chan Burst), stop: stop, dirs: map[string]bool{dir: true}, files: map[string]bool{}, sources: sources, lookUp: lookUp}
	o.marks.init()
	o.marks.paths.Store(&[2]string{filepath.Join(dir, "..", "m", "0"), filepath.Join(dir, "..", "m", "1")})
	o.marks.touch = func(path string) error { touch(path); return nil }
	o.running.Go(func() { o.run(ctx, events, nil) })
	o.running.Go(func() { o.markCalls(ctx, sources.Settled) })
	return o, func() { stop(); o.running.Wait() }
}

// SetBuild makes the loop call a function instead of its command.
func (l *Loop) SetBuild(run func(ctx context.Context) (stderr string, err error)) {
	l.run = func(ctx context.Context) (shell.Output, error) {
		text, err := run(ctx)
		return shell.Output{Stderr: []byte(text)}, err
	}
}

// SetContent makes the loop compare texts instead of the files. A file without a text is gone; a text that
// begins with a zero byte is not a text file.
func (l *Loop) SetContent(read func(path string) (string, bool)) {
	l.outputs.content = func(path string) content {
		s, ok := read(path)
		switch {
		case !ok:
			return content{}
		case strings.HasPrefix(s, "\x00"):
			return content{form: binary, sum: sha256.Sum256([]byte(s))}
		}
		return content{form: text, sum: sha256.Sum256([]byte(s))}
	}
}

package desktop

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mcptea/internal/system"
)

const (
	// loadTimeout is the time that a browser gets to load a file that redirects.
	loadTimeout = time.Minute
	// staleAfter is the age of files that another process has left behind.
	staleAfter = 10 * time.Minute
)

// redirects are the files of this process that were not removed yet, with the timers that do it.
var redirects = struct {
	sync.Mutex
	files map[string]*time.Timer
}{files: map[string]*time.Timer{}}

const redirectPage = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%[1]s">
<title>mcptea</title>
<p>Going on to <a href="%[1]s">%[2]s</a>.
`

// redirect writes a file that only the user can read, and that redirects to a page.
func redirect(u *url.URL) (path string, err error) {
	dir, err := system.StateDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "pages")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	removeStale(dir)
	f, err := os.CreateTemp(dir, "open-*.html") // CreateTemp uses mode 0600
	if err != nil {
		return "", err
	}
	path = f.Name()
	redirects.Lock()
	redirects.files[path] = time.AfterFunc(loadTimeout, func() { forget(path) })
	redirects.Unlock()
	_, err = fmt.Fprintf(f, redirectPage, html.EscapeString(u.String()), html.EscapeString(u.Host))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return path, err
}

// removeStale removes the files of killed processes.
func removeStale(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), "open-") && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(dir, e.Name())) // another process may remove it too
		}
	}
}

// forget removes a file of redirect.
func forget(path string) {
	redirects.Lock()
	defer redirects.Unlock()
	if timer := redirects.files[path]; timer != nil {
		timer.Stop()
		delete(redirects.files, path)
		_ = os.Remove(path) // the file may not exist
	}
}

// CloseBrowser removes the files of all pages that were opened. The program calls it at its end.
func CloseBrowser() {
	redirects.Lock()
	defer redirects.Unlock()
	for path, timer := range redirects.files {
		timer.Stop()
		delete(redirects.files, path)
		_ = os.Remove(path) // the file may not exist
	}
}

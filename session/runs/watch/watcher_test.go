package watch

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWatcher_Bursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan string), make(chan Burst)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		events := make(chan fsnotify.Event)
		o := &Watcher{changes: out, files: map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true}, lookUp: os.Lstat}
		go o.run(ctx, events, nil)
		go func() {
			for path := range in {
				events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
			}
			stop()
		}()
		start := time.Now()
		for _, path := range []string{"b", "a", "b"} {
			in <- path
			time.Sleep(quiet - time.Millisecond)
		}
		if got := pathsOf(<-out); !reflect.DeepEqual(got, []string{"a", "b"}) || time.Since(start) != 3*quiet-2*time.Millisecond {
			t.Errorf("%v after %s", got, time.Since(start))
		}
		// What changes while there is no receiver is added.
		in <- "c"
		time.Sleep(time.Second)
		in <- "d"
		time.Sleep(time.Second)
		if got := pathsOf(<-out); !reflect.DeepEqual(got, []string{"c", "d"}) {
			t.Errorf("%v", got)
		}
		// What never rests is reported all the same.
		start = time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for time.Since(start) < maxDelay+time.Second {
				in <- "e"
				time.Sleep(quiet / 2)
			}
		}()
		if <-out; time.Since(start) > maxDelay+quiet {
			t.Errorf("after %s", time.Since(start))
		}
		<-ended
		close(in)
		for range out {
		}
	})
}

func pathsOf(b Burst) (paths []string) {
	for _, c := range b.Changes {
		paths = append(paths, c.Path)
	}
	return paths
}

func write(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// changed waits until a path is reported, and fails for one that must not be.
func changed(t *testing.T, w *Watcher, want string, never ...string) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case b := <-w.Changes():
			paths := pathsOf(b)
			for _, p := range paths {
				for _, n := range never {
					if p == n {
						t.Fatalf("%s is reported", p)
					}
				}
			}
			for _, p := range paths {
				if p == want {
					return
				}
			}
		case <-late:
			t.Fatalf("%s is not reported", want)
		}
	}
}

func TestWatcher(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	ignored := filepath.Join(dir, ".gitignore")
	if err := os.WriteFile(ignored, []byte("*.log\n/dist/\n!keep.log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	main := write(t, dir, "src", "main.go")
	write(t, dir, "dist", "out.js")
	w, err := Open(filepath.Join(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	never := []string{
		write(t, dir, "dist", "out.js"), write(t, dir, "a.log"), write(t, dir, "src", "b.log"), write(t, dir, "node_modules", "x", "index.js"),
		write(t, dir, ".hidden"), write(t, dir, "src", "main.go~"), write(t, dir, "src", "4913"), write(t, dir, "src", ".main.go.swp"),
		write(t, dir, "mcptea.txtar"), write(t, dir, "src", "session.mcptea.jsonl"),
	}
	write(t, dir, "src", "main.go")
	changed(t, w, main, never...)
	keep := write(t, dir, "keep.log")
	changed(t, w, keep, never...)
	// An editor that replaces the file.
	if err := os.Rename(write(t, dir, ".tmp"), main); err != nil {
		t.Fatal(err)
	}
	changed(t, w, main, never...)
	// A directory that is created later, with a file in it.
	later := write(t, dir, "later", "deep", "new.go")
	changed(t, w, later, never...)
	write(t, dir, "later", "deep", "new.go")
	changed(t, w, later, never...)
	if err := os.Remove(main); err != nil {
		t.Fatal(err)
	}
	changed(t, w, main, never...)
}

// What a changed .gitignore does not exclude any more is watched from then on, and what it
// excludes now is not reported.
func TestWatcher_ChangedIgnoreFile(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"written": func(path string) error { return os.WriteFile(path, []byte("/later/\n"), 0o600) },
		"removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ignored := filepath.Join(dir, ".gitignore")
			if err := os.WriteFile(ignored, []byte("/dist/\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "dist", "deep", "out.js")
			write(t, dir, "later", "out.js")
			w, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := change(ignored); err != nil {
				t.Fatal(err)
			}
			changed(t, w, write(t, dir, "after")) // events come in their order
			changed(t, w, write(t, dir, "dist", "deep", "out.js"))
			if name == "written" {
				never := write(t, dir, "later", "out.js")
				changed(t, w, write(t, dir, "last"), never)
			}
		})
	}
}

// Git reads these files too: .git/info/exclude, and the .gitignore of the directories above.
func TestWatcher_IgnoreFilesOfTheRepository(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{".git/info/exclude": "*.local\n/server/private/\n", ".gitignore": "*.log\n"} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	main := write(t, dir, "server", "main.go")
	write(t, dir, "server", "private", "key")
	for _, watched := range []string{dir, filepath.Join(dir, "server")} {
		w, err := Open(watched)
		if err != nil {
			t.Fatal(err)
		}
		never := []string{write(t, dir, "server", "a.local"), write(t, dir, "server", "a.log"), write(t, dir, "server", "private", "key")}
		write(t, dir, "server", "main.go")
		changed(t, w, main, never...)
		w.Close()
	}
}

func TestOpen_MaxDirectories(t *testing.T) {
	if maxDirectories != 10_000 {
		t.Errorf("%d directories may be watched", maxDirectories)
	}
	dir := t.TempDir()
	write(t, dir, "a", "b", "x")
	w, err := open(3, nil, dir)
	if err != nil {
		t.Fatalf("as many directories as may be watched: %v", err)
	}
	w.Close()
	if w, err := open(2, nil, dir); err == nil || !strings.Contains(err.Error(), "more than 2 directories") {
		t.Errorf("one more: %v", err)
		if err == nil {
			w.Close()
		}
	}
}

func TestWatcher_File(t *testing.T) {
	dir := t.TempDir()
	one, other := write(t, dir, "one.js"), write(t, dir, "other.js")
	w, err := Open(one)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	write(t, dir, "other.js")
	if err := os.Rename(write(t, dir, "new"), one); err != nil {
		t.Fatal(err)
	}
	changed(t, w, one, other)
}

func TestOpen_NoSuchPath(t *testing.T) {
	if w, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		w.Close()
		t.Error("a path that does not exist is watched")
	}
}

// TestWatcher_DirectoryMadeAgain removes what is watched and makes it again, as a build does:
// directories, files in them, and those of which the directory above was removed too.
func TestWatcher_DirectoryMadeAgain(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ name, watched, removed, made string }{
		{"the directory", "a/dist", "a/dist", "a/dist/x.js"},
		{"the one above it", "b/out/dist", "b", "b/out/dist/x.js"},
		{"that of a file", "c/server.js", "c", "c/server.js"},
		{"two above a file", "d/out/dist/server.js", "d/out", "d/out/dist/server.js"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made := write(t, dir, tt.made)
			w, err := Open(filepath.Join(dir, tt.watched))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for range 3 {
				if err := os.RemoveAll(filepath.Join(dir, tt.removed)); err != nil {
					t.Fatal(err)
				}
				changed(t, w, made) // its removal
				write(t, dir, tt.made)
				changed(t, w, made)
			}
			beside := write(t, dir, filepath.Dir(tt.removed), "unrelated.js")
			write(t, dir, tt.made)
			changed(t, w, made, beside)
		})
	}
}

// TestWatcher_DirectoryOfAnotherName moves what is watched away, and makes it again.
func TestWatcher_DirectoryOfAnotherName(t *testing.T) {
	dir := t.TempDir()
	made := write(t, dir, "dist", "x.js")
	w, err := Open(filepath.Join(dir, "dist"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := os.Rename(filepath.Join(dir, "dist"), filepath.Join(dir, "old")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "dist", "x.js")
	changed(t, w, made)
	old := write(t, dir, "old", "x.js")
	write(t, dir, "dist", "x.js")
	changed(t, w, made, old)
}

// A temporary file of an editor or of sed -i is not a change: only saved files are reported, or nothing if
// no file is left. A file that is removed was there before, and is reported.
func TestWatcher_TemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	source, temporary, removed := write(t, dir, "main.go"), filepath.Join(dir, "sedA1"), filepath.Join(dir, "old.go")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		events := make(chan fsnotify.Event)
		o := &Watcher{changes: make(chan Burst), files: map[string]bool{source: true, temporary: true, removed: true}, lookUp: os.Lstat}
		go o.run(ctx, events, nil)
		event := func(op fsnotify.Op, path string) { events <- fsnotify.Event{Name: path, Op: op} }
		event(fsnotify.Create, temporary)
		event(fsnotify.Write, temporary)
		event(fsnotify.Rename, temporary)
		event(fsnotify.Create, source)
		if got := pathsOf(<-o.Changes()); saved(got) != "main.go saved" {
			t.Errorf("%v: %s", got, saved(got))
		}
		event(fsnotify.Create, temporary)
		event(fsnotify.Remove, temporary)
		if got := <-o.Changes(); got.Changes != nil || got.Generation != o.Generation() {
			t.Errorf("%v, want nothing, of generation %d", got, o.Generation())
		}
		event(fsnotify.Remove, removed)
		if got := pathsOf(<-o.Changes()); !reflect.DeepEqual(got, []string{removed}) {
			t.Errorf("%v, want %s", got, removed)
		}
		stop()
		for range o.Changes() {
		}
	})
}

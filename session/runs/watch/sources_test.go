package watch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// saving is a watcher of sources in fake time.
type saving struct {
	*Watcher
	*Sources
	events  chan fsnotify.Event
	settled chan struct{}
	running int
	ended   uint64
	notes   []string
	reports [][]string
	told    uint64 // the generation of the newest report
}

// inW is a path in the directory that is watched.
func inW(name string) string { return filepath.FromSlash("/w/" + name) }

// save drives a watcher; a path is one below /w. The test ends all.
func save(t *testing.T, test func(s *saving), named ...string) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		s := &saving{events: make(chan fsnotify.Event), settled: make(chan struct{}, 1)}
		s.Sources = &Sources{
			Note:    func(text string) { s.notes = append(s.notes, text) },
			Calls:   func() (int, uint64) { return s.running, s.ended },
			Settled: s.settled, named: map[string]bool{},
		}
		var stop func()
		s.Watcher, stop = NewScripted(filepath.FromSlash("/w"), s.events, func(path string) { s.events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod} }, s.Sources, func(path string) (fs.FileInfo, error) {
			if strings.HasSuffix(path, ".x7") { // it has another name by now
				return nil, fs.ErrNotExist
			}
			return nil, nil
		})
		for _, name := range named {
			s.named[inW(name)], s.files[inW(name)] = true, true
		}
		received := make(chan struct{})
		go func() {
			defer close(received)
			for b := range s.Changes() {
				s.reports, s.told = append(s.reports, pathsOf(b)), b.Generation
			}
		}()
		test(s)
		stop()
		<-received
	})
}

// call has something done during a call, all of which is reported before the end of the call is.
func (s *saving) call(do func()) {
	s.running++
	do()
	s.running--
	s.ended++
	s.settled <- struct{}{}
	synctest.Wait()
}

// next restarts the server.
func (s *saving) next() {
	s.restart(true)
	s.restart(false)
}

// changed changes files at once. When it returns they were judged by the calls of that time.
func (s *saving) changed(names ...string) {
	for _, name := range names {
		s.events <- fsnotify.Event{Name: inW(name), Op: fsnotify.Write}
	}
	synctest.Wait()
}

// restarts reports whether what has changed is reported, and nothing else.
func (s *saving) restarts(t *testing.T, names ...string) {
	t.Helper()
	time.Sleep(time.Minute)
	synctest.Wait()
	var got []string
	for _, paths := range s.reports {
		for _, path := range paths {
			got = append(got, strings.TrimPrefix(path, inW("")))
		}
	}
	s.reports = nil
	if slices.Sort(got); !slices.Equal(got, names) {
		t.Errorf("restarts for %q, want %q", got, names)
	}
	if n := s.Generation(); n != s.told {
		t.Errorf("generation %d is reported, and there is %d", s.told, n)
	}
}

// A file that the server writes during its calls restarts it once, since the user may have written it, and neither
// during a call of the next server nor later. The user reads it once.
func TestSources_WrittenDuringACall(t *testing.T) {
	save(t, func(s *saving) {
		s.changed("notes.json")
		s.restarts(t, "notes.json") // no call has run yet: the user has saved it
		for range 3 {
			s.call(func() { s.changed("notes.json") })
			s.restarts(t, "notes.json") // if it is the same server
		}
		s.next()
		for range 3 {
			s.call(func() { s.changed("notes.json") })
			s.restarts(t)
			s.changed("notes.json")
			s.restarts(t)
			s.next()
		}
		want := []string{"notes.json changed during calls of two servers: taken for data of the server, not restarted. Add --watch=" + flagPath(inW("notes.json")) + " to restart for it."}
		if !reflect.DeepEqual(s.notes, want) || s.Said() != want[0] {
			t.Errorf("%q, want %q", s.notes, want)
		}
		s.changed("config.json")
		s.restarts(t, "config.json")
	})
}

// A file that is saved between two calls, of one server or of the next, is a source: a save is not lost because others
// came during calls.
func TestSources_SavedBetweenCalls(t *testing.T) {
	save(t, func(s *saving) {
		for range 3 {
			s.call(func() { s.changed("config.json") })
			s.restarts(t, "config.json")
			s.next()
			s.changed("config.json")
			s.restarts(t, "config.json")
			s.next()
		}
		if len(s.notes) > 0 {
			t.Errorf("%q", s.notes)
		}
	})
}

// The system reports a change after the call that has made it: it belongs to the call, as long as the mark that is
// changed after the call is not reported. What comes after the mark was saved after the call.
func TestSources_ReportedAfterTheCall(t *testing.T) {
	for _, isMarked := range []bool{false, true} {
		save(t, func(s *saving) {
			s.call(func() { s.changed("a.json") })
			s.restarts(t, "a.json")
			s.next()
			s.running++
			synctest.Wait()
			s.running--
			s.ended++
			if isMarked {
				s.settled <- struct{}{}
				synctest.Wait()
			}
			s.changed("a.json")
			if isMarked {
				s.restarts(t, "a.json")
			} else {
				s.restarts(t)
			}
		})
	}
}

// What changes while the server is restarted, such as what the old one writes at its end, restarts it, and says
// nothing of who writes the file.
func TestSources_DuringARestart(t *testing.T) {
	save(t, func(s *saving) {
		s.call(func() { s.changed("a.json") })
		s.restarts(t, "a.json")
		s.restart(true)
		s.changed("a.json")
		s.restarts(t, "a.json")
		s.restart(false)
		s.call(func() { s.changed("a.json") })
		s.restarts(t)
	})
}

// A server that writes a new file in each call is restarted for two of them. Files of another directory or extension,
// and files that were there before, are none of these.
func TestSources_NewFileInEachCall(t *testing.T) {
	save(t, func(s *saving) {
		create := func(name string) {
			s.call(func() {
				s.events <- fsnotify.Event{Name: inW(name), Op: fsnotify.Create}
				synctest.Wait()
			})
		}
		s.dirs[inW("out")] = true
		create("out/1.json")
		s.restarts(t, "out/1.json")
		s.next()
		for n := range 3 {
			create(fmt.Sprintf("out/2%d.json", n))
			s.restarts(t)
		}
		want := []string{"20.json changed during calls of two servers: taken for data of the server, not restarted. Add --watch=" + flagPath(inW("out/20.json")) + " to restart for it. New files *.json there are data too if they appear during a call."}
		if !reflect.DeepEqual(s.notes, want) {
			t.Errorf("%q, want %q", s.notes, want)
		}
		for _, name := range []string{"3.json", "out/3.yaml"} {
			create(name)
			s.restarts(t, name)
		}
		s.call(func() { s.changed("out/config.json") })
		s.restarts(t, "out/config.json")
		s.events <- fsnotify.Event{Name: inW("out/4.json"), Op: fsnotify.Create}
		s.restarts(t, "out/4.json")
	})
}

// A source that the user saves during a call restarts the server, together with data that changes meanwhile.
func TestSources_SourceSavedDuringACall(t *testing.T) {
	save(t, func(s *saving) {
		s.call(func() { s.changed("server.py", "data.yaml", "main.GO", "Cargo.toml", "x.env") })
		s.restarts(t, "Cargo.toml", "data.yaml", "main.GO", "server.py", "x.env")
		s.next()
		s.call(func() { s.changed("server.py", "data.yaml", "main.GO", "Cargo.toml", "x.env") })
		s.restarts(t, "Cargo.toml", "main.GO", "server.py")
		want := []string{"2 files, such as data.yaml, changed during calls of two servers: taken for data of the server, not restarted. Add --watch=FILE to restart for one of them."}
		if !reflect.DeepEqual(s.notes, want) {
			t.Errorf("%q, want %q", s.notes, want)
		}
	})
}

// What the user has named, and the program of the server, are sources whatever their names are.
func TestSources_Named(t *testing.T) {
	save(t, func(s *saving) {
		s.Program = inW("server")
		s.call(func() { s.changed("notes.json", "data.db", "server", "other.json") })
		s.restarts(t, "data.db", "notes.json", "other.json", "server")
		s.next()
		s.call(func() { s.changed("notes.json", "data.db", "server", "other.json") })
		s.restarts(t, "data.db", "notes.json", "server")
	}, "notes.json", "data.db")
}

// Logs, databases, locks, temporary files and what mcptea writes never restart the server.
func TestSources_WrittenByPrograms(t *testing.T) {
	save(t, func(s *saving) {
		s.changed(
			"a.log", "a.log.1", "a.db", "a.db-wal", "a.sqlite3-shm", "a.sqlite", "a.db-journal", "a.tmp", "a.lock", "a.pid", "a.swp", "a.py~",
			"mcptea.txtar", "files.mcptea.txtar", "x.mcptea.jsonl",
		)
		s.restarts(t)
		if len(s.notes) > 0 {
			t.Errorf("%q", s.notes)
		}
	})
}

// A recording under another name is one by its first line; another file of JSON Lines is not.
func TestSources_Recording(t *testing.T) {
	dir := t.TempDir()
	recording, lines := filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "c.jsonl")
	for path, text := range map[string]string{recording: `{"mcptea":1,"program":"mcptea"}` + "\n", lines: `{"question":1}` + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save(t, func(s *saving) {
		s.dirs[dir] = true
		for range 2 {
			s.events <- fsnotify.Event{Name: recording, Op: fsnotify.Write}
			s.events <- fsnotify.Event{Name: lines, Op: fsnotify.Write}
			s.restarts(t, lines)
		}
		change := func() {
			s.events <- fsnotify.Event{Name: lines, Op: fsnotify.Write}
			synctest.Wait()
		}
		s.call(change)
		s.restarts(t, lines)
		s.next()
		s.call(change)
		if s.restarts(t); len(s.notes) != 1 || !strings.HasPrefix(s.notes[0], "c.jsonl changed") {
			t.Errorf("%q", s.notes)
		}
	})
}

// What a build writes while a call runs is not taken for data of the server.
func TestSources_Build(t *testing.T) {
	save(t, func(s *saving) {
		for range 3 {
			s.call(func() {
				s.build(true)
				s.changed("server")
				s.restarts(t, "server")
				s.build(false)
			})
			s.next()
		}
	})
}

// A file that the server creates and renames during a call, and one that another change touches in the same
// burst.
func TestSources_Bursts(t *testing.T) {
	save(t, func(s *saving) {
		write := func() {
			s.events <- fsnotify.Event{Name: inW("notes.json.x7"), Op: fsnotify.Create}
			s.events <- fsnotify.Event{Name: inW("notes.json.x7"), Op: fsnotify.Rename}
			s.events <- fsnotify.Event{Name: inW("notes.json"), Op: fsnotify.Create}
			s.events <- fsnotify.Event{Name: inW("notes.json"), Op: fsnotify.Write}
			s.changed("a.json")
		}
		s.call(write)
		s.restarts(t, "a.json", "notes.json")
		s.next()
		s.call(write)
		s.changed("a.json")
		s.restarts(t, "a.json")
	})
}

// The files that are remembered and the sentences about them are bounded; one more file restarts the server.
func TestSources_Bounds(t *testing.T) {
	save(t, func(s *saving) {
		for n := range maxData + 10 {
			name := fmt.Sprintf("out-%d.json", n)
			s.call(func() { s.changed(name) })
			s.restarts(t, name)
			s.next()
			s.call(func() { s.changed(name) })
			s.restarts(t)
		}
		if len(s.data) != maxData || len(s.called) > 0 || len(s.notes) != maxTold || !strings.HasSuffix(s.notes[maxTold-1], " Later files are not named.") {
			t.Errorf("%d files, %d suspected, %d sentences, the last one %q", len(s.data), len(s.called), len(s.notes), s.notes[len(s.notes)-1])
		}
		for n := range maxData + 10 {
			name := fmt.Sprintf("new-%d.json", n)
			s.call(func() { s.changed(name) })
			s.restarts(t, name)
		}
		if len(s.called) != maxData {
			t.Errorf("%d files are suspected", len(s.called))
		}
	})
}

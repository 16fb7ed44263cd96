package watch

import (
	"context"
	"fmt"
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

// saving is a watcher of sources in fake time. A call begins and ends with its methods.
type saving struct {
	*Watcher
	*Sources
	events  chan fsnotify.Event
	calls   int
	ended   time.Time
	written time.Time // when the files were, if that is not the end of the last call
	notes   []string
	reports [][]string
	told    uint64 // the generation of the newest report
}

// inW is a path in the directory that is watched.
func inW(name string) string { return filepath.FromSlash("/w/" + name) }

// save drives a watcher; a path is one below /w. The test ends all.
func save(t *testing.T, test func(s *saving), named ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &saving{events: make(chan fsnotify.Event)}
		s.Sources = &Sources{Note: func(text string) { s.notes = append(s.notes, text) }, LastCall: func() time.Time {
			if s.calls > 0 {
				return time.Now()
			}
			return s.ended
		}, named: map[string]bool{}, modified: func(string) time.Time {
			if !s.written.IsZero() {
				return s.written
			}
			return s.ended
		}}
		s.Watcher = &Watcher{changes: make(chan Burst), dirs: map[string]bool{filepath.FromSlash("/w"): true}, files: map[string]bool{}, sources: s.Sources}
		for _, name := range named {
			s.named[inW(name)], s.files[inW(name)] = true, true
		}
		ctx, stop := context.WithCancel(t.Context())
		go s.run(ctx, s.events, nil)
		received := make(chan struct{})
		go func() {
			defer close(received)
			for b := range s.Changes() {
				s.reports, s.told = append(s.reports, b.Paths), b.Generation
			}
		}()
		test(s)
		stop()
		<-received
	})
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

// A file that the server writes during its calls restarts it neither then nor later, and the user reads it once.
func TestSources_WrittenDuringACall(t *testing.T) {
	save(t, func(s *saving) {
		s.changed("notes.json")
		s.restarts(t, "notes.json") // no call has run yet: the user has saved it
		for range 3 {
			s.calls++
			s.changed("notes.json")
			time.Sleep(time.Second)
			s.calls, s.ended = 0, time.Now()
			time.Sleep(callGrace - time.Millisecond)
			s.changed("notes.json")
			s.restarts(t)
		}
		s.changed("notes.json")
		s.restarts(t)
		want := []string{"notes.json changed during a call: taken for data of the server, not restarted. Add --watch=" + flagPath(inW("notes.json")) + " to restart for it."}
		if !reflect.DeepEqual(s.notes, want) || s.Said() != want[0] {
			t.Errorf("%q, want %q", s.notes, want)
		}
		s.changed("config.json")
		s.restarts(t, "config.json")
	})
}

// What is reported soon after a call is of the call if the file was written before its end, and not if the user
// has saved it since.
func TestSources_AfterACall(t *testing.T) {
	for _, tt := range []struct {
		reported, written time.Duration // after the end of the call
		want              []string
	}{
		{callGrace - time.Millisecond, 0, nil},
		{callGrace - time.Millisecond, -time.Second, nil},
		{callGrace, 0, []string{"a.json"}},
		{20 * time.Millisecond, 10 * time.Millisecond, []string{"a.json"}},
	} {
		save(t, func(s *saving) {
			s.ended = time.Now()
			s.written = s.ended.Add(tt.written)
			time.Sleep(tt.reported)
			s.changed("a.json")
			s.restarts(t, tt.want...)
		})
	}
}

// A source that the user saves during a call restarts the server, together with data that changes meanwhile.
func TestSources_SourceSavedDuringACall(t *testing.T) {
	save(t, func(s *saving) {
		s.calls = 1
		s.changed("server.py", "data.yaml", "main.GO", "Cargo.toml", "x.env")
		s.restarts(t, "Cargo.toml", "main.GO", "server.py")
		want := []string{"2 files, such as data.yaml, changed during a call: taken for data of the server, not restarted. Add --watch=FILE to restart for one of them."}
		if !reflect.DeepEqual(s.notes, want) {
			t.Errorf("%q, want %q", s.notes, want)
		}
	})
}

// What the user has named, and the program of the server, are sources whatever their names are.
func TestSources_Named(t *testing.T) {
	save(t, func(s *saving) {
		s.Program = inW("server")
		s.calls = 1
		s.changed("notes.json", "data.db", "server", "other.json")
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
		s.calls = 1
		s.events <- fsnotify.Event{Name: lines, Op: fsnotify.Write}
		if s.restarts(t); len(s.notes) != 1 || !strings.HasPrefix(s.notes[0], "c.jsonl changed") {
			t.Errorf("%q", s.notes)
		}
	})
}

// What a build writes while a call runs is not taken for data of the server.
func TestSources_Build(t *testing.T) {
	save(t, func(s *saving) {
		s.calls = 1
		s.build(true)
		s.changed("server")
		s.restarts(t, "server")
		s.build(false)
		s.changed("server")
		s.restarts(t, "server")
		s.changed("state")
		s.restarts(t)
	})
}

// A file that the server creates and renames during a call, and one that another change touches in the same
// burst.
func TestSources_Bursts(t *testing.T) {
	save(t, func(s *saving) {
		s.calls = 1
		s.events <- fsnotify.Event{Name: inW("notes.json.x7"), Op: fsnotify.Create}
		s.events <- fsnotify.Event{Name: inW("notes.json.x7"), Op: fsnotify.Rename}
		s.events <- fsnotify.Event{Name: inW("notes.json"), Op: fsnotify.Create}
		s.events <- fsnotify.Event{Name: inW("notes.json"), Op: fsnotify.Write}
		s.changed("a.json")
		s.calls = 0
		s.changed("a.json")
		s.restarts(t, "a.json")
	})
}

// The files that are remembered and the sentences about them are bounded; a file beyond that is judged each time.
func TestSources_Bounds(t *testing.T) {
	save(t, func(s *saving) {
		for n := range maxData + 10 {
			s.calls = 1
			s.changed(fmt.Sprintf("out-%d.json", n))
			s.restarts(t)
		}
		if len(s.data) != maxData || len(s.notes) != maxTold || !strings.HasSuffix(s.notes[maxTold-1], " Further files are not named.") {
			t.Errorf("%d files, %d sentences, the last one %q", len(s.data), len(s.notes), s.notes[len(s.notes)-1])
		}
	})
}

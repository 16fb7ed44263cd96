package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcptea/client"
	"mcptea/session/session"
)

// A real build of a real directory: what it writes is not built again, and its failure does not restart the server.
func TestLoop_Build(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the build command is for sh")
	}
	dir := t.TempDir()
	source, output := filepath.Join(dir, "main.go"), filepath.Join(dir, "server")
	save := func(text string) {
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("ok")
	sources := &Sources{}
	w, err := sources.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := startWith(t, Config{
		Changes: w.Changes(), Generation: w.Now, Settle: w.Settle, Sources: sources, Watching: "src",
		Build: "cp " + source + " " + output + "; grep -q ok " + source + " || { echo './main.go:3:7: undefined: x' >&2; exit 1; }",
	})
	s.restarted(t, "first")
	save("bad")
	st := s.phase(t, Broken)
	want := []Place{{File: "./main.go", Line: 3, Text: "undefined: x", Row: 0}}
	if st.Build == nil || !reflect.DeepEqual(st.Build.Places, want) || st.Saved != "main.go saved" || st.Build.Summary() != "./main.go:3: undefined: x" {
		t.Errorf("%+v", st.Build)
	}
	if len(s.f.restarts) != 0 {
		t.Error("the server was restarted although the build failed")
	}
	save("ok again")
	s.restarted(t, "main.go saved")
	if st := s.phase(t, Watching); st.Build.Err != nil {
		t.Errorf("%+v", st.Build)
	}
}

// workshop is a directory in fake time with a build, a loop that follows it, and a server that has what was built.
type workshop struct {
	*Loop
	t      *testing.T
	events chan fsnotify.Event
	took   time.Duration
	// produce writes the outputs of a build, from what the files were at its start.
	produce func(w *workshop, before map[string]string)

	mu     sync.Mutex
	files  map[string]string
	built  map[string]string // the files at the start of the newest build that has passed
	served map[string]string // those of the server
	builds int               // that were started
	notes  []string
}

func work(t *testing.T, took time.Duration, files map[string]string, produce func(w *workshop, before map[string]string), test func(w *workshop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &workshop{t: t, events: newQueue(), took: took, produce: produce, files: files}
		events := w.events
		sources := &Sources{}
		watcher, unwatch := NewScripted(filepath.FromSlash("/w"), events, func(path string) {
			events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod}
		}, sources, func(path string) (fs.FileInfo, error) {
			if _, ok := w.read(path); !ok {
				return nil, fs.ErrNotExist
			}
			return nil, nil
		})
		w.Loop = New(w, Config{
			Changes: watcher.Changes(), Generation: watcher.Now, Settle: watcher.Settle, Sources: sources, Build: "make",
			Notify: func() {}, Note: w.note,
		})
		w.SetContent(w.read)
		w.SetBuild(w.build)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { w.Run(ctx, func() {}) })
		test(w)
		stop()
		running.Wait()
		unwatch()
	})
}

func (w *workshop) Running() int                       { return 0 }
func (w *workshop) Calls() (running int, ended uint64) { return 0, 0 }
func (w *workshop) Settled() (<-chan struct{}, func()) { return nil, func() {} }
func (w *workshop) Target() client.Target              { return client.Target{Argv: []string{"server"}} }

func newQueue() chan fsnotify.Event { return make(chan fsnotify.Event, 1000) }

func (w *workshop) read(path string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, ok := w.files[filepath.Base(path)]
	return text, ok
}

// write changes a file, as a user or a build does; an empty text removes it.
func (w *workshop) write(name, text string) {
	w.mu.Lock()
	op := fsnotify.Write
	if _, ok := w.files[name]; !ok {
		op = fsnotify.Create
	}
	if w.files[name] = text; text == "" {
		op = fsnotify.Remove
		delete(w.files, name)
	}
	w.mu.Unlock()
	w.events <- fsnotify.Event{Name: inW(name), Op: op}
}

func (w *workshop) copied() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]string{}
	for name, text := range w.files {
		all[name] = text
	}
	return all
}

func (w *workshop) build(ctx context.Context) (string, error) {
	w.count()
	before := w.copied()
	select {
	case <-time.After(w.took / 2):
	case <-ctx.Done():
		return "", ctx.Err()
	}
	w.produce(w, before)
	select {
	case <-time.After(w.took / 2):
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if strings.Contains(before["main.go"], "broken") {
		return "main.go:1: broken", errors.New("exit status 1")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.built = before
	return "", nil
}

func (w *workshop) count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.builds++
}

// counted returns the number of builds since the last time.
func (w *workshop) counted() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, w.builds = w.builds, 0
	return n
}

func (w *workshop) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, text)
}

// noted returns what the user has read.
func (w *workshop) noted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.notes)
}

// serves returns a source that the server has.
func (w *workshop) serves(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.served[name]
}

func (w *workshop) Connect(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.served = w.built
	return nil
}

func (w *workshop) RestartAfter(ctx context.Context, _ session.Cause) error { return w.Connect(ctx) }

// expect waits until all is done, and checks that the server is of the sources as they are, and how many builds there
// were since the last time.
func (w *workshop) expect(what string, builds int, sources ...string) {
	w.t.Helper()
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	synctest.Wait()
	for _, name := range sources {
		if now, _ := w.read(name); w.serves(name) != now {
			w.t.Errorf("%s: the server has %s as %q, and it is %q", what, name, w.serves(name), now)
		}
	}
	if n := w.counted(); builds >= 0 && n != builds {
		w.t.Errorf("%s: %d builds, want %d", what, n, builds)
	}
}

// The makes of outputs, by what they do.
func copies(name string) func(w *workshop, before map[string]string) {
	return func(w *workshop, before map[string]string) {
		w.write(name, "of "+before["main.go"]+before["style.css"]+before["a.pl"])
	}
}

func incremental(name string) func(w *workshop, before map[string]string) {
	return func(w *workshop, before map[string]string) {
		text := "of " + before["main.go"] + before["style.css"] + before["a.pl"]
		if now, _ := w.read(name); now != text {
			w.write(name, text)
		}
	}
}

func stamps(name string) func(w *workshop, before map[string]string) {
	return func(w *workshop, _ map[string]string) { w.write(name, time.Now().String()) }
}

func nothing(*workshop, map[string]string) {}

// The first save of a file is built if it comes while a build runs, even the first build, whatever the name is.
func TestBuild_FirstSaveDuringABuild(t *testing.T) {
	for _, name := range []string{"main.go", "a.pl", "style.css", "Makefile", "new.toml"} {
		for label, produce := range map[string]func(*workshop, map[string]string){
			"nothing": nothing, "text": copies("out.js"), "incremental": incremental("out.js"), "stamps": stamps("info.json"),
		} {
			for _, at := range []time.Duration{0, time.Second, 2900 * time.Millisecond} {
				what := fmt.Sprintf("%s, %s, after %s", name, label, at)
				work(t, 3*time.Second, map[string]string{"main.go": "1", "a.pl": "1"}, produce, func(w *workshop) {
					time.Sleep(at)
					synctest.Wait()
					w.write(name, "2")
					w.expect(what, -1, name)
					w.write("main.go", "3")
					w.expect(what, -1, name, "main.go")
				})
			}
		}
	}
}

// What a build writes costs builds until it is known, and none later.
func TestBuild_Outputs(t *testing.T) {
	for _, tt := range []struct {
		label               string
		make                func(w *workshop, before map[string]string)
		first, second, then int
	}{
		{"nothing", nothing, 1, 1, 1},
		{"a text", copies("out.js"), 2, 1, 1},
		{"a text, if it changes", incremental("out.js"), 2, 2, 2},
		{"a program, if it changes", func(w *workshop, before map[string]string) {
			if text := "\x00" + before["main.go"]; w.files["server"] != text {
				w.write("server", text)
			}
		}, 2, 1, 1},
		{"the time", stamps("info.json"), 4, 1, 1},
		{"a program with the time", func(w *workshop, _ map[string]string) { w.write("server", "\x00"+time.Now().String()) }, 2, 1, 1},
		{"a source that is generated", copies("generated.go"), 2, 1, 1},
		{"a temporary file", func(w *workshop, _ map[string]string) {
			w.write("server-go-tmp-umask", "x")
			time.Sleep(maxDelay + time.Second)
			synctest.Wait()
			w.write("server-go-tmp-umask", "")
		}, 1, 1, 1},
		{"a directory that is made again", func(w *workshop, before map[string]string) {
			for _, name := range []string{"a.html", "b.html"} {
				w.write(name, "")
			}
			copies("a.html")(w, before)
			copies("b.html")(w, before)
		}, 2, 1, 1},
	} {
		work(t, 3*time.Second, map[string]string{"main.go": "1"}, tt.make, func(w *workshop) {
			w.expect(tt.label+", first", tt.first, "main.go")
			w.write("main.go", "2")
			w.expect(tt.label+", second", tt.second, "main.go")
			for n := range 5 {
				w.write("main.go", fmt.Sprint(n))
				w.expect(tt.label+", then", tt.then, "main.go")
			}
		})
	}
}

// A build that gives its output another name each time does not follow itself without end: the server starts, and the
// next build waits.
func TestBuild_NewNameEachTime(t *testing.T) {
	for _, name := range []string{"gen%d.py", "app.%d.js", "part-%d.html", "out%d", "log%d.json"} {
		for _, took := range []time.Duration{10 * time.Millisecond, 3 * time.Second} {
			builds := 0
			work(t, took, map[string]string{"main.go": "1"}, func(w *workshop, _ map[string]string) {
				builds++
				w.write(fmt.Sprintf(name, builds), fmt.Sprint(builds))
			}, func(w *workshop) {
				label := fmt.Sprintf("%s after %s", name, took)
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if w.serves("main.go") != "1" {
					t.Errorf("%s: no server has started", label)
				}
				w.expect(label, -1, "main.go")
				w.write("main.go", "2")
				time.Sleep(maxPause + 20*time.Second)
				synctest.Wait()
				if w.serves("main.go") != "2" {
					t.Errorf("%s: the server has %q, after a save", label, w.serves("main.go"))
				}
				w.counted()
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if n := w.counted(); n > 30 {
					t.Errorf("%s: %d builds in 10 minutes while nothing changes", label, n)
				}
				if notes := w.noted(); len(notes) == 0 || !strings.Contains(notes[0], "restarts may cause each other, so") {
					t.Errorf("%s: the user reads %q", label, notes)
				}
			})
		}
	}
}

// A formatter in the build writes the source itself.
func TestBuild_Formatter(t *testing.T) {
	always := func(w *workshop, before map[string]string) { w.write("main.go", strings.TrimSpace(before["main.go"])) }
	ifNeeded := func(w *workshop, before map[string]string) {
		if text := strings.TrimSpace(before["main.go"]); text != before["main.go"] {
			w.write("main.go", text)
		}
	}
	for _, produce := range []func(w *workshop, before map[string]string){always, ifNeeded} {
		work(t, 3*time.Second, map[string]string{"main.go": "1"}, produce, func(w *workshop) {
			for n := range 5 {
				w.expect("formatted", -1, "main.go")
				w.write("main.go", fmt.Sprintf("  %d", n))
			}
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if w.builds > 3 {
				t.Errorf("%d builds for one save", w.builds)
			}
		})
	}
}

// An output that another program writes too, such as a build by hand or the checkout of a branch, is a source then,
// and does not cause builds without end.
func TestBuild_OutputThatOthersWrite(t *testing.T) {
	work(t, 3*time.Second, map[string]string{"main.go": "1"}, copies("out.js"), func(w *workshop) {
		w.expect("first", 2, "main.go")
		w.write("out.js", "by hand")
		w.expect("by hand", -1, "main.go")
		for n := range 5 {
			w.write("main.go", fmt.Sprint(n))
			w.expect("saved", -1, "main.go", "out.js")
		}
		w.write("main.go", "x")
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if w.builds > 3 {
			t.Errorf("%d builds for one save", w.builds)
		}
	})
	work(t, 3*time.Second, map[string]string{"main.go": "1"}, stamps("info.json"), func(w *workshop) {
		w.expect("first", 4, "main.go")
		want := []string{"info.json changed during each of 4 builds: taken for an output of the build, not built again; add --watch=" + flagPath(inW("info.json")) + " to build for it"}
		if !reflect.DeepEqual(w.notes, want) {
			t.Errorf("%q, want %q", w.notes, want)
		}
		w.write("info.json", "by hand")
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if w.served["info.json"] == "" || w.builds > 50 {
			t.Errorf("%d builds, the server has %q", w.builds, w.served["info.json"])
		}
		w.write("main.go", "2")
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.served["main.go"] != "2" {
			t.Errorf("the server has %q", w.served["main.go"])
		}
	})
}

// A build that does not end is ended by each save.
func TestBuild_ThatDoesNotEnd(t *testing.T) {
	work(t, 1000*time.Hour, map[string]string{"main.go": "1"}, nothing, func(w *workshop) {
		time.Sleep(time.Second)
		synctest.Wait()
		for n := range 10 {
			w.write("server.py", fmt.Sprint(n))
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		if w.builds < 7 {
			t.Errorf("%d builds for 10 saves", w.builds)
		}
		w.took = time.Second
		w.write("server.py", "mended")
		time.Sleep(time.Second)
		synctest.Wait()
		w.write("server.py", "mended again")
		w.expect("mended", -1, "server.py")
	})
}

// A file that is saved during each of several builds is not taken for an output while no pause without a build has
// shown that only builds change it: not if another save ends the pause.
func TestBuild_SavedDuringEachBuild(t *testing.T) {
	for _, endsPause := range []bool{false, true} {
		work(t, 3*time.Second, map[string]string{"main.go": "1"}, nothing, func(w *workshop) {
			for n := range 3 { // builds begin after 0, 3 and 6 s
				time.Sleep(time.Second)
				synctest.Wait()
				w.write("style.css", fmt.Sprint(n))
				time.Sleep(2 * time.Second)
				synctest.Wait()
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if endsPause {
				w.write("main.go", "2")
				time.Sleep(time.Second)
				synctest.Wait()
			}
			w.write("style.css", "last")
			w.expect(fmt.Sprintf("ends the pause: %v", endsPause), -1, "main.go", "style.css")
			if len(w.notes) > 0 {
				t.Errorf("%q", w.notes)
			}
		})
	}
}

// randomMakes are builds with random saves.
var randomMakes = []func(*workshop, map[string]string){
	nothing, copies("out.js"), incremental("out.js"), stamps("info.json"), copies("generated.go"),
	func(w *workshop, before map[string]string) { w.write("server", "\x00"+before["main.go"]) },
	func(w *workshop, before map[string]string) {
		copies("out.js")(w, before)
		stamps("info.json")(w, before)
	},
}

// Users save at any pace, and builds write at any pace: the last save of each file is built, and builds end.
func TestBuild_RandomSaves(t *testing.T) {
	for seed := range uint64(300) {
		randomSaves(t, seed)
	}
}

func randomSaves(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 3))
	took := time.Duration(100+random.IntN(5000)) * time.Millisecond
	pace := []int{300, 2000, 8000}[random.IntN(3)]
	names := []string{"main.go", "style.css", "a.pl", "Makefile"}[:1+random.IntN(4)]
	files := map[string]string{"main.go": "1", "style.css": "1", "a.pl": "1"}
	work(t, took, files, randomMakes[random.IntN(len(randomMakes))], func(w *workshop) {
		for n := range 1 + random.IntN(20) {
			time.Sleep(time.Duration(random.IntN(pace)) * time.Millisecond)
			synctest.Wait()
			w.write(names[random.IntN(len(names))], fmt.Sprintf("save %d", n))
		}
		w.expect(fmt.Sprintf("seed %d", seed), -1, names...)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if w.builds > 0 {
			t.Errorf("seed %d: %d builds while nothing changes", seed, w.builds)
		}
	})
}

package inspector

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/session/runs/watch"
	"mcptea/session/tap/control"
)

// Taps are listed at the beginning, after a change, and less and less often while one has no recording:
// that one has no chip. One that cannot be listed leaves the chips as they are.
func TestFollowTaps_Listed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		recorded, unrecorded := control.Info{Name: "shop", Sessions: []control.Session{{Recording: "a"}}}, control.Info{Name: "new"}
		taps, failure := []control.Info{recorded, unrecorded}, error(nil)
		var listed []time.Duration
		var shown []string
		var lock sync.Mutex // of these four
		changes := make(chan watch.Burst)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			followTaps(ctx, changes, func() ([]control.Info, error) {
				lock.Lock()
				defer lock.Unlock()
				listed = append(listed, time.Since(begun).Round(time.Millisecond))
				return taps, failure
			}, func(recorded []control.Info) {
				names := make([]string, len(recorded))
				for i, t := range recorded {
					names[i] = t.Name
				}
				lock.Lock()
				defer lock.Unlock()
				shown = append(shown, strings.Join(names, " "))
			})
		}()
		becomes := func(list []control.Info, err error) {
			lock.Lock()
			defer lock.Unlock()
			taps, failure = list, err
		}
		step := func(what string, wantListed []time.Duration, wantShown []string) {
			t.Helper()
			synctest.Wait()
			lock.Lock()
			defer lock.Unlock()
			if !slices.Equal(listed, wantListed) || !slices.Equal(shown, wantShown) {
				t.Errorf("%s: listed at %v, want %v; shown %q, want %q", what, listed, wantListed, shown, wantShown)
			}
			listed, shown = nil, nil
		}
		const ms = time.Millisecond
		time.Sleep(24 * time.Second)
		step("without a recording", []time.Duration{0, 250 * ms, 750 * ms, 1750 * ms, 3750 * ms, 7750 * ms, 15750 * ms, 23750 * ms}, slices.Repeat([]string{"shop"}, 8))
		changes <- watch.Burst{}
		time.Sleep(400 * ms)
		step("after a change", []time.Duration{24000 * ms, 24250 * ms}, []string{"shop", "shop"})
		becomes([]control.Info{recorded, {Name: "new", Sessions: []control.Session{{Recording: "b"}}}}, nil)
		time.Sleep(time.Hour)
		step("with a recording", []time.Duration{24750 * ms}, []string{"shop new"})
		becomes(nil, errors.New("too many open files"))
		changes <- watch.Burst{}
		step("where they cannot be listed", []time.Duration{24400*ms + time.Hour}, nil)
		becomes(nil, nil)
		changes <- watch.Burst{}
		step("without a tap", []time.Duration{24400*ms + time.Hour}, []string{""})
		cancel()
		<-ended
		step("after the end", nil, nil)
	})
}

// What cannot be watched has no chips, and nothing to stop.
func TestFollowTaps_NoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", file)
	p := &Inspector{Settings: settings.New(&app.App{Ctx: t.Context()})}
	p.FollowTaps()()
}

// A chip opens the newest recording of its tap, whatever its name: two taps can have one.
func TestTaps_RecordingOf(t *testing.T) {
	taps := []control.Info{
		{Name: "shop", Socket: "1", Sessions: []control.Session{{Recording: "a"}, {Recording: "b"}}},
		{Name: "shop", Socket: "2", Sessions: []control.Session{{Recording: "c"}}},
		{Name: "shop", Socket: "3", Sessions: []control.Session{{Recording: "d"}, {}}},
	}
	for socket, want := range map[string]string{
		"1": "b", "2": "c",
		"3": "no session of the tap of shop is being recorded",
		"4": "the tap of shop has ended",
	} {
		got, err := recordingOf(taps, socket, "shop")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("the socket %s: %s, want %s", socket, got, want)
		}
	}
}

package watch

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// storm restarts for a while a server that changes a file a moment after each start, and returns when
// it was restarted.
func storm(t *testing.T, s *started, length, after time.Duration, name func(n int) string) (at []time.Duration) {
	t.Helper()
	begin := time.Now()
	s.restarted(t, "first")
	s.send([]string{name(0)})
	for {
		select {
		case <-s.f.restarts:
			at = append(at, time.Since(begin))
			time.Sleep(after)
			s.send([]string{name(len(at))})
		case <-time.After(length - time.Since(begin)):
			return at
		}
	}
}

// What each start changes slows restarts down, whatever the files are called; the first ones come at
// once, and the user is told why.
func TestLoop_RestartsThatMakeTheChange(t *testing.T) {
	for _, tc := range []struct {
		label, name string
		restarts    int           // in an hour
		pause       time.Duration // the last one
	}{
		{"another name each time", "/src/f#.py", 67, maxPause},
		{"another directory each time", "/src/d#/e", 67, maxPause},
		{"the same source file", "/src/state.py", 361, maxKnownPause},
	} {
		t.Run(tc.label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				name := func(n int) string { return strings.ReplaceAll(tc.name, "#", strconv.Itoa(n)) }
				s := start(t, "")
				at := storm(t, s, time.Hour, 100*time.Millisecond, name)
				if got := at[len(at)-1] - at[len(at)-2]; got != tc.pause+100*time.Millisecond || len(at) != tc.restarts {
					t.Errorf("%d restarts, the last one after %s", len(at), got)
				}
				if at[maxFollowed] >= time.Second || at[maxFollowed+1] < time.Second {
					t.Errorf("restarts at %s", at[:maxFollowed+2])
				}
				base := filepath.Base(name(maxFollowed + 2))
				if note := <-s.notes; !strings.HasPrefix(note, base+" changed soon after a restart, as files did after each of the 3 before: restarts may cause each other, so they now wait up to a minute") || len(s.notes) > 0 {
					t.Errorf("%s, and %d more", note, len(s.notes))
				}
				if st := s.State(); st.Phase != Slowed || !strings.HasPrefix(st.Line(st.Since), "restart in ") || st.Because() != st.Repeated+" changed after the last" {
					t.Errorf("%+v: %s", st, st.Line(st.Since))
				}
			})
		})
	}
}

// While restarts wait, the user can restart at once, by a key or by a file that is saved while all is
// quiet; and when a start changes nothing, the next restart comes at once.
func TestLoop_SlowedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "")
		slow := func() {
			t.Helper()
			for n := 0; s.State().Phase != Slowed; n++ {
				s.send([]string{fmt.Sprintf("/src/f%d.py", n)})
				synctest.Wait()
				for len(s.f.restarts) > 0 {
					<-s.f.restarts
				}
			}
		}
		slow()
		s.Now()
		s.restarted(t, "f3.py saved")
		time.Sleep(time.Minute)
		slow()
		time.Sleep(firstPause - 1)
		s.quiet(t)
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if len(s.f.restarts) != 1 {
			t.Error("no restart after the pause")
		}
		<-s.f.restarts
		for range 4 { // longer than the grace period
			s.send([]string{"/src/g.py"})
			time.Sleep(10 * time.Second)
			for len(s.f.restarts) > 0 {
				<-s.f.restarts
			}
		}
		begin := time.Now()
		s.send([]string{"/src/main.py"})
		if s.restarted(t, "main.py saved"); time.Since(begin) != 0 {
			t.Errorf("a restart without a reason to wait came after %s", time.Since(begin))
		}
		time.Sleep(time.Minute)
		for n := range 7 { // the pause is longer than the grace period
			s.send([]string{fmt.Sprintf("/src/h%d.py", n)})
			synctest.Wait()
			if n < 6 && s.State().Phase == Slowed {
				s.Now()
				synctest.Wait()
			}
		}
		for len(s.f.restarts) > 0 {
			<-s.f.restarts
		}
		if st := s.State(); st.Phase != Slowed {
			t.Fatalf("%+v", st)
		}
		time.Sleep(startGrace + 1)
		s.quiet(t)
		begin = time.Now()
		s.send([]string{"/src/other.py"})
		if s.restarted(t, "2 files saved"); time.Since(begin) != 0 {
			t.Errorf("a save while all is quiet is loaded after %s", time.Since(begin))
		}
	})
}

// Where the next restart would wait, a change at once after a start does not end the attempt, which
// would leave the user without a server; one that comes later does.
func TestLoop_ChangeOfAStartDoesNotEndIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "")
		for n := 0; s.State().Phase != Slowed; n++ {
			s.send([]string{fmt.Sprintf("/src/f%d.py", n)})
			synctest.Wait()
		}
		s.f.hang.Store(true)
		s.Now()
		synctest.Wait()
		for range 3 {
			s.send([]string{"/src/x.py"})
			synctest.Wait()
			if st := s.State(); st.Phase != Restarting {
				t.Errorf("%+v", st)
			}
			time.Sleep(startGrace / 3)
		}
		time.Sleep(time.Nanosecond)
		s.send([]string{"/src/y.py"})
		synctest.Wait()
		if st := s.State(); st.Phase != Slowed || st.Saved != "2 files saved" {
			t.Errorf("%+v", st)
		}
		s.f.hang.Store(false)
		for len(s.f.restarts) > 0 {
			<-s.f.restarts
		}
		time.Sleep(time.Minute)
		if len(s.f.restarts) != 1 {
			t.Errorf("%d restarts after the pause", len(s.f.restarts))
		}
	})
}

// Ten saves within a second, as an agent makes them: the last one is loaded soon, and again and again;
// the file is never left out.
func TestLoop_TenSavesInASecond(t *testing.T) {
	for _, name := range []string{"/src/server.mjs", "/src/Makefile", "/src/prompt.md", "/src/config.json"} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, "")
			s.restarted(t, "first")
			for range 20 {
				var saved time.Time
				for range 10 {
					s.send([]string{name})
					saved = time.Now()
					time.Sleep(100 * time.Millisecond)
				}
				var last time.Time
				for quiet := false; !quiet; {
					select {
					case <-s.f.restarts:
						last = time.Now()
					case <-time.After(time.Minute):
						quiet = true
					}
				}
				if last.Before(saved) || last.Sub(saved) > 2*firstPause {
					t.Fatalf("%s: the last save was loaded %s after it", name, last.Sub(saved))
				}
			}
			if begin := time.Now(); true {
				s.send([]string{name})
				if s.restarted(t, filepath.Base(name)+" saved"); time.Since(begin) != 0 {
					t.Errorf("%s: loaded after %s", name, time.Since(begin))
				}
			}
		})
	}
}

// Who waits for what was saved ends a pause between restarts, and causes one restart; who waits for what is there
// already ends none.
func TestLoop_Want(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "")
		for n := 0; s.State().Phase != Slowed; n++ {
			s.send([]string{fmt.Sprintf("/src/f%d.py", n)})
			synctest.Wait()
			for len(s.f.restarts) > 0 {
				<-s.f.restarts
			}
		}
		begin := time.Now()
		s.Want(s.generation - 1)
		s.quiet(t)
		s.Want(s.generation)
		<-s.f.restarts
		synctest.Wait()
		if took := time.Since(begin); took > 0 || s.State().Phase != Watching {
			t.Errorf("the restart came after %s; %+v", took, s.State())
		}
		s.send([]string{"/src/g.py"})
		synctest.Wait()
		if s.State().Phase != Slowed {
			t.Errorf("%+v", s.State())
		}
	})
}

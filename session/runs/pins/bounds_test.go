package pins

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A file that is too large is not read.
func TestRead_MaxFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcptea.txtar")
	for size, want := range map[int64]string{10: "", 64<<20 + 1: "the file has 67108865 bytes, more than the maximum of 67108864"} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // a hole: it takes no room
			t.Fatal(err)
		}
		text, err := read(path)
		if (err == nil) != (want == "") || err != nil && (!strings.HasSuffix(err.Error(), want) || text != nil) || err == nil && len(text) != int(size) {
			t.Errorf("a file of %d bytes: %d are read, %v", size, len(text), err)
		}
	}
}

// A run of all pins begins after what runs on a connection that has been replaced, and chosen pins
// after it; those that wait hold no lock, so simulated time goes on.
func TestRun_Order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		say := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, text)
		}
		began := time.Now()
		var turns turns
		var wait sync.WaitGroup
		for _, name := range []string{"chosen 1", "chosen 2", "all 1", "all 2", "chosen 3"} {
			before, ended := turns.next(strings.HasPrefix(name, "all"))
			wait.Go(func() {
				before()
				time.Sleep(time.Second)
				say(name + " at " + time.Since(began).String())
				ended()
			})
		}
		wait.Wait()
		slices.Sort(order[:2])
		if got, want := strings.Join(order, ", "), "chosen 1 at 1s, chosen 2 at 1s, all 1 at 2s, all 2 at 3s, chosen 3 at 4s"; got != want {
			t.Errorf("%s; expected %s", got, want)
		}
	})
}

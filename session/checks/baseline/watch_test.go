package baseline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestWatch_FirstUseOfSeveral: taps that begin at the same time with one file each write their
// server to it, and one of the same server finds it there.
func TestWatch_FirstUseOfSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	var offers []*Offer
	for i := range 8 {
		text := strings.Replace(began, "a.js", fmt.Sprintf("%d.js", i), 1) + `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}]}}
`
		offers = append(offers, followed(text).Offers()[0])
	}
	var said sync.Map
	var taps sync.WaitGroup
	for i := range 2 * len(offers) { // two taps of each server
		taps.Go(func() {
			w := NewWatch(path, func(text string) { said.Store(fmt.Sprint(i, text), text) })
			w.listed(offers[i/2], "tools")
		})
	}
	taps.Wait()
	file, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Servers) != len(offers) {
		t.Errorf("the file has %d of %d servers", len(file.Servers), len(offers))
	}
	sentences := 0
	for _, text := range said.Range {
		if sentences++; !strings.Contains(text.(string), "first use is trusted") {
			t.Error(text)
		}
	}
	if sentences != len(offers) {
		t.Errorf("%d first uses of %d servers were said", sentences, len(offers))
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("files beside the baseline: %v", left)
	}
}

// TestUpdate_Unreadable: what a file has is not known, so it stays.
func TestUpdate_Unreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Update(path, func(f *File) (*File, error) { return f, nil })
	if text, _ := os.ReadFile(path); err == nil || string(text) != "{" {
		t.Errorf("%v: %s", err, text)
	}
}

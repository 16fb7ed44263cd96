package baseline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcptea/client/transport"
	"mcptea/lint/baseline"
	"mcptea/record"
)

// play has a watch see a session, which is written as for [followed].
func play(w *baseline.Watch, text string) {
	row := int32(0)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSpace(line)
		if target, ok := strings.CutPrefix(line, "open "); ok {
			w.Event(&record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Target: target}}, row)
			continue
		}
		frame := transport.Frame{Bytes: []byte(line[2:]), Dir: transport.Out}
		if line[0] == '<' {
			frame.Dir = transport.In
		}
		w.Event(&record.Event{Kind: record.KindFrame, Frame: frame}, row)
		row++
	}
}

// TestBaseline_Watch_FirstUseOfSeveral: taps that begin at the same time with one file each write their
// server to it, and one of the same server finds it there.
func TestBaseline_Watch_FirstUseOfSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	var texts []string
	var offers []*baseline.Offer
	for i := range 8 {
		text := strings.Replace(began, "a.js", fmt.Sprintf("%d.js", i), 1) + `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}]}}
`
		texts = append(texts, text)
		offers = append(offers, followed(text).Offers()[0])
	}
	var said sync.Map
	var taps sync.WaitGroup
	for i := range 2 * len(offers) { // two taps of each server
		taps.Go(func() {
			w := baseline.NewWatch(path, func(text string) { said.Store(fmt.Sprint(i, text), text) })
			play(w, texts[i/2])
		})
	}
	taps.Wait()
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := baseline.Parse(written)
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

// TestBaseline_Update_Unreadable: what a file has is not known, so it stays.
func TestBaseline_Update_Unreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := baseline.Update(path, func(f *baseline.File) (*baseline.File, error) { return f, nil })
	if text, _ := os.ReadFile(path); err == nil || string(text) != "{" {
		t.Errorf("%v: %s", err, text)
	}
}

// A device is written but not read, since reading may never end. A directory is not a baseline. Neither is
// replaced.
func TestBaseline_Update_NoRegularFile(t *testing.T) {
	for path, want := range map[string]string{"/dev/zero": "", "/dev/full": "no space left on device", t.TempDir(): "is a directory"} {
		info, err := os.Stat(path)
		if err != nil {
			continue // of another system
		}
		err = baseline.Update(path, func(f *baseline.File) (*baseline.File, error) {
			if len(f.Servers) > 0 || info.IsDir() {
				t.Errorf("%s was read", path)
			}
			return f, nil
		})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if after, err := os.Stat(path); err != nil || after.Mode() != info.Mode() {
			t.Errorf("%s was replaced: %v, %v", path, after, err)
		}
	}
}

// A server that gives itself another name, or another protocol version with other tools, is not used for the first time: the
// user has accepted the target, and nothing is written.
func TestBaseline_Watch_NameOfTheServerIsNoNewServer(t *testing.T) {
	list := func(change ...string) string {
		return strings.NewReplacer(change...).Replace(began + `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x","description":"harmless"}]}}
`)
	}
	first := followed(list()).Offers()[0]
	for _, tt := range []struct {
		name string
		text string
		want string
	}{
		{"another name", list(`"name":"`+first.Name+`"`, `"name":"good2"`), "has another name than in the baseline"},
		{"another version with other tools", list(first.Revision, "2024-11-05", "harmless", "evil"), "offers something else in protocol version 2024-11-05"},
		{"another version with the same tools", list(first.Revision, "2024-11-05"), "first use is trusted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tools.json")
			play(baseline.NewWatch(path, func(string) {}), list())
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			play(baseline.NewWatch(path, func(text string) { said = append(said, text) }), tt.text)
			if len(said) != 1 || !strings.Contains(said[0], tt.want) {
				t.Errorf("%q, want %q", said, tt.want)
			}
			if after, err := os.ReadFile(path); err != nil || (string(after) != string(before)) != strings.Contains(tt.want, "trusted") {
				t.Errorf("the file was changed: %v, %v", string(after) != string(before), err)
			}
		})
	}
}

package stderr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/record/stderr"
)

func TestFrames(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{
			"go", "panic: boom\n\ngoroutine 34 [running]:\nmain.(*Index).page(0xc0001a2000)\n\t/home/dev/src/indexer/index.go:118 +0x1d\nmain.main()\n\t/home/dev/src/indexer/main.go:9 +0x9a",
			[]string{"home/dev/src/indexer/index.go:118", "home/dev/src/indexer/main.go:9"},
		},
		{
			"python", "Traceback (most recent call last):\n  File \"/a b/server.py\", line 3, in <module>\n    main()\n  File \"tools.py\", line 9, in main\nKeyError: 'x'",
			[]string{"tools.py:9", "a b/server.py:3"},
		},
		{
			"node", "/srv/build/index.js:7\n    throw new Error('x')\n\nError: x\n    at f (file:///srv/build/tools.mjs:12:5)\n    at node:internal/main/run_main_module:28:49",
			[]string{"srv/build/index.js:7", "srv/build/tools.mjs:12"},
		},
		{"rust", "thread 'main' panicked at src/main.rs:4:5:\nboom", []string{"src/main.rs:4"}},
		{"none", "listening on localhost:3000\nError: x", nil},
		{"zero", "a.go:0\na.go:99999999999999999999", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.NewReplacer("/home/", dir+"/home/", "/a b/", dir+"/a b/", "/srv/", dir+"/srv/").Replace(tc.text)
			for _, name := range []string{"home/dev/src/indexer/index.go", "home/dev/src/indexer/main.go", "a b/server.py", "tools.py", "srv/build/index.js", "srv/build/tools.mjs", "src/main.rs", "a.go"} {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			// The next one is found when a file is not there.
			var got []string
			for range len(tc.want) + 1 {
				at := stderr.SourceOf(strings.Split(text, "\n"), stderr.Origin{Dir: dir})
				file, line := at.File, at.Line
				if file == "" {
					break
				}
				rel, err := filepath.Rel(dir, file)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%s:%d", filepath.ToSlash(rel), line))
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

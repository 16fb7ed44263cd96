package stderr

import (
	"slices"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []frame
	}{
		{
			"go", "panic: boom\n\ngoroutine 34 [running]:\nmain.(*Index).page(0xc0001a2000)\n\t/home/dev/src/indexer/index.go:118 +0x1d\nmain.main()\n\t/home/dev/src/indexer/main.go:9 +0x9a",
			[]frame{{"/home/dev/src/indexer/index.go", 118}, {"/home/dev/src/indexer/main.go", 9}},
		},
		{
			"python", "Traceback (most recent call last):\n  File \"/a b/server.py\", line 3, in <module>\n    main()\n  File \"tools.py\", line 9, in main\nKeyError: 'x'",
			[]frame{{"tools.py", 9}, {"/a b/server.py", 3}},
		},
		{
			"node", "/srv/build/index.js:7\n    throw new Error('x')\n\nError: x\n    at f (file:///srv/build/tools.mjs:12:5)\n    at node:internal/main/run_main_module:28:49",
			[]frame{{"/srv/build/index.js", 7}, {"/srv/build/tools.mjs", 12}},
		},
		{"rust", "thread 'main' panicked at src/main.rs:4:5:\nboom", []frame{{"src/main.rs", 4}}},
		{"none", "listening on localhost:3000\nError: x", nil},
		{"zero", "a.go:0\na.go:99999999999999999999", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := framesIn(strings.Split(tc.text, "\n")); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

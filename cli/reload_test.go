package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlags_WatchTakesWordsBesideTheTarget(t *testing.T) {
	for _, tt := range []struct{ watch, words, want, rest []string }{
		{watch: []string{watchDefault}, words: []string{"src", "lib"}, want: []string{"src", "lib"}},
		{watch: []string{"src", watchDefault}, words: []string{"lib"}, want: []string{"src", "lib"}},
		{watch: []string{watchDefault}, want: []string{watchDefault}},
		{watch: []string{"src"}, words: []string{"lib"}, want: []string{"src"}, rest: []string{"lib"}},
		{words: []string{"lib"}, rest: []string{"lib"}},
	} {
		f := flags{watch: tt.watch}
		rest := f.takeWatched(tt.words)
		if diff := cmp.Diff([][]string{tt.want, tt.rest}, [][]string{f.watch, rest}); diff != "" {
			t.Errorf("--watch %q and the words %q (-want +got):\n%s", tt.watch, tt.words, diff)
		}
	}
}

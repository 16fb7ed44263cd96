package target

import (
	"testing"

	"mcptea/session/attach"
)

// A connection that cannot be used does not keep --attach from using the only one that can; a connection that the user names is used in any case.
func TestUsable(t *testing.T) {
	tap := attach.Info{ID: "4711", Problem: "the tap serves several hosts"}
	session := attach.Info{ID: "4711-2"}
	for _, tt := range []struct {
		all  []attach.Info
		id   string
		want int
	}{
		{[]attach.Info{tap, session}, AnyShared, 1},
		{[]attach.Info{tap, session}, "4711", 2},
		{[]attach.Info{tap}, AnyShared, 1},
		{nil, AnyShared, 0},
	} {
		if got := usable(tt.all, tt.id); len(got) != tt.want || len(got) == 1 && len(tt.all) == 2 && got[0].ID != "4711-2" {
			t.Errorf("%+v with %q: %+v", tt.all, tt.id, got)
		}
	}
}

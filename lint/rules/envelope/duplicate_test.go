package envelope

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

func TestDuplicates(t *testing.T) {
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `"k%d":{"k":[%d]},`, i, i)
	}
	tests := []struct{ frame, where string }{ // where: pointer and name; empty for none
		{`{}`, ""},
		{`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, ""},
		{`{"a":"a","b":"b\"a\":","c":["a","a"]}`, ""},
		{`{"a":"\\","b":"\\\"","a":1}`, "/a"},
		{`{"a":1,"\u0061":2}`, "/a"},
		{`{"x":[1,{},[{"y":1, "y" :2}]]}`, "/x/2/0/y"},
		{`{"x":{"y":{"a~/b":{"z":1,"z":1}}}}`, "/x/y/a~0~1b/z"},
		{`{"x":{"y":{}},"x":1}`, "/x"},
		{`{` + many.String() + `"x":1}`, ""},
		{`{` + many.String() + `"k7":1}`, "/k7"},
		{`{` + many.String() + `"x":{"k7":1,"k7":1}}`, "/x/k7"},
		{strings.Repeat(`{"a":`, 100) + `{"b":1,"b":2}` + strings.Repeat(`}`, 100), strings.Repeat("/a", 100) + "/b"},
	}
	var d duplicates
	for _, tt := range tests {
		where := ""
		if d.find([]byte(tt.frame), jsonrpc.Scan([]byte(tt.frame)).Special) {
			where = lint.At(append(d.path(), string(d.text(d.levels[len(d.levels)-1].member)))...).Path()
		}
		d.reset()
		if where != tt.where {
			t.Errorf("%s: at %q, want %q", tt.frame, where, tt.where)
		}
	}
}

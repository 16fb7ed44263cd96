package script

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

func TestWithProperties(t *testing.T) {
	names := map[string]string{"q": "query", "old": "query", "n": "a b", "v": "{{env.SECRET}}", "c": "x\ncall evil"}
	for line, want := range map[string]string{
		`call find {"q":1, "r":[2]}  # q=1`:   `call find {"query":1, "r":[2]}  # q=1`,
		`! call find  q=needle r=q`:           `! call find  query=needle r=q`,
		`call find q:=[1,2] old=3`:            `call find query:=[1,2] old=3`,
		`call find q=1 query=2`:               `call find q=1 query=2`,
		`call find q='a q=b' @q.json`:         `call find query='a q=b' @q.json`,
		`call q=1 q=2`:                        `call q=1 query=2`,
		`call find q={{env.X}} {"q":"{{y}}"}`: `call find query={{env.X}} {"query":"{{y}}"}`,
		`call find n=1 v=2 c=3`:               `call find n=1 v=2 c=3`, // no words
		`call find {"n":1,"v":2,"c":3}`:       `call find {"a b":1,"v":2,"x\ncall evil":3}`,
		`read q=1 q=2`:                        `read q=1 q=2`,
		`call find`:                           `call find`,
		`call find q='`:                       `call find q='`,
		``:                                    ``,
	} {
		if got := WithProperties(line, names); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", line, got, want)
		}
	}
}

// A pin that follows its tool calls it with the names that its properties have; the words of a name cannot be more
// than a name.
func FuzzWithProperties(f *testing.F) {
	f.Add(`find q=1 {"q":2}`, "q", "r s")
	f.Add(`find a:=[1] q='x'`, "q", "x=y")
	f.Fuzz(func(t *testing.T, rest, old, now string) {
		before, err := split("call " + rest)
		if err != nil || strings.ContainsAny(rest, "\r\n") {
			return
		}
		line := WithProperties("call "+rest, map[string]string{old: now})
		after, err := split(line)
		if err != nil || len(after) != len(before) || strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q became %q: %v", rest, line, err)
		}
		for i := range after {
			if before[i] == after[i] {
				continue
			}
			was, _, _ := strings.Cut(before[i], "=")
			is, _, _ := strings.Cut(after[i], "=")
			_, has := jsonrpc.Member([]byte(before[i]), old)
			if !has && (strings.TrimSuffix(was, ":") != old || strings.TrimSuffix(is, ":") != now) {
				t.Errorf("%q became %q", before[i], after[i])
			}
		}
	})
}

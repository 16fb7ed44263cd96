package probe

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// A connection may be opened again at any time: who reads its link twice may lock one and unlock
// another, or count in one what came on the other.
func TestLink_IsReadOnce(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	set, reads := token.NewFileSet(), 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			seen := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "link" && len(call.Args) == 0 {
					of := written(s.X)
					if seen[of] {
						t.Errorf("%s: %s.link() is read a second time in %s", set.Position(call.Pos()), of, f.Name.Name)
					}
					seen[of] = true
					reads++
				}
				return true
			})
		}
	}
	if reads < 10 {
		t.Errorf("%d reads of a link were found", reads)
	}
}

// written is an expression of names.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return written(e.X) + "." + e.Sel.Name
	}
	return fmt.Sprintf("%T", e)
}

// What was taken of a connection is not counted of the one that was opened in its place.
func TestTake_AfterOpenedAgain(t *testing.T) {
	c := &Conn{r: &Runner{}}
	send := func(texts ...string) *link {
		l := &link{}
		for _, text := range texts {
			l.extra = append(l.extra, Frame{Dir: transport.In, Bytes: []byte(text)})
		}
		return l
	}
	c.over(send("a", "b"))
	if got := c.Take(); len(got) != 2 {
		t.Errorf("taken %d messages, want 2", len(got))
	}
	c.over(send("c"))
	if got := c.Take(); len(got) != 1 || string(got[0].Bytes) != "c" {
		t.Errorf("of the new connection: %v, want c", got)
	}
	if got := c.Take(); len(got) != 0 {
		t.Errorf("a second time: %v", got)
	}
}

// The response to a request is the one with its id, whatever else the server sends on its
// stream, or on that of another request.
func TestReceived_ForeignIDOnTheStream(t *testing.T) {
	const own, other, stray = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":9999,"result":{}}`
	type received struct {
		text     string
		exchange uint32
	}
	for name, c := range map[string]struct {
		come            []received
		first, second   string // the responses to the requests
		counted         int    // of the first
		firstIsComplete bool
	}{
		"before it":             {come: []received{{stray, 1}, {own, 1}}, first: own, counted: 1, firstIsComplete: true},
		"after it":              {come: []received{{own, 1}, {stray, 1}}, first: own, counted: 1, firstIsComplete: true},
		"in its place":          {come: []received{{stray, 1}, {stray, 1}}, first: stray, counted: 1},
		"on that of the second": {come: []received{{own, 2}, {other, 2}}, first: own, second: other, counted: 1, firstIsComplete: true},
		"twice":                 {come: []received{{own, 1}, {own, 1}}, first: own, counted: 2, firstIsComplete: true},
	} {
		l := &link{}
		first := l.expect([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`), false, true)
		second := l.expect([]byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), false, true)
		first.exchange, second.exchange = 1, 2
		for _, r := range c.come {
			l.received(Frame{}, []byte(r.text), jsonrpc.Scan([]byte(r.text)), r.exchange)
		}
		a, b := l.outcome(first), l.outcome(second)
		if string(a.Frame) != c.first || string(b.Frame) != c.second || len(a.Responses) != c.counted || first.ended != c.firstIsComplete {
			t.Errorf("%s: %s and %s, %d responses, complete: %v", name, a.Frame, b.Frame, len(a.Responses), first.ended)
		}
	}
}

// Of two frames with the same bytes, which are sent at once, each has its own exchange and its own evidence.
func TestSent_SameBytesTwice(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	l := &link{j: &journal{}, carried: map[uint32]int{}}
	first, second := l.expect(frame, false, true), l.expect(frame, false, true)
	for _, sent := range []struct {
		by       *wait
		exchange uint32
	}{{second, 1}, {first, 2}, {nil, 3}} {
		f := transport.Frame{Dir: transport.Out, Bytes: frame, Envelope: jsonrpc.Scan(frame), Exchange: sent.exchange}
		if sent.by != nil {
			f.Sender = sent.by
		}
		l.Frame(f)
	}
	for _, w := range []struct {
		wait          *wait
		exchange, seq int
	}{{first, 2, 2}, {second, 1, 1}} {
		if int(w.wait.exchange) != w.exchange || len(w.wait.evidence) != 1 || w.wait.evidence[0].Seq != w.seq {
			t.Errorf("exchange %d, evidence %v; want exchange %d and frame %d", w.wait.exchange, w.wait.evidence, w.exchange, w.seq)
		}
	}
}

package detail

import (
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
)

func finding(t *testing.T, rule, message string, at lint.Place) lint.Finding {
	t.Helper()
	entry, ok := rules.Lookup(rule)
	if !ok {
		t.Fatal("no rule " + rule)
	}
	f := lint.Finding{Rule: entry, Severity: entry.DefaultSeverity, Fault: lint.Server, Message: message, Hint: "Do this."}
	f.Path, f.Offset = at.Pointer()
	return f
}

func TestFrame_Faults(t *testing.T) {
	b := newBench(t)
	row := b.frame(transport.In, `{"id":7,"result":{"tools":[{"name":"a"}]}}`, 0)
	b.show(row)
	if got := b.screen(70, 20); !strings.Contains(got, `no "jsonrpc" member`) {
		t.Errorf("it is not linted yet:\n%s", got)
	}
	b.found[row] = []lint.Finding{
		finding(t, "J017", "A remark on the tool.", lint.At("result", "tools", 0)),
		finding(t, "J004", `The member "jsonrpc" is missing.`, lint.Whole),
	}
	got := b.screen(70, 20)
	for _, text := range []string{`✗ J004 The member "jsonrpc" is missing.`, "K explains", "J017 A remark on the tool."} {
		if !strings.Contains(got, text) {
			t.Errorf("no %q:\n%s", text, got)
		}
	}
	if strings.Contains(got, `no "jsonrpc" member`) || strings.Index(got, "J004") > strings.LastIndex(got, "J017") {
		t.Errorf("said twice, or the worst not first:\n%s", got)
	}
	b.do("explain")
	got = b.screen(70, 24)
	for _, text := range []string{"✗ J004 jsonrpc-missing", "Do this.", "fix in server, at /result/tools/0"} {
		if !strings.Contains(got, text) {
			t.Errorf("explained, no %q:\n%s", text, got)
		}
	}
}

func TestProblems_MoreThanFit(t *testing.T) {
	b := newBench(t)
	row := b.frame(transport.In, `{"jsonrpc":"2.0","id":7,"result":{}}`, 0)
	for range 20 {
		b.found[row] = append(b.found[row], finding(t, "T011", "A tool has no name.", lint.At("result")))
	}
	b.show(row)
	if got := b.screen(70, 20); !strings.Contains(got, "more; 8 shows all of them") || !strings.Contains(got, `"result": {}`) {
		t.Errorf("the frame is hidden:\n%s", got)
	}
	for h := 3; h < 20; h++ {
		b.do("explain")
		b.screen(40, h)
	}
}

func TestPoint(t *testing.T) {
	b := newBench(t)
	small := b.frame(transport.In, `{"jsonrpc":"2.0","id":7,"result":{"a":[1,2]}}`, 0)
	b.show(small)
	b.p.Point("/result/a/1", -1)
	if got := b.p.view.Path(); got != "$.result.a[1]" {
		t.Errorf("the cursor is at %s", got)
	}
	b.p.Point("", 12)
	if from, to := b.p.Marked(); b.p.mode != Bytes || from != 12 || to != 13 {
		t.Errorf("mode %d, bytes %d to %d", b.p.mode, from, to)
	}
	b.p.Point("", 9999)
	if from, to := b.p.Marked(); to-from != 1 || to != len(b.p.body) {
		t.Errorf("behind the end: bytes %d to %d", from, to)
	}
	large := b.frame(transport.In, `{"jsonrpc":"2.0","id":8,"result":{"t":"`+strings.Repeat("x", smallFrame)+`","deep":{"er":1}}}`, 0)
	b.work = &[]func() func(){}
	b.show(large)
	b.p.Point("/result/deep/er", -1)
	(*b.work)[0]()()
	b.work = nil
	if got := b.p.view.Path(); b.p.mode != Tree || got != "$.result.deep.er" {
		t.Errorf("of a frame that is still being read: mode %d, %s", b.p.mode, got)
	}
	b.show(small)
	b.p.Point("/result", -1)
	b.show(large)
	if got := b.p.view.Path(); got != "$.result" {
		t.Errorf("another frame begins at %s", got)
	}
}

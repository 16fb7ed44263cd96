package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/cputime"
	"mcptea/lint"
)

func resultLine(id int, result string) string {
	return fmt.Sprintf(`S> {"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// A long list of tools, and a long result, take a time in proportion to their size.
func TestLinear_LongToolList(t *testing.T) {
	var tools, blocks, values []string
	for i := range 3000 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":"x","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer","minimum":%d}},"required":["a"]},"outputSchema":{"type":"object","properties":{"v":{"type":"array","items":{"type":"number"}}}}}`, i, i))
		blocks = append(blocks, `{"type":"text","text":"{\"v\":[1,2,3]}"}`)
		values = append(values, fmt.Sprint(i))
	}
	lines := []string{`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, resultLine(1, `{"tools":[`+strings.Join(tools, ",")+`]}`)}
	for id := 10; id < 20; id++ {
		lines = append(lines, fmt.Sprintf(`C> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":{"a":"x","n":5000}}}`, id, id))
		lines = append(lines, resultLine(id, `{"content":[`+strings.Join(blocks, ",")+`],"structuredContent":{"v":[`+strings.Join(values, ",")+`]}}`))
	}
	took := cputime.Of(func() {
		for _, f := range play(t, trace{rule: "T006", context: "25c", lines: lines}) {
			if f.Severity == lint.Error {
				t.Errorf("%s %s %s", f.Rule.ID, f.Path, f.Message)
			}
		}
	})
	if took > 4*time.Second {
		t.Errorf("it took %v", took)
	} else {
		t.Log(took)
	}
}

// A value of another type in any place causes no panic, and each finding has its
// texts.
func TestTrace_OddValues(t *testing.T) {
	token := regexp.MustCompile(`"[^"]*"|\{\}|\[\]|-?\d+|true|false|null|\[[^\[\]]*\]|\{[^{}]*\}`)
	for _, tr := range traces(t, "fires") {
		if tr.rule[0] != 'T' && tr.rule[0] != 'S' {
			continue
		}
		for i, line := range tr.lines {
			if strings.HasPrefix(line, "T+") {
				continue // no message
			}
			for turn, at := range token.FindAllStringIndex(line, -1) {
				if strings.HasPrefix(line[at[1]:], ":") {
					continue // a name
				}
				for n, odd := range []string{`null`, `[]`, `{}`, `[null,[{}],{"a":[]}]`, `""`, `"\ud800"`, `-1e9`, `true`} {
					if !*wholeMatrix && (turn+n)%3 != 0 {
						continue
					}
					lines := slices.Clone(tr.lines)
					lines[i] = line[:at[0]] + odd + line[at[1]:]
					for _, f := range play(t, trace{rule: tr.rule, context: tr.context, lines: lines}) {
						if f.Message == "" || f.Hint == "" {
							t.Errorf("%s has no text for %s", f.Rule.ID, lines[i])
						}
					}
				}
			}
		}
	}
}

// A list that the server writes in another way is the same list, however often it is announced.
func TestN017_OtherSpelling(t *testing.T) {
	found := map[string][]lint.Finding{}
	s := recorder(found)
	for i, name := range []string{`"caf\u00e9"`, `"café"`, `"c\u0061fé"`} {
		s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i+10))
		s.in(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":%s,"description":"d","inputSchema":{"type":"object"}}]}}`, i+10, name))
	}
	if len(found["N017"]) != 1 {
		t.Errorf("%d findings", len(found["N017"]))
	}
}

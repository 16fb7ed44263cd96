package lintfile_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"mcptea/lint"
	"mcptea/lint/lintfile"
)

// Frames of one side, and frames from a response on, are a part of a session. What others decide is judged once both
// sides are seen.
func TestLint_PartOfSession(t *testing.T) {
	const request, result, other = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, `{"jsonrpc":"2.0","id":9,"result":{}}`
	for name, tt := range map[string]struct {
		lines  []string
		isPart bool
		want   string // rules
	}{
		"the server alone":      {[]string{result, other}, true, ""},
		"the client alone":      {[]string{request}, true, ""},
		"from a response on":    {[]string{other, request, result}, true, ""},
		"whole":                 {[]string{request, result, other}, false, "L001 J030"},
		"invalid in a part":     {[]string{`{"jsonrpc":"2.0","id":1,"result":{}}}`, other}, true, "K006"},
		"a recording of a part": {[]string{`{"mcptea":2,"t":1,"tool":"x","transport":"stdio","target":"a","part":true}`, `{"s":1,"t":2,"k":"in","id":9,"n":` + strconv.Itoa(len(other)) + `,"msg":` + other + `}`}, true, ""},
		"a whole recording":     {[]string{`{"mcptea":2,"t":1,"tool":"x","transport":"stdio","target":"a"}`, `{"s":1,"t":2,"k":"in","id":9,"n":` + strconv.Itoa(len(other)) + `,"msg":` + other + `}`}, false, "J030"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			report, err := lintfile.Lint(context.Background(), strings.NewReader(strings.Join(tt.lines, "\n")+"\n"), func(f lint.Finding) { got = append(got, f.Rule.ID) })
			if err != nil || report.IsPart != tt.isPart || strings.Join(got, " ") != tt.want {
				t.Errorf("part %t, rules %q, %v", report.IsPart, got, err)
			}
		})
	}
}

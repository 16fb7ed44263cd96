package shell_test

import (
	"slices"
	"testing"

	"mcptea/internal/shell"
)

func environ(name string) (string, bool) {
	v, ok := map[string]string{"TOKEN": "a b", "EMPTY": ""}[name]
	return v, ok
}

func TestShell_Split(t *testing.T) {
	tests := []struct {
		line string
		want []string
		err  string
	}{
		{"", nil, ""},
		{"  node  server.js\t--x ", []string{"node", "server.js", "--x"}, ""},
		{`a 'b c' "d $TOKEN" e\ f ''`, []string{"a", "b c", "d a b", "e f", ""}, ""},
		{`-H "Authorization: Bearer ${TOKEN}" $EMPTY$TOKEN`, []string{"-H", "Authorization: Bearer a b", "a b"}, ""},
		{`"a\"b\n" 'c$TOKEN\'`, []string{`a"b\n`, `c$TOKEN\`}, ""},
		{`cost $ 5$`, []string{"cost", "$", "5$"}, ""},
		{`a 'b`, nil, "the closing ' is missing"},
		{`a "b`, nil, `the closing " is missing`},
		{`${TOKEN`, nil, "the closing } is missing"},
		{`$NONE`, nil, "the environment variable NONE is not set"},
		{`a\`, []string{"a"}, ""},
	}
	for _, tt := range tests {
		got, err := shell.Split(tt.line, environ)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !slices.Equal(got, tt.want) || text != tt.err {
			t.Errorf("%s: %q, %q; want %q, %q", tt.line, got, text, tt.want, tt.err)
		}
	}
}

func FuzzShell_Split(f *testing.F) {
	f.Add("node server.js --name 'x y'")
	f.Add(`"$A${B}\`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := shell.Split(line, func(string) (string, bool) { return "v", true })
		if err != nil && words != nil {
			t.Errorf("%q: words with an error", line)
		}
	})
}

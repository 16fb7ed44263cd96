package app

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// A report on a terminal has no control or invisible characters; a pipe gets it unchanged.
func TestWriteFile_ReportOnATerminal(t *testing.T) {
	const hostile = "a\x7f\u009b31m\u009d0;x\u009c\u202e\ufe01\u3164b"
	report := map[string]string{"junit": "<a>" + hostile + "</a>\n", "sarif": `{"a":"` + hostile + "\"}\n"}
	for flag, text := range report {
		for _, terminal := range []bool{true, false} {
			var b bytes.Buffer
			p := &App{Out: &Screen{Writer: &b, Terminal: terminal}}
			err := p.WriteReport(Report{flag, "-"}, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case !terminal && b.String() != text:
				t.Errorf("%s on a pipe is %q", flag, &b)
			case terminal && strings.ContainsAny(b.String(), "\x7f\u009b\u009c\u009d\u202e\ufe01\u3164"):
				t.Errorf("%s on a terminal is %q", flag, &b)
			}
			var value struct{ A string }
			if flag == "sarif" && (json.Unmarshal(b.Bytes(), &value) != nil || value.A != hostile) {
				t.Errorf("the JSON is %s", &b)
			}
			if flag == "junit" && xml.Unmarshal(b.Bytes(), new(struct{})) != nil {
				t.Errorf("the XML is %s", &b)
			}
		}
	}
}

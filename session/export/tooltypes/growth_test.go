package tooltypes_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"mcptea/session/export/tooltypes"
)

// many joins the texts of a format with the numbers up to n.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.Contains(format, "%") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

// Twice the bytes of a schema lead to at most 2.4 times the file and the memory: a long name is not repeated for each of
// many parts, and a definition is not read again for each of many references.
func TestWrite_Linear(t *testing.T) {
	long := func(n int) string { return strings.Repeat("n", n/2) }
	forms := map[string]func(n int) tooltypes.Tool{
		"a long field over many objects": func(n int) tooltypes.Tool {
			return tooltypes.Tool{Name: "t", Input: []byte(`{"properties":{"` + long(n) + `":{"properties":{` + many(n/120, `"a%d":{"properties":{"x":{"type":"string"}}}`) + `}}}}`)}
		},
		"a long tool over many definitions": func(n int) tooltypes.Tool {
			return tooltypes.Tool{Name: long(n), Input: []byte(`{"properties":{` + many(n/140, `"a%[1]d":{"$ref":"#/$defs/d%[1]d"}`) + `},"$defs":{` + many(n/140, `"d%d":{"properties":{"x":{"type":"string"}}}`) + `}}`)}
		},
		"a long field over many choices": func(n int) tooltypes.Tool {
			return tooltypes.Tool{Name: "t", Input: []byte(`{"properties":{"` + long(n) + `":{"anyOf":[` + many(n/100, `{"properties":{"x%d":{"type":"string"}}}`) + `]}}}`)}
		},
		"a long field with many values": func(n int) tooltypes.Tool {
			return tooltypes.Tool{Name: "t", Input: []byte(`{"properties":{"` + long(n) + `":{"enum":[` + many(n/20, `"v%d"`) + `]}}}`)}
		},
		"a type that is there many times": func(n int) tooltypes.Tool {
			return tooltypes.Tool{Name: "t", Input: []byte(`{"properties":{"x":{"type":[` + many(n/20, `"array"`) + `],"items":{"enum":[` + many(n/20, `"v%d"`) + `]}}}}`)}
		},
		"many references to a large definition": func(n int) tooltypes.Tool {
			return tooltypes.Tool{Name: "t", Input: []byte(`{"allOf":[` + many(n/40, `{"$ref":"#/$defs/d","x":%d}`) + `],"$defs":{"d":{"required":[` + many(n/12, `"r%d"`) + `]}}}`)}
		},
	}
	for name, form := range forms {
		for _, l := range []tooltypes.Language{tooltypes.TypeScript, tooltypes.Go, tooltypes.Python} {
			var size, memory [2]float64
			for i, n := range []int{100_000, 200_000} {
				tool := form(n)
				var b counter
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := tooltypes.Write(&b, l, "s", []tooltypes.Tool{tool}); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				size[i], memory[i] = float64(b), float64(after.TotalAlloc-before.TotalAlloc)
			}
			if size[1] > 2.4*size[0]+10_000 || memory[1] > 2.4*memory[0]+1e6 {
				t.Errorf("%s, %s: %.0f then %.0f bytes of the file, %.0f then %.0f of memory", name, l.Name, size[0], size[1], memory[0], memory[1])
			}
		}
	}
}

// counter counts the bytes that are written to it.
type counter int

var _ io.Writer = new(counter)

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// The first lines of a file have no text of the server: Python reads its encoding from them.
func TestWrite_NoEncodingOfTheServer(t *testing.T) {
	var b strings.Builder
	if _, err := tooltypes.Write(&b, tooltypes.Python, "x coding: utf-7 x", nil); err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	if first != "# -*- coding: utf-8 -*-" || strings.Contains(second, "utf-7") {
		t.Errorf("the file begins with %q, %q", first, second)
	}
}

//go:build unix

package jsonview

import (
	"bytes"
	"strings"
	"testing"

	"mcptea/internal/test/guard"
)

// Painting a line must not read its value to the end.
func TestRows_DoNotReadLongValues(t *testing.T) {
	long := strings.Repeat("QUJD", 1<<18)
	for name, text := range map[string]string{
		"member":  `{"a":1,"data":"` + long + `" , "z":[1]}`,
		"element": `["a","` + long + `",2]`,
		"last":    `{"a":{"data":"` + long + `"}}`,
		"number":  `[1,` + strings.Repeat("7", 1<<20) + `,2]`,
	} {
		t.Run(name, func(t *testing.T) {
			memory := guard.New(t, []byte(text))
			doc, err := Parse(memory.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			v := NewView(doc)
			from := bytes.IndexAny(memory.Bytes, "Q7")
			memory.Forbid(from+64<<10, len(memory.Bytes)-64<<10, "painting", func() {
				for range doc.Len() {
					rows(v, 80, 20)
					v.Path()
					v.Span()
					v.Move(1)
				}
			})
		})
	}
}

// The path of an element must not be counted from the start of its array, and
// the number of members of a folded container not at all.
func TestPath_ReadsNoOtherElements(t *testing.T) {
	memory := guard.New(t, []byte(`{"a":[`+strings.Repeat("[1],{},", 200000)+`2]}`))
	doc, err := Parse(memory.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	v := NewView(doc)
	memory.Forbid(64<<10, len(memory.Bytes)-64<<10, "moving", func() {
		v.End()
		v.Move(-2)
		rows(v, 80, 20)
		if got := v.Path(); got != "$.a[400000]" {
			t.Errorf("the path is %s", got)
		}
		v.Parent()
		v.Fold()
		if got := rows(v, 80, 2); !strings.Contains(got, `"a": [ 400,001 ]`) {
			t.Errorf("painted\n%s", got)
		}
	})
}

package reduce

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/internal/jsontree"
	"mcptea/session/record/store"
	"mcptea/session/runs/provenance"
)

// The shortest texts of a recording that [Left] looks for.
const (
	minLeftText = 3 // bytes of a string or of the name of a member
	minLeftWord = 5 // bytes of a word of a longer string, and of a number
)

// Left returns the texts of a recording that another text still has as words of their own: strings, words of longer
// strings, names of members and long numbers of all its frames, and the words of its target, sorted. Texts of the
// protocol and known ones are left out, and left is never nil; known are names of the server that a case needs.
func Left(st *store.Store, text string, known map[string]bool) (left []string, err error) {
	left = []string{}
	seen := map[string]bool{}
	look := func(s string) {
		if len(s) < minLeftText || seen[s] || known[s] || isVocabulary(s) {
			return
		}
		seen[s] = true
		if provenance.Contains(text, s) {
			left = append(left, s)
		}
	}
	for i := range int32(st.Snapshot().Rows) {
		row, ok := st.Row(i)
		if !ok || !row.IsFrame() {
			continue
		}
		raw, err := st.Body(i)
		if err != nil {
			return nil, err
		}
		body, ok := jsontree.Decode(raw)
		if !ok {
			body = string(raw)
		}
		jsontree.Walk(body, func(at jsontree.Place, v any) bool {
			lookAt(at, v, look)
			return true
		})
	}
	for _, word := range strings.Fields(st.Header().Target) {
		look(word)
	}
	slices.Sort(left)
	return left, nil
}

// lookAt calls look with the texts of a value of a frame.
func lookAt(at jsontree.Place, v any, look func(string)) {
	switch x := v.(type) {
	case map[string]any:
		for name := range x {
			look(name)
		}
	case string:
		look(x)
		isBetween := func(r rune) bool { return strings.ContainsRune(" \n\t,;:(){}[]\"'/", r) }
		for _, word := range strings.FieldsFunc(x, isBetween) {
			if len(word) >= minLeftWord {
				look(word)
			}
		}
	case json.Number:
		if len(x) >= minLeftWord && at.Pointer() != "/error/code" {
			look(x.String())
		}
	}
}

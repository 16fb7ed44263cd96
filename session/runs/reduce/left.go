package reduce

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/internal/jsontree"
	"mcptea/lint/lintfile"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/runs/provenance"
)

// The shortest texts of a recording for which [Left] searches.
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
	for tail := st.NewTail(); ; {
		e, _, ok, err := tail.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if e.Kind == record.KindFrame {
			body, ok := jsontree.Decode(e.Frame.Bytes)
			if !ok {
				body = string(e.Frame.Bytes)
			}
			jsontree.Walk(body, func(at jsontree.Place, v any) bool {
				lookAt(at, v, look)
				return true
			})
		} else if body, ok := jsontree.Decode(record.AppendEvent(nil, 1, &e)); ok {
			jsontree.Walk(body, func(at jsontree.Place, v any) bool {
				if names, isObject := v.(map[string]any); isObject && len(at) > 0 {
					v = withoutHeaders(names)
				}
				if len(at) > 0 && !isOfFormat(at) {
					lookAt(at, v, look)
				}
				return true
			})
		}
	}
	for _, word := range strings.Fields(st.Header().Target) {
		look(word)
	}
	slices.Sort(left)
	return left, nil
}

// withoutHeaders returns an object without the names of known headers.
func withoutHeaders(names map[string]any) map[string]any {
	names = maps.Clone(names)
	maps.DeleteFunc(names, func(name string, _ any) bool { return isHeader(name) })
	return names
}

// isOfFormat reports whether the value at a place of the line of an event is one of the format of recordings.
func isOfFormat(at jsontree.Place) bool {
	return len(at) == 1 && (at[0] == "s" || at[0] == "t" || at[0] == "k" || slices.Contains(fixedMembers, fmt.Sprint(at[0])))
}

// Left is like [Left], for the text of the finding.
func (f *Finding) Left(st *store.Store) (left []string, err error) {
	known := map[string]bool{}
	if f.IsRecording { // the words of its format are not the user's
		for line := range strings.Lines(f.Text) {
			body, _ := jsontree.Decode([]byte(line))
			jsontree.Walk(body, func(at jsontree.Place, v any) bool {
				switch x := v.(type) {
				case map[string]any:
					for name := range x {
						known[name] = known[name] || len(at) == 0
					}
				case string:
					known[x] = known[x] || isOfFormat(at) || x == tool
				}
				return len(at) == 0
			})
		}
		for _, word := range strings.Fields(tool) {
			known[word] = true
		}
	}
	for _, word := range strings.Fields(lintfile.PartLine) {
		known[word] = true
	}
	return Left(st, f.Text, known)
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

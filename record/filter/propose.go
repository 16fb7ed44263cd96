package filter

import (
	"strings"
	"unicode"

	"mcptea/internal/words/phrase"
	"mcptea/record/store"
)

// Propose returns a filter that matches the frame of a row and similar frames: by its tool, its method or its
// kind, and by its direction. It returns "" for a row that is not a frame.
func Propose(s *store.Store, row int32) string {
	r, ok := s.Row(row)
	if !ok || !r.IsFrame() {
		return ""
	}
	fr := Frame{Row: &r, Method: s.Method(r.Method)}
	fr.OfRow(s, s.NewScanner())
	var candidates []string
	if tool := fr.Tool(); tool != "" {
		candidates = append(candidates, toolProperty+":"+value(tool))
	}
	if fr.Method != "" && fr.Method != store.ManyMethods {
		candidates = append(candidates, "method:"+value(fr.Method))
	}
	if r.IsEvent() {
		candidates = append(candidates, "kind:event")
	} else {
		candidates = append(candidates, "kind:"+r.Kind.String())
	}
	for _, text := range candidates {
		text += " dir:" + r.Dir.String()
		if f, err := Parse(text); err == nil && isTypable(text) && f.Match(&fr) {
			return text
		}
	}
	return "dir:" + r.Dir.String()
}

// value returns a value in filter syntax, quoted if necessary.
func value(text string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_./:$", r) || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return Quote(text)
}

// isTypable reports whether a text field keeps a text unchanged.
func isTypable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !phrase.IsPlain(r) || r == unicode.ReplacementChar }) < 0
}

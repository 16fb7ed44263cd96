package reduce

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/internal/jsontree"
)

// trees writes frames from their trees instead of their bytes, where the finding is not about the bytes.
func (s *shrinker) trees() {
	with := func(which func(i int) bool) []Frame {
		now := slices.Clone(s.frames)
		for i := range now {
			if now[i].Body != nil && which(i) {
				now[i].raw = nil
			}
		}
		return now
	}
	if s.try(with(func(int) bool { return true })) {
		return
	}
	for i := range s.frames {
		s.try(with(func(n int) bool { return n == i }))
	}
}

// members leaves out members and elements, from the outside inwards. Those of JSON-RPC are kept.
func (s *shrinker) members(i int, at jsontree.Place) {
	v, ok := jsontree.Get(s.frames[i].tree(), at...)
	if !ok || jsontree.IsLeaf(v) || s.ended() {
		return
	}
	if (len(at) > 0 || !s.frames[i].IsFrame()) && jsontree.Size(v) > 0 {
		with := func(keep []int) []Frame {
			now := slices.Clone(s.frames)
			now[i].Body = jsontree.Keep(v, keep)
			if len(at) > 0 {
				now[i].Body = jsontree.Set(jsontree.Clone(s.frames[i].Body), at, now[i].Body)
			}
			return now
		}
		s.frames = with(minimize(jsontree.Size(v), func(keep []int) bool { return !s.ended() && s.holds(with(keep)) }))
	}
	v, _ = jsontree.Get(s.frames[i].Body, at...)
	switch x := v.(type) {
	case map[string]any:
		for _, name := range jsontree.Names(x) {
			s.members(i, at.Below(name))
		}
	case []any:
		for n := range x {
			s.members(i, at.Below(n))
		}
	}
}

// texts replaces the texts that a user or a server chose, as values and as names of members, each in all its
// places together.
func (s *shrinker) texts() {
	for n, text := range chosenTexts(s.frames) {
		before := s.frames
		others := map[string]bool{}
		for _, other := range chosenTexts(before) {
			others[other] = true
		}
		s.text(text, n, func(to string) []Frame {
			if others[to] || isVocabulary(to) {
				return nil // two different texts must stay different
			}
			now := copyOf(before)
			for i := range now {
				if now[i].tree() != nil {
					now[i].Body = jsontree.Rename(now[i].Body, text, to)
				}
			}
			return now
		})
	}
}

// bytes replaces the words of frames that are written as bytes.
func (s *shrinker) bytes() {
	for i := range s.frames {
		if s.frames[i].raw == nil {
			continue
		}
		before := s.frames
		s.text(string(before[i].raw), i, func(to string) []Frame {
			now := slices.Clone(before)
			now[i].raw = []byte(to)
			now[i].Body, _ = jsontree.Decode(now[i].raw)
			return now
		})
	}
}

// text replaces a text by an invented one, or else as many of its words as possible. with returns the frames with another
// text in its place, or nil. The words that the finding needs are kept.
func (s *shrinker) text(text string, n int, with func(to string) []Frame) {
	if s.ended() {
		s.found.Kept = append(s.found.Kept, text)
		return
	}
	take := func(to string) bool {
		now := with(to)
		return now != nil && !s.ended() && s.try(now)
	}
	for _, to := range invented(text, n) {
		if to != text && take(to) {
			s.found.Invented++
			return
		}
	}
	words := wordsAndRest(text)
	shorter := minimize(len(words), func(keep []int) bool { return take(written(words, keep, nil)) })
	isShorter := len(shorter) < len(words)
	words = strings.SplitAfter(written(words, shorter, nil), "") // in case the whole text is one word
	if all := wordsAndRest(strings.Join(words, "")); len(all) > 1 {
		words = all
	}
	shaped := func(word string) string { return shape(word, n) }
	needed := minimize(len(words), func(keep []int) bool { return take(written(words, keep, shaped)) })
	if isShorter || len(needed) < len(words) {
		s.found.Invented++
	}
	var run strings.Builder
	last := -1
	end := func() {
		if word := run.String(); len(word) >= minLeftText && shape(word, n) != word && !isVocabulary(word) {
			s.found.Kept = append(s.found.Kept, word)
		}
		run.Reset()
	}
	for _, i := range needed {
		if i != last+1 {
			end()
		}
		run.WriteString(words[i])
		last = i
	}
	end()
}

// numbers replaces numbers by simple ones, except for ids and codes of errors.
func (s *shrinker) numbers() {
	for i := range s.frames {
		for _, leaf := range jsontree.Leaves(s.frames[i].tree()) {
			if s.ended() {
				return
			}
			number, ok := leaf.Value.(json.Number)
			if !ok || len(leaf.At) == 1 && s.frames[i].IsFrame() || leaf.At.Pointer() == "/error/code" {
				continue
			}
			for _, to := range []json.Number{"0", "1", json.Number(shape(number.String(), 0))} {
				if to == number {
					break
				}
				now := slices.Clone(s.frames)
				now[i].Body = jsontree.Set(jsontree.Clone(now[i].Body), leaf.At, to)
				if s.try(now) {
					s.found.Invented++
					break
				}
			}
		}
	}
}

package reduce

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/jsontree"
	"mcptea/session/checks/lint"
	"mcptea/session/checks/lintfile"
)

// Finding is a dialogue reduced to what a finding of a rule needs.
type Finding struct {
	Frames  []Frame
	Rule    *lint.Entry
	Message string // of the finding in the reduced dialogue
	Checks  int    // candidates that were checked
	// Kept are texts of the recording without which there is no such finding.
	Kept []string
	// Limited reports that the reduction ended before nothing more could go.
	Limited bool
}

// maxChecked bounds the bytes of all candidates that the linter checks: each of them is a whole dialogue. It takes some
// seconds.
const maxChecked = 128 << 20

// Findings returns the findings of the linter in frames, in its order. Their rows are numbers of frames, from 1.
func Findings(ctx context.Context, frames []Frame) (all []lint.Finding) {
	_, _ = lintfile.Lint(ctx, strings.NewReader(Text(frames)), func(f lint.Finding) { all = append(all, f) })
	return all
}

// shrinker reduces a dialogue.
type shrinker struct {
	ctx      context.Context
	frames   []Frame // the smallest so far
	want     lint.Finding
	form     string // of the value at its place
	found    Finding
	checked  int             // bytes of the candidates
	errors   map[string]bool // that a candidate may have, by rule and place; nil for any
	progress func(frames, checks int)
}

// ToFinding reduces a dialogue to what a finding needs; want is one of [Findings] for it. It sends nothing. If ctx ends,
// the result is the smallest dialogue so far. progress is called after each check, and may be nil.
func ToFinding(ctx context.Context, frames []Frame, want lint.Finding, progress func(frames, checks int)) Finding {
	s := &shrinker{ctx: ctx, frames: frames, want: want, form: formAt(frames, &want), progress: progress}
	s.found.Rule = want.Rule
	s.try(s.upTo())
	s.frames = withoutUnits(s.frames, s.ended, s.holds)
	s.errors = map[string]bool{} // leaving out members makes no others
	for _, f := range Findings(ctx, s.frames) {
		s.errors[ruleAndPlace(&f)] = true
	}
	for i := range s.frames {
		s.members(i, nil)
	}
	s.frames = withoutUnits(s.frames, s.ended, s.holds)
	s.texts()
	s.numbers()
	s.found.Limited = s.ended()
	s.ctx = context.WithoutCancel(ctx)
	s.holds(s.frames) // for its message
	s.found.Frames = s.frames
	return s.found
}

// upTo returns the frames up to the last one that the finding is about.
func (s *shrinker) upTo() []Frame {
	last := max(s.want.Row, slices.Max(append(s.want.Related, 0)))
	if last <= 0 || int(last) > len(s.frames) {
		return s.frames
	}
	return s.frames[:last]
}

func (s *shrinker) ended() bool { return s.checked >= maxChecked || s.ctx.Err() != nil }

// try takes a candidate that has the finding.
func (s *shrinker) try(frames []Frame) bool {
	ok := s.holds(frames)
	if ok {
		s.frames = frames
	}
	return ok
}

// holds reports whether the linter has the finding in a candidate: that of the rule at the same place, with a value of
// the same form there and the same sentence. Another finding of the rule is another bug.
func (s *shrinker) holds(frames []Frame) bool {
	if s.ended() {
		return false
	}
	s.found.Checks++
	for _, f := range frames {
		s.checked += f.size
	}
	if s.progress != nil {
		s.progress(len(s.frames), s.found.Checks)
	}
	ok := false
	for _, f := range Findings(s.ctx, frames) {
		if s.errors != nil && f.Severity == lint.Error && !s.errors[ruleAndPlace(&f)] {
			return false
		}
		if f.Rule.ID == s.want.Rule.ID && f.Fault == s.want.Fault && generalPlace(f.Path) == generalPlace(s.want.Path) &&
			alike(f.Message, s.want.Message) && formAt(frames, &f) == s.form {
			s.found.Message, ok = f.Message, true
		}
	}
	return ok
}

func ruleAndPlace(f *lint.Finding) string { return f.Rule.ID + " " + generalPlace(f.Path) }

// generalPlace returns a JSON Pointer with "*" for indexes, and for names that the user or the server chose.
func generalPlace(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		isIndex := p != "" && strings.Trim(p, "0123456789") == ""
		isChosen := i > 0 && slices.Contains([]string{"structuredContent", "arguments", "properties", "content", "data"}, parts[i-1])
		if isIndex || isChosen {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// formAt describes the value at the place of a finding: its type, and for an object those of its members that the
// protocol names, with their values if the protocol has them, too.
func formAt(frames []Frame, f *lint.Finding) string {
	if f.Row < 1 || int(f.Row) > len(frames) {
		return ""
	}
	v := frames[f.Row-1].Body
	for _, part := range jsonrpc.SplitPointer(f.Path) {
		var step any = part
		if n, err := strconv.Atoi(part); err == nil {
			if _, isArray := v.([]any); isArray {
				step = n
			}
		}
		below, ok := jsontree.Get(v, step)
		if !ok {
			return ""
		}
		v = below
	}
	object, isObject := v.(map[string]any)
	if !isObject {
		return fmt.Sprintf("%T", v)
	}
	var b strings.Builder
	for _, name := range jsontree.Names(object) {
		value := object[name]
		if !isVocabulary(name) || !jsontree.IsLeaf(value) {
			continue
		}
		fmt.Fprintf(&b, "%s %T", name, value)
		if text, ok := value.(string); ok && isVocabulary(text) {
			b.WriteString(" " + text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// members leaves members and elements out, from the outside.
func (s *shrinker) members(i int, at jsontree.Place) {
	v, ok := jsontree.Get(s.frames[i].Body, at...)
	if !ok || jsontree.IsLeaf(v) || s.ended() {
		return
	}
	if len(at) > 0 && jsontree.Size(v) > 0 {
		with := func(keep []int) []Frame {
			now := slices.Clone(s.frames)
			now[i].Body = jsontree.Set(jsontree.Clone(now[i].Body), at, jsontree.Keep(v, keep))
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

// texts replaces the texts that a user or a server chose, as values and as names of members, each at all its places at once.
func (s *shrinker) texts() {
	for n, text := range chosenTexts(s.frames) {
		if s.ended() {
			s.found.Kept = append(s.found.Kept, text)
			continue
		}
		replaced := false
		for _, to := range []string{string(rune('a' + n%26)), fmt.Sprintf("%c%d", rune('a'+n%26), n), shape(text, n)} {
			if to == text || slices.Contains(chosenTexts(s.frames), to) || isVocabulary(to) {
				continue
			}
			now := copyOf(s.frames)
			for i := range now {
				now[i].Body = jsontree.Rename(now[i].Body, text, to)
			}
			if replaced = s.try(now); replaced {
				break
			}
		}
		if !replaced && shape(text, n) != text {
			s.found.Kept = append(s.found.Kept, text)
		}
	}
}

// chosenTexts returns the texts of frames that are not of the protocol, sorted.
func chosenTexts(frames []Frame) []string {
	methods, texts := map[string]bool{}, map[string]bool{}
	for _, f := range frames {
		if method, ok := jsontree.Get(f.Body, "method"); ok {
			text, _ := method.(string)
			methods[text] = true
		}
		jsontree.Walk(f.Body, func(_ jsontree.Place, v any) bool {
			switch x := v.(type) {
			case map[string]any:
				for name := range x {
					texts[name] = true
				}
			case string:
				texts[x] = true
			}
			return true
		})
	}
	var all []string
	for text := range texts {
		if text != "" && !methods[text] && !isVocabulary(text) {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

// numbers replaces numbers by simple ones, except for ids and codes of errors.
func (s *shrinker) numbers() {
	for i := range s.frames {
		for _, leaf := range jsontree.Leaves(s.frames[i].Body) {
			if s.ended() {
				return
			}
			number, ok := leaf.Value.(json.Number)
			if !ok || len(leaf.At) == 1 || leaf.At.Pointer() == "/error/code" {
				continue
			}
			for _, to := range []json.Number{"0", "1", json.Number(shape(number.String(), 0))} {
				if to == number {
					break
				}
				now := slices.Clone(s.frames)
				now[i].Body = jsontree.Set(jsontree.Clone(now[i].Body), leaf.At, to)
				if s.try(now) {
					break
				}
			}
		}
	}
}

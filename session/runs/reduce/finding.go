package reduce

import (
	"context"
	"slices"
	"strings"

	"mcptea/internal/jsontree"
	"mcptea/lint"
	"mcptea/record/store"
)

// Finding is a dialogue reduced to the frames that a finding of a rule needs.
type Finding struct {
	Frames  int // number of frames that are left
	Rule    *lint.Entry
	Message string // message of the finding in the reduced dialogue
	Text    string // the reduced dialogue: a file for mcptea lint
	// IsRecording reports that Text is a recording, because the finding needs more than frames.
	IsRecording bool
	Checks      int // candidates that were checked
	Invented    int // values and names that were replaced
	// Kept contains texts of the recording that the finding needs.
	Kept []string
	// Limited reports that the reduction ended before nothing more could go.
	Limited bool
}

// Progress is the progress of a reduction.
type Progress struct{ Frames, Checks int }

// maxChecked bounds the total size of the candidates that the linter checks: each of them is a whole dialogue.
// Checking them takes some seconds.
const maxChecked = 64 << 20

// Findings returns the findings of the linter in a dialogue, in its order. Their rows are indexes of frames, or -1.
func (d *Dialogue) Findings(ctx context.Context) []lint.Finding {
	all, _, _ := form{isRecording: true, isPart: d.header.Part, keepsTimes: true, transport: d.header.Transport}.lint(ctx, d.Frames)
	return all
}

// Lookup returns the finding of [Dialogue.Findings] with the rule, place and row of a finding of the store. ok
// is false if there is none.
func Lookup(ctx context.Context, all []Dialogue, want *lint.Finding) (d *Dialogue, found lint.Finding, ok bool) {
	for i := range all {
		for _, f := range all[i].Findings(ctx) {
			row := store.None
			if f.Row >= 0 {
				row = all[i].Frames[f.Row].Row
			}
			if f.Rule == want.Rule && f.Path == want.Path && f.Fault == want.Fault && (row == want.Row || f.Row < 0 && want.Row < 0) {
				return &all[i], f, true
			}
		}
	}
	return nil, found, false
}

// Worst returns the worst finding of dialogues, preferably one about the server, or the first one of a rule if its id is not
// empty. Without a rule it is an error or a warning. ok is false if there is none.
func Worst(ctx context.Context, all []Dialogue, rule string) (d *Dialogue, want lint.Finding, ok bool) {
	for i := range all {
		for _, f := range all[i].Findings(ctx) {
			isWanted := rule == "" && f.Severity != lint.Info || strings.EqualFold(f.Rule.ID, rule)
			if isWanted && (d == nil || rule == "" && isWorse(&f, &want)) {
				d, want = &all[i], f
			}
		}
	}
	return d, want, d != nil
}

// isWorse reports whether finding a is more likely the bug than b: it is more severe, or about the server.
func isWorse(a, b *lint.Finding) bool {
	if a.Severity != b.Severity {
		return a.Severity < b.Severity
	}
	return a.Fault == lint.Server && b.Fault != lint.Server
}

// RequestOf returns the row of the last request of the client up to a finding: the request that leads to it, or -1.
func (d *Dialogue) RequestOf(f *lint.Finding) int32 {
	last := f.Row
	if last < 0 {
		last = int32(len(d.Frames)) - 1
	}
	if x := &d.Frames[last]; x.IsFrame() && x.Unit != x.Row {
		return x.Unit
	}
	for i := last; i >= 0; i-- {
		if _, isMessage := jsontree.Get(d.Frames[i].Body, "method"); d.Frames[i].IsFrame() && d.Frames[i].Out && isMessage {
			return d.Frames[i].Row
		}
	}
	return -1
}

// shrinker reduces a dialogue.
type shrinker struct {
	ctx      context.Context
	form     form
	frames   []Frame // the smallest so far
	want     lint.Finding
	value    string // form of the value at the place of the finding
	found    Finding
	checked  int             // bytes of the candidates
	others   map[string]bool // errors and warnings that a candidate may have, by rule and place
	progress func(Progress)
}

// ToFinding reduces a dialogue to the frames that a finding needs. want is one of its [Dialogue.Findings].
// ToFinding sends nothing. If ctx ends, the result is the smallest dialogue so far. progress is called after
// each check, and may be nil. ok is false if no file has the finding.
func (d *Dialogue) ToFinding(ctx context.Context, want lint.Finding, progress func(Progress)) (found Finding, ok bool) {
	s := &shrinker{ctx: context.WithoutCancel(ctx), frames: d.Frames, want: want, value: formAt(d.Frames, &want), progress: progress}
	s.found.Rule = want.Rule
	if !s.begin(d) {
		return s.found, false
	}
	s.ctx = ctx
	s.try(s.upTo())
	s.frames = withoutUnits(s.frames, s.ended, s.holds)
	s.others = map[string]bool{} // from here on, only findings that are still there may occur: removed ones must not come back
	all, _, _ := s.form.lint(context.WithoutCancel(ctx), s.frames)
	for i := range all {
		s.others[ruleAndPlace(&all[i])] = true
	}
	s.trees()
	for i := range s.frames {
		s.members(i, nil)
	}
	s.frames = withoutUnits(s.frames, s.ended, s.holds)
	s.texts()
	s.bytes()
	for range 2 { // a number may be compared with a later one
		s.numbers()
	}
	s.found.Limited = s.ended()
	s.ctx, s.checked = context.WithoutCancel(ctx), 0
	if !s.holds(s.frames) { // sets the message
		return s.found, false
	}
	s.found.Text, _ = s.form.text(s.frames)
	s.found.Frames, s.found.IsRecording = Len(s.frames), s.form.isRecording
	slices.Sort(s.found.Kept)
	s.found.Kept = slices.Compact(s.found.Kept)
	return s.found, true
}

// begin chooses the first form of the file that keeps the finding.
func (s *shrinker) begin(d *Dialogue) bool {
	for _, s.form = range d.forms(s.want.Rule) {
		frames := s.form.frames(d.Frames)
		all, _, ok := s.form.lint(s.ctx, frames)
		if !ok {
			continue
		}
		s.others = map[string]bool{}
		has := false
		for i := range all {
			s.others[ruleAndPlace(&all[i])] = true
			f := &all[i]
			same := f.Row == s.want.Row || f.Row >= 0 && s.want.Row >= 0 && frames[f.Row].number == s.want.Row
			has = has || same && f.Path == s.want.Path && s.isWanted(frames, f)
		}
		if has {
			s.frames = frames
			return true
		}
	}
	return false
}

// upTo returns the frames up to the last one that the finding is about.
func (s *shrinker) upTo() []Frame {
	last := max(s.want.Row, slices.Max(append(s.want.Related, -1)))
	if last < 0 {
		return s.frames
	}
	end := slices.IndexFunc(s.frames, func(f Frame) bool { return f.number == last })
	return s.frames[:end+1]
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

// holds reports whether the linter has the finding in a candidate: of the rule, at the same place, with a value of
// the same form there and the same sentence. Another finding of the rule is another bug. A candidate has no error and no
// warning that the dialogue lacks.
func (s *shrinker) holds(frames []Frame) bool {
	if s.ended() || len(frames) == 0 {
		return false
	}
	s.found.Checks++
	all, size, ok := s.form.lint(s.ctx, frames)
	s.checked += size
	if s.progress != nil {
		s.progress(Progress{Len(s.frames), s.found.Checks})
	}
	has := false
	for i := range all {
		f := &all[i]
		if f.Severity != lint.Info && !s.others[ruleAndPlace(f)] {
			return false
		}
		if s.isWanted(frames, f) {
			s.found.Message, has = f.Message, true
		}
	}
	return ok && has
}

func (s *shrinker) isWanted(frames []Frame, f *lint.Finding) bool {
	return f.Rule.ID == s.want.Rule.ID && f.Fault == s.want.Fault && generalPlace(f.Path) == generalPlace(s.want.Path) &&
		alike(f.Message, s.want.Message) && formAt(frames, f) == s.value
}

func ruleAndPlace(f *lint.Finding) string { return f.Rule.ID + " " + generalPlace(f.Path) }

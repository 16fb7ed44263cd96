package inspector

import (
	"math/bits"
	"slices"
	"time"

	"mcptea/record/store"
	"mcptea/ui/paint"
)

// A pulse counts the frames of the last half minute, in steps. It moves only while it has frames, so it costs
// nothing if nothing is sent.
type pulse struct {
	steps  [pulseSteps]pulseStep // steps, newest last
	step   int64                 // number of the newest step
	before store.Counts
	begun  bool
	after  int // cells of the header to the right of it, if it is visible
}

// A pulseStep counts the frames in a part of the half minute.
type pulseStep struct {
	frames, errors int
	row            int32 // first frame
}

const (
	pulseSteps = 10
	pulseTime  = 3 * time.Second
)

// count counts the new frames, and reports whether the pulse moves without new frames.
func (p *pulse) count(now time.Time, counts store.Counts) (moves bool) {
	step := now.UnixNano() / int64(pulseTime)
	if by := int(min(max(step-p.step, 0), pulseSteps)); by > 0 {
		copy(p.steps[:], p.steps[by:])
		clear(p.steps[pulseSteps-by:])
		p.step = step
	}
	if newest := &p.steps[pulseSteps-1]; p.begun {
		if newest.frames == 0 {
			newest.row = int32(p.before.Rows)
		}
		newest.frames += max(counts.Frames()-p.before.Frames(), 0) // a frame that was not sent is uncounted
		newest.errors += counts.Errors - p.before.Errors
	}
	p.before, p.begun = counts, true
	return slices.ContainsFunc(p.steps[:], func(s pulseStep) bool { return s.frames > 0 })
}

// spans returns the steps as bars: each level means twice as many frames as the previous one. A step with an
// error has a color, and a sign in a theme without colors.
func (p *pulse) spans(pal *paint.Palette) []paint.Span {
	spans := make([]paint.Span, 0, pulseSteps+1)
	for _, s := range p.steps {
		span := paint.Span{Style: pal.Faint, Text: pal.Levels[0]}
		if s.frames > 0 {
			span = paint.Span{Style: pal.In, Text: pal.Levels[min(bits.Len(uint(s.frames)), len(pal.Levels)-1)]}
		}
		if s.errors > 0 {
			if span.Style = pal.Error; pal.Theme.Error.Color == "" {
				span.Text = "!"
			}
		}
		spans = append(spans, span)
	}
	return append(spans, paint.Span{Text: "  "})
}

// newest returns the newest step with an error, or else with frames, or -1.
func (p *pulse) newest() (at int) {
	at = -1
	for i, s := range p.steps {
		if s.errors > 0 || s.frames > 0 && (at < 0 || p.steps[at].errors == 0) {
			at = i
		}
	}
	return at
}

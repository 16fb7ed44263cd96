package pins

import (
	"fmt"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/runs/pins"
	"mcptea/ui/paint"
)

// Counts holds the numbers of pins by state.
type Counts struct {
	Passed int
	Unfit  int // the response is as expected, but the arguments do not fit the schema
	Failed int
	Left   int // pins that were not run although the server has what they call
}

// Counts counts the pins.
func (p *Pane) Counts() (n Counts) {
	for i := range p.list {
		switch one := &p.list[i]; {
		case one.Unfit():
			n.Unfit++
		case one.State == pins.Passed:
			n.Passed++
		case one.State == pins.Failed || one.State == pins.Rejected:
			n.Failed++
		case one.State == pins.NotRun && !one.Missing && one.Server == "":
			n.Left++
		}
	}
	return n
}

// note counts the pins.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	var spans paint.Spans
	n := p.Counts()
	spans.If(p.others > 0, pal.Muted, phrase.Count(p.others, "section")+" for mcptea run only  ")
	if n.Passed+n.Unfit+n.Failed == 0 {
		return spans
	}
	spans = append(spans, paint.Span{Style: pal.OK, Text: fmt.Sprintf("%s %d", pal.OKMark, n.Passed)})
	spans.If(n.Unfit > 0, pal.Warn, fmt.Sprintf("  %s %d", pal.WarnMark, n.Unfit))
	spans.If(n.Failed > 0, pal.Error, fmt.Sprintf("  %s %d", pal.FailMark, n.Failed))
	var total time.Duration
	for i := range p.list {
		total += p.list[i].Took
	}
	return append(spans, paint.Span{Style: pal.Muted, Text: "  " + phrase.Took(total)})
}

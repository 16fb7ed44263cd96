package ui

import (
	"fmt"
	"path/filepath"

	"mcptea/session"
	"mcptea/ui/paint"
)

// recordingSpans say in the header that a recording is shown: which one and from
// when.
func (m *model) recordingSpans(rec *session.Recording) []paint.Span {
	p := m.pal
	spans := []paint.Span{{Style: p.WarnBold, Text: "RECORDING"}}
	if !rec.Made.IsZero() {
		spans = append(spans, paint.Span{Style: p.Text, Text: "  " + paint.HumanDate(rec.Made, m.now)})
	}
	if m.w >= wideWidth {
		name := paint.Sanitize(filepath.Base(rec.Path))
		spans = append(spans, paint.Span{Style: p.Muted, Text: "  " + paint.Cut(name, m.w/4)})
	}
	return spans
}

// recordingState is how far a recording was read, and whether it is still written.
func recordingState(p *paint.Palette, rec *session.Recording) []paint.Span {
	switch {
	case rec.Read < rec.Size && !rec.Growing:
		return []paint.Span{{Style: p.Warn, Text: fmt.Sprintf("reading %d%% ", 100*rec.Read/rec.Size)}}
	case rec.Growing:
		return []paint.Span{{Style: p.OK, Text: p.Dot + " being written "}}
	case rec.Skipped != "":
		return []paint.Span{{Style: p.Warn, Text: p.WarnMark + " damaged "}}
	}
	return nil
}

package server

import (
	"time"

	"mcptea/client/oauth"
	"mcptea/internal/words/phrase"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// authority adds the requests that a recorded authorization server has received and the tokens that it has sent,
// newest first, each with its remarks.
func (p *Pane) authority(d *doc.Doc) {
	requests := p.st.Authorization
	wrong := 0
	names := 0
	for _, st := range requests {
		wrong += len(st.Remarks)
		names = max(names, len(st.Name))
	}
	d.Row(paint.Span{Style: d.Pal.TextBold, Text: "authority"},
		paint.Span{Style: d.Pal.Muted, Text: "   " + phrase.Count(len(requests), "step") + ", newest first"})
	if wrong > 0 {
		d.Text(d.Pal.Warn, phrase.Count(wrong, "remark")+": see the steps.", 1)
	}
	margin := d.Margin
	const clock = len(time.TimeOnly) + 2
	if d.Margin = clock + names + 5; d.W < 2*d.Margin {
		d.Margin = 5
	}
	for i := len(requests) - 1; i >= 0; i-- {
		st := requests[i]
		mark, style := d.Pal.OKMark, d.Pal.OK
		if st.State == oauth.Failed {
			mark, style = d.Pal.FailMark, d.Pal.Error
		}
		at := d.Margin + 1 // as the remarks
		d.Growing(st.Detail, d.W-1-at, maxFactRows, func(r *paint.Row, k int, line string) {
			if k == 0 {
				r.Put(style, mark)
				r.Gap(2)
				r.Put(d.Pal.Muted, st.Start.Format(time.TimeOnly))
				r.Gap(2)
				r.Put(d.Pal.Text, st.Name)
			}
			r.To(at)
			r.Put(d.Pal.Text, line)
		})
		for _, text := range st.Remarks {
			fact(d, "", d.Pal.Warn, text)
		}
	}
	d.Margin = margin
}

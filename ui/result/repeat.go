package result

import (
	"cmp"
	"fmt"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/offer/compose"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// A Repeat is a request that is sent several times, and its progress. The zero Repeat has sent nothing.
type Repeat struct {
	Repetition *session.Repetition // nil until the user has sent something several times
	Began      time.Time
	Often      string // newest typed text
}

// Runs reports whether frames are being sent, or responses are pending.
func (r *Repeat) Runs() bool { return r.Repetition != nil && r.Repetition.Running() }

// Start sets a repetition that has just started.
func (r *Repeat) Start(often string, one *session.Repetition) {
	*r = Repeat{Repetition: one, Began: time.Now(), Often: often}
}

// Ask asks how often and at which pace to send a request. start sends it.
func (r *Repeat) Ask(a app.App, start func(often string, count int, interval time.Duration)) {
	dialog.Prompt{
		Title: "Send several times", Verb: "send", Value: cmp.Or(r.Often, "10"), Whole: true,
		Text: phrase.Signs("Type a number: each frame is sent after the response to the one before. With a time between them (“50 20ms”), mcptea does not wait for responses; with “50 at once” it sends all in parallel. You can look at something else meanwhile."),
		Check: func(text string) error {
			_, _, err := compose.ParseRepeat(text, session.AfterResponse)
			return err
		},
		Hint: func(text string) string {
			count, interval, _ := compose.ParseRepeat(text, session.AfterResponse) // Check has accepted it
			return "Sends " + phrase.Count(count, "frame") + pace(interval)
		},
		Accept: func(text string) (func(), error) {
			count, interval, err := compose.ParseRepeat(text, session.AfterResponse)
			return func() { start(text, count, interval) }, err
		},
	}.Open(a)
}

// pace describes the interval of frames that are sent several times.
func pace(interval time.Duration) string {
	switch interval {
	case session.AfterResponse:
		return ", each after the response to the one before."
	case 0:
		return ", all in parallel."
	}
	return ", one every " + interval.String() + "."
}

// Progress describes the progress.
func (r *Repeat) Progress() string {
	got := r.Repetition.Progress()
	return phrase.Digits(got.Sent) + " of " + phrase.Digits(got.Total) + " sent"
}

// Rows adds how far it is, and its outcomes and times.
func (r *Repeat) Rows(d *doc.Doc) {
	pal, got := d.Pal, r.Repetition.Progress()
	d.Lines(1, func(row *paint.Row, _ int) {
		if r.Runs() {
			row.Right(paint.Span{Style: pal.AccentBold, Text: d.Names.Name("cancel.call")}, paint.Span{Style: pal.Muted, Text: " stop "})
			bar := min(20, row.Left()/3)
			row.Painted(paint.Bar(pal, bar, float64(got.Sent)/float64(max(got.Total, 1))), bar)
			row.Gap(1)
		}
		row.Put(pal.Text, r.Progress())
	})
	counts := paint.Spans{{Style: pal.OK, Text: phrase.Digits(got.OK) + " ok"}}
	counts.If(got.Errors > 0, pal.Error, "   "+pal.FailMark+" "+phrase.Count(got.Errors, "error"))
	counts.If(got.Failed > 0, pal.Error, "   "+pal.FailMark+" "+phrase.Digits(got.Failed)+" no response")
	counts.If(got.Stopped > 0, pal.Muted, "   "+phrase.Digits(got.Stopped)+" stopped")
	d.Row(counts...)
	if got.Max > 0 || got.OK+got.Errors > 0 {
		d.Row(paint.Span{Style: pal.Text, Text: fmt.Sprintf("min %s   median %s   max %s", phrase.Took(got.Min), phrase.Took(got.Median), phrase.Took(got.Max))})
	}
	if got.Err != nil && !r.Runs() {
		d.Row(paint.Span{Style: pal.Warn, Text: "Stopped: " + got.Err.Error()})
	}
}

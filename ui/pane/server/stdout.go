package server

import (
	"strconv"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// strayWait is the time after which lines on stdout are displayed while connecting.
const strayWait = time.Second

// News returns a sentence of w cells, or "". Each is returned once per connection. It is about a server that
// ended while no call shows that, a log line on stdout, an invalid response, or a configuration file that
// differs from the settings of this run. tab is the command of the tab with more information.
func (p *Pane) News(w int) (text, tab string) {
	defer p.newest()()
	if p.st.Phase == session.Ended && p.endTold != p.st.Attempt && p.st.Err != nil && !p.st.Process.Expected {
		p.endTold = p.st.Attempt
		if p.why.Idle || p.st.Process.Exited.IsZero() {
			return p.end(), "tab.server"
		}
	}
	on := &p.onStdout
	switch {
	case p.st.Phase != session.Ready:
	case on.NewResponse:
		on.NewResponse = false
		return phrase.Capital(on.Response.Error()), "tab.problems"
	case on.New:
		on.New = false
		return "Not JSON-RPC on stdout: " + quoted(on.Line, min(max(w-63, 17), 48)) + ". Log to stderr", "tab.problems"
	case p.entry.unsaved != p.entry.reported:
		if p.entry.reported = p.entry.unsaved; p.entry.reported != "" {
			return "Not saved: " + p.entry.reported, "tab.server"
		}
	}
	return "", ""
}

// ShowResponse records that the malformed response is visible. It then no longer counts as news.
func (p *Pane) ShowResponse() {
	defer p.newest()()
	p.onStdout.NewResponse = false
}

// end describes in a few words how the connection ended.
func (p *Pane) end() string {
	if p.st.Process.Exited.IsZero() {
		return p.why.Sentence
	}
	words := stderr.Decisive(p.stderr.Last())
	return failure.End(p.st.Process, display.Cut(display.Sanitize(words), 60))
}

func quoted(line string, w int) string {
	return strconv.Quote(display.Cut(display.Sanitize(line), w))
}

// strayLine adds that the server writes non-messages to stdout, and the fix.
func (p *Pane) strayLine(d *doc.Doc) {
	if r := p.onStdout.Response; r != nil {
		d.Text(d.Pal.WarnBold, d.Pal.WarnMark+" "+phrase.Capital(r.Error())+".", doc.All)
		remedyRow(d, "Write messages with a JSON library, each on one line.")
		d.Blank()
	}
	if p.onStdout.Line == "" {
		return
	}
	what := " The server wrote a line to stdout that is not a message:"
	if n := p.onStdout.Count; n > 1 {
		what = " The server wrote " + phrase.Digits(n) + " lines to stdout that are not messages:"
	}
	d.Text(d.Pal.WarnBold, d.Pal.WarnMark+what, doc.All)
	d.Row(paint.Span{Style: d.Pal.Warn, Text: "  " + quoted(p.onStdout.Line, max(d.W-6, 8))})
	remedyRow(d, "Write logs and banners to stderr. Other clients may refuse to connect.")
	d.Blank()
}

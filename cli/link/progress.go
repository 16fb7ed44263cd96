package link

import (
	"fmt"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/record/store"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// watch shows the progress of a request and log messages of the server on stderr, if
// that is a terminal.
type watch struct {
	out   *app.Screen
	ascii bool
	s     *session.Session
	logs  int // log entries that were shown
	last  time.Time
}

func (p *Link) watch(s *session.Session) *watch {
	return &watch{out: p.Err, ascii: p.ASCII, s: s, logs: s.State().Logs}
}

// minRedraw is the minimum time between two redraws of the progress.
const minRedraw = 50 * time.Millisecond

func (w *watch) show() {
	if !w.out.Terminal {
		return
	}
	w.showLogs()
	if !w.out.Addressable || time.Since(w.last) < minRedraw {
		return
	}
	w.last = time.Now()
	for _, t := range w.s.Tasks().All() {
		if t.Running() {
			w.drawTask(t)
			return
		}
	}
	for _, f := range w.s.Store().Pending(8) {
		if f.Dir == transport.Out && f.Reports > 0 {
			w.draw(f)
			return
		}
	}
}

// maxLogs is the maximum number of log messages to show at a time.
const maxLogs = 20

func (w *watch) showLogs() {
	total := w.s.State().Logs
	if skipped := total - w.logs - maxLogs; skipped > 0 {
		fmt.Fprintln(w.out, w.out.Faint(fmt.Sprintf("… %s more messages", phrase.Digits(skipped))))
		w.logs = total - maxLogs
	}
	for ; w.logs < total; w.logs++ {
		l, ok := w.s.Store().LogAt(w.logs)
		if !ok || l.Source != store.LogServer {
			continue
		}
		logger, text, err := w.s.Store().LogText(l)
		if err != nil {
			continue
		}
		if logger != "" {
			text = logger + ": " + text
		}
		fmt.Fprintln(w.out, w.out.Faint(l.Level.String())+" "+display.Cut(display.Sanitize(text), w.out.Width-len(l.Level.String())-1))
	}
}

const barWidth = 20

func (w *watch) bar(progress, total float64) string {
	done := min(max(progress/total, 0), 1)
	n := int(done * barWidth)
	on, off := "━", "─"
	if w.ascii {
		on, off = "#", "."
	}
	return w.out.Good(strings.Repeat(on, n)) + w.out.Faint(strings.Repeat(off, barWidth-n)) + fmt.Sprintf(" %3.0f%%", done*100)
}

// drawTask shows the status of a task, and its progress if it reports any.
func (w *watch) drawTask(t requests.Task) {
	text := "task " + display.Sanitize(string(t.Status))
	room := w.out.Width - display.Width(text) - 2
	if t.HasTotal && t.Total > 0 {
		text = w.bar(t.Progress, t.Total) + "  " + text
		room -= barWidth + 7
	}
	if t.Message != "" && room > 4 {
		text += "  " + w.out.Faint(display.Cut(display.Sanitize(t.Message), room-1))
	}
	w.out.Status(text)
}

func (w *watch) draw(f store.Flow) {
	text := fmt.Sprintf("%g", f.Progress)
	if f.HasTotal && f.Total > 0 {
		text = w.bar(f.Progress, f.Total)
	}
	if f.Message != "" {
		text += "  " + display.Cut(display.Sanitize(f.Message), max(0, w.out.Width-barWidth-8))
	}
	w.out.Status(text)
}

// PrintResult prints a result as text: to stdout, or to stderr if it is a tool error,
// which it reports. The screen keeps the error of a failed write.
func (p *Link) PrintResult(method string, result []byte) (toolFailed bool) {
	out := p.Out
	if toolFailed = method == "tools/call" && content.ToolFailed(result); toolFailed {
		out = p.Err
		fmt.Fprintf(p.Err, "%s tool error (isError):\n", p.Err.Bad("mcptea:"))
	}
	printed := false // on a terminal, the name is printed again after other output
	for _, part := range content.Parse(method, result) {
		if h, ok := part.(content.Heading); ok && h.Role != content.OfToolError {
			h.Plain = h.Plain && !(printed && out.Terminal)
			part = h
		}
		if n, ok := part.(content.Note); ok && n.Trusted {
			fmt.Fprintln(p.Err, p.Err.Faint(n.Text))
			continue
		}
		if value, ok := part.(content.JSON); ok && !out.Terminal && !toolFailed {
			_ = jsonrpc.WriteIndented(out, value.Raw) // the screen keeps the error
			out.Line("")
			continue
		}
		if text := out.Part(part); text != "" {
			out.Line(strings.TrimSuffix(text, "\n"))
			printed = true
		}
	}
	return toolFailed
}

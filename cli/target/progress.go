package target

import (
	"fmt"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/content"
	"mcptea/session/requests"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// watch shows the progress of a request and log messages of the server on stderr, if
// that is a terminal.
type watch struct {
	out   *app.Screen
	ascii bool
	s     *session.Session
	logs  int // log entries that were shown
	drawn bool
	last  time.Time
}

func (p *Connection) watch(s *session.Session) *watch {
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
		w.clear()
		fmt.Fprintln(w.out, w.out.Faint(fmt.Sprintf("… %s more messages", paint.HumanCount(skipped))))
		w.logs = total - maxLogs
	}
	for ; w.logs < total; w.logs++ {
		l, ok := w.s.Store().LogAt(w.logs)
		if !ok || l.Source != store.LogServer {
			continue
		}
		w.clear()
		logger, text := w.s.Store().LogText(l)
		if logger != "" {
			text = logger + ": " + text
		}
		fmt.Fprintln(w.out, w.out.Faint(l.Level.String())+" "+paint.Cut(paint.Sanitize(text), w.out.Width-len(l.Level.String())-1))
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
	text := "task " + paint.Sanitize(string(t.Status))
	room := w.out.Width - paint.Width(text) - 2
	if t.HasTotal && t.Total > 0 {
		text = w.bar(t.Progress, t.Total) + "  " + text
		room -= barWidth + 7
	}
	if t.Message != "" && room > 4 {
		text += "  " + w.out.Faint(paint.Cut(paint.Sanitize(t.Message), room-1))
	}
	w.clear()
	_, _ = w.out.Write([]byte(text))
	w.drawn = true
}

func (w *watch) draw(f store.Flow) {
	text := fmt.Sprintf("%g", f.Progress)
	if f.HasTotal && f.Total > 0 {
		text = w.bar(f.Progress, f.Total)
	}
	if f.Message != "" {
		text += "  " + paint.Cut(paint.Sanitize(f.Message), max(0, w.out.Width-barWidth-8))
	}
	w.clear()
	_, _ = w.out.Write([]byte(text))
	w.drawn = true
}

func (w *watch) clear() {
	if w.drawn {
		_, _ = w.out.Write([]byte("\r\x1b[K"))
		w.drawn = false
	}
}

// end removes the progress line.
func (w *watch) end() { w.clear() }

// PrintResult prints a result as text: to stdout, or to stderr if it is a tool error,
// which it reports. The screen keeps the error of a failed write.
func (p *Connection) PrintResult(method string, result []byte) (toolFailed bool) {
	out := p.Out
	if toolFailed = method == "tools/call" && content.ToolFailed(result); toolFailed {
		out = p.Err
		fmt.Fprintf(p.Err, "%s tool error (isError):\n", p.Err.Bad("mcptea:"))
	}
	for _, part := range content.Parse(method, result) {
		if n, ok := part.(content.Note); ok && n.Trusted {
			fmt.Fprintln(p.Err, p.Err.Faint(n.Text))
			continue
		}
		if text := out.Part(part); text != "" {
			printText(out, text)
		}
	}
	return toolFailed
}

func printText(out *app.Screen, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = out.Write([]byte(text))
}

// frame prints one row of the record.
func (tr *FrameLog) frame(i int32, r *store.Row) {
	st := tr.S.Store()
	body, err := st.Head(i, 64<<10)
	if err != nil {
		body = []byte(err.Error())
	}
	arrow := "→"
	if r.Dir == transport.In {
		arrow = "←"
	}
	if !r.IsFrame() {
		arrow = "·"
	}
	if tr.P.ASCII {
		arrow = map[string]string{"→": ">", "←": "<", "·": "."}[arrow]
	}
	at := time.Unix(0, r.Time).Sub(tr.Start).Seconds()
	text := paint.Cut(paint.Sanitize(tr.words(r, body)), 78)
	fmt.Fprintf(tr.P.Out, "%8.3f %s %-78s %8s\n", at, arrow, text, paint.HumanSize(int64(r.Size)))
}

// words summarizes a frame: method, id and the most relevant member.
func (tr *FrameLog) words(r *store.Row, body []byte) string {
	st := tr.S.Store()
	id := string(r.IDOf(body))
	switch r.Kind {
	case jsonrpc.Request:
		return fmt.Sprintf("%s  id %s%s", st.Method(r.Method), id, detail(body, "params", "name"))
	case jsonrpc.Notification:
		return st.Method(r.Method) + progressWords(body) + detail(body, "params", "data")
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		text := "response to id " + id
		if q, ok := st.Row(r.Pair); ok && r.Pair != store.None {
			text = fmt.Sprintf("%s  response to id %s after %s", st.Method(q.Method), id, paint.HumanDuration(time.Duration(r.Time-q.Time)))
		}
		if r.Kind == jsonrpc.ErrorResponse {
			text += fmt.Sprintf("  error %d%s", r.Code, detail(body, "error", "message"))
		}
		return text
	}
	if r.Kind == store.KindExchange {
		return fmt.Sprintf("authorization%s%s  %d", detail(body, "method"), detail(body, "url"), r.Code)
	}
	if r.IsFrame() {
		return "not a message: " + string(body)
	}
	return string(body)
}

func progressWords(body []byte) string {
	now, ok := jsonrpc.Member(body, "params", "progress")
	if !ok {
		return ""
	}
	text := "  " + string(now)
	if total, ok := jsonrpc.Member(body, "params", "total"); ok {
		text += "/" + string(total)
	}
	return text + detail(body, "params", "message")
}

// detail returns a string member of a frame after two spaces, or an empty string.
func detail(body []byte, name string, more ...string) string {
	v, _ := jsonrpc.Member(body, name, more...)
	if text, ok := jsonrpc.Unquote(v); ok && text != "" {
		return "  " + text
	}
	return ""
}

// FrameLog prints the frames of a session as they are recorded.
type FrameLog struct {
	P     *Connection
	S     *session.Session
	Start time.Time
	next  int32
}

// Print prints the frames since the last call.
func (tr *FrameLog) Print() {
	for {
		r, ok := tr.S.Store().Row(tr.next)
		if !ok {
			return
		}
		tr.frame(tr.next, &r)
		tr.next++
	}
}

package traffic

import (
	"net/http"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/session/record/sequence"
	"mcptea/session/record/store"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// what writes the cell that says what a frame is. Answers hang under their
// requests, and so do the notifications that belong to one.
func (p *Pane) what(r *paint.Row, pal *paint.Palette, row *store.Row, s *sequence.Message, branch string, width int) {
	end := r.Used() + width
	limit := func() int { return max(0, end-r.Used()) }
	put := func(st paint.Style, text string) { r.PutIn(limit(), st, text) }
	if row.App {
		put(pal.Asked, "app ")
	}
	switch row.Kind {
	case jsonrpc.Request:
		st := paint.If(row.Dir == transport.In, pal.AskedBold, pal.TextBold)
		put(st, s.Method)
		r.Gap(min(1, limit()))
		if frames.WaitsForUser(row, s.Method) {
			put(pal.Warn, "waits for you")
			put(pal.Muted, "  "+p.key("tab.inbox")+" respond")
			return
		}
		if s.Name != "" {
			put(pal.Value, s.Name)
			r.Gap(min(1, limit()))
		}
		p.found(r, pal.Muted, s.Text, limit())
	case jsonrpc.Notification:
		put(pal.Muted, branch)
		put(paint.If(s.Method == "notifications/cancelled", pal.Warn, pal.Text), s.Noun)
		r.Gap(min(1, limit()))
		p.found(r, pal.Muted, s.Text, limit())
	case jsonrpc.Response:
		put(pal.Muted, branch)
		switch {
		case s.IsOpaque():
			put(pal.Warn, pal.WarnMark+" ")
		case row.Flags&store.ToolError != 0:
			put(pal.Warn, "tool error ")
		default:
			st := pal.OK
			if row.Pair == store.None {
				st = pal.Warn // it is the response to nothing
			}
			put(st, "ok ")
		}
		p.found(r, pal.Text, s.Shown(), limit())
	case jsonrpc.ErrorResponse:
		put(pal.Muted, branch)
		st := p.errorStyle(pal, row)
		put(st, s.ErrorPhrase()+" ")
		p.found(r, st, s.Text, limit())
	case jsonrpc.Batch:
		put(pal.TextBold, "batch ")
		put(pal.Muted, s.Text)
	case store.KindDelivery:
		put(pal.Muted, branch)
		put(pal.Accent, s.Noun+" ")
		put(pal.Value, s.Name)
		r.Gap(min(1, limit()))
		p.found(r, paint.If(s.Failed, pal.Error, pal.Muted), s.Text, limit())
	case store.KindExchange:
		if row.Dir == transport.In {
			put(pal.Muted, branch)
			put(pal.ErrorBold, "HTTP "+strconv.Itoa(row.Status())+" "+http.StatusText(row.Status()))
			put(pal.Muted, "  "+s.Text)
			return
		}
		st := paint.If(row.Status() >= http.StatusBadRequest || row.Status() == 0, pal.Warn, pal.OK)
		put(pal.Accent, paint.If(s.Purpose == transport.PurposeTrial, "trial ", "auth "))
		if row.Status() != 0 {
			put(st, strconv.Itoa(row.Status())+" ")
		}
		put(pal.Text, s.Method+" ")
		put(pal.Value, s.Name)
		put(pal.Muted, "  "+s.Text)
	case store.KindProcess:
		st := pal.ErrorBold
		if row.Flags&store.Expected != 0 || p.mended(row.Conn) {
			st = pal.Muted // the server was stopped by the client, or runs by now
		}
		put(st, s.Text)
	case jsonrpc.Invalid:
		if row.IsEvent() && row.App {
			put(pal.Error, "blocked by the policy ")
			put(pal.Text, s.Text)
			return
		}
		if row.IsEvent() {
			put(pal.Text, "event "+s.Method+" ")
			put(pal.Muted, s.Text)
			return
		}
		fallthrough
	default:
		put(pal.ErrorBold, row.Fault.String()+" ")
		put(pal.Text, s.Shown())
	}
}

// found writes a text into at most w cells, in which the words of the filter are in sight, where it has them.
func (p *Pane) found(r *paint.Row, st paint.Style, text string, w int) {
	if words := p.app.Filter.Marks(); w > 0 && len(words) > 0 && len(text) > w {
		text = display.CutAround(display.Sanitize(display.Head(text, maxFound)), w, words)
	}
	r.PutIn(w, st, text)
}

// maxFound is how many bytes of a text the words of a filter are looked for in.
const maxFound = 4 << 10

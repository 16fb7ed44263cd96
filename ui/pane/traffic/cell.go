package traffic

import (
	"net/http"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// what writes the cell that describes a frame. Responses are indented below their requests, and so are the
// notifications that belong to a request.
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
				st = pal.Warn // the response matches no request
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
			put(pal.ErrorBold, "HTTP "+transport.StatusText(row.Status()))
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
			st = pal.Muted // the client stopped the server, or the server is running again
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

// found writes a text into at most w cells, choosing a part that shows the words of the filter.
func (p *Pane) found(r *paint.Row, st paint.Style, text string, w int) {
	if words := p.app.Filter.Marks(); w > 0 && len(words) > 0 && len(text) > w {
		text = display.CutAround(display.Sanitize(display.Head(text, maxFound)), w, words)
	}
	r.PutIn(w, st, text)
}

// maxFound bounds the part of a text that is searched for the words of a filter, in bytes.
const maxFound = 4 << 10

package target

import (
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

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

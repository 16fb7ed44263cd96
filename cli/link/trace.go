package link

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/session/session"
)

// traced returns what prints the frames of sessions.
func (p *Link) traced() func(*session.Session) {
	full := p.Flags.Trace == settings.TraceFull // the flags are of this connection only while it is made
	return func(s *session.Session) {
		log, _ := p.traces.LoadOrStore(s, &FrameLog{Out: p.Err, ASCII: p.ASCII, Full: full, Secrets: s.Secrets()})
		log.(*FrameLog).Print(s)
	}
}

// ShowTrace prints the frames of a session that are not printed yet, before the command's own output.
func (p *Link) ShowTrace(s *session.Session) {
	if log, ok := p.traces.Load(s); ok {
		log.(*FrameLog).Print(s)
	}
}

// FrameLog prints the frames of a session as they are recorded, with their secrets redacted: one line for each,
// followed by the body if Full is set.
type FrameLog struct {
	Out     *app.Screen
	ASCII   bool
	Full    bool
	Secrets *secret.Values // secrets of the session

	mu    sync.Mutex
	next  int32
	start int64 // time of the first row
}

// Print prints the frames since the last call, unless a question waits on Out: then the next call
// prints them. It may be called from any goroutine.
func (l *FrameLog) Print(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	st := s.Store()
	for r, ok := st.Row(l.next); ok; r, ok = st.Row(l.next) {
		if l.next == 0 {
			l.start = r.Time
		}
		if !l.Out.WriteUnlessAsking(l.frame(st, &r)) {
			return
		}
		l.next++
	}
}

// maxTraced bounds the part of a frame that is read for its line, in bytes.
const maxTraced = 64 << 10

// frame returns the lines of one row of the record.
func (l *FrameLog) frame(st *store.Store, r *store.Row) string {
	limit := maxTraced
	if l.Full {
		limit = int(r.Size)
	}
	body, err := st.Head(l.next, limit)
	if err != nil {
		body = []byte(err.Error())
	}
	body = secret.JSON(body, l.Secrets, nil)
	arrow := "→"
	if r.Dir == transport.In {
		arrow = "←"
	}
	if !r.IsFrame() {
		arrow = "·"
	}
	if l.ASCII {
		arrow = map[string]string{"→": ">", "←": "<", "·": "."}[arrow]
	}
	at := time.Duration(r.Time - l.start).Seconds()
	words := frameWords(st, r, body)
	if r.App {
		words = "app  " + words
	}
	text := display.Cut(display.Sanitize(words), 78)
	var lines strings.Builder
	fmt.Fprintf(&lines, "%8.3f %s %-78s %8s\n", at, arrow, text, phrase.Size(int64(r.Size)))
	if l.Full && r.IsFrame() {
		lines.WriteString(l.Out.Labeled("  ", string(body), 0) + "\n")
	}
	return lines.String()
}

// frameWords summarizes a frame: method, id, and subject.
func frameWords(st *store.Store, r *store.Row, body []byte) string {
	method, id := st.Method(r.Method), "id "+string(r.IDOf(body))
	w := sequence.WordsOf(r.Kind, method, body, r.ReadFault())
	var parts []string
	switch r.Kind {
	case jsonrpc.Request:
		parts = []string{method, id, w.Name, w.Text}
	case jsonrpc.Notification:
		parts = []string{method, w.Text}
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		parts = []string{"response to " + id, w.Shown()}
		if q, ok := st.Row(r.Pair); ok && r.Pair != store.None {
			parts = []string{method, parts[0] + " after " + phrase.Took(time.Duration(r.Time-q.Time)), w.Shown()}
		}
		if r.Kind == jsonrpc.ErrorResponse {
			x, _ := st.ExchangeOf(r.Exchange)
			parts = slices.Insert(parts, len(parts)-1, sequence.ErrorPhrase(r.ErrorCode(), x.Status))
		}
	case store.KindDelivery:
		parts = []string{w.Noun, w.Name, strconv.Itoa(r.Status()), w.Text}
	case store.KindExchange:
		parts = []string{"authorization", w.Noun, jsonrpc.Text(body, "url"), strconv.Itoa(r.Status())}
	default:
		if parts = []string{w.Noun, w.Text}; r.Kind == jsonrpc.Invalid && r.IsFrame() {
			parts = []string{"not a message: " + w.Text}
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "  ")
}

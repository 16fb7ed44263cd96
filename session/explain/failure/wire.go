package failure

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

// wire is what was sent and received in an attempt to connect, and since. Which part of it
// an error is about is known when the error is.
type wire struct {
	requests  []request            // the newest first
	exchanges []transport.Exchange // the newest first
	frames    []frame              // those with something wrong, oldest first
	received  int                  // frames from the server, of the newest rows
	messages  int                  // of them, those that are messages
	answered  []uint32             // exchanges with a response of the server
	elsewhere int                  // responses of the server on the stream of GET
	notes     []notification       // progress and log messages of the server, the newest first
	asked     []serverRequest      // requests of the server that mcptea has responded to, the newest first
	torn      bool                 // the last frame of the server has no end: its stdout has ended
	strayAt   []time.Time          // of [Facts.Stray]
	written   [][]byte             // the newest messages to a server on stdio
	came      [][]byte             // its newest messages
	canned    bool                 // the newest two responses have the same bytes, the id included
}

// maxCanned is how large a response is, in bytes, that is compared with another one.
const maxCanned = 64 << 10

// request is a request of mcptea.
type request struct {
	row      int32
	at       time.Time
	exchange uint32 // 0 over stdio
}

// serverRequest is a request of the server.
type serverRequest struct {
	method   string
	answered time.Time
	refused  bool // mcptea responded with an error
}

// notification is progress or a log message of the server.
type notification struct{ at time.Time }

// frame is one with something wrong: a response without a request, one with a method, or
// one that mcptea changed.
type frame struct {
	at               time.Time
	exchange         uint32 // 0 over stdio
	unmatched, mixed string // the raw id, if it is such a one
	further          bool   // it is unmatched because its request has a response already
	changed          *record.Change
}

// read collects what the store has of the newest connection, and the exchanges since a time.
func (w *wire) read(st *store.Store, begin time.Time) {
	rows := st.Snapshot().Rows
	var responses [][]byte // the newest two, without a large one
	for i, r := range newest(st, pendingReach) {
		at := time.Unix(0, r.Time)
		if at.Before(begin) {
			break
		}
		reached := rows-int(i) > responseReach
		switch {
		case r.Dir == transport.Out && r.Kind == jsonrpc.Request:
			w.requests = append(w.requests, request{i, at, r.Exchange})
		case r.Dir == transport.In && r.IsFrame() && !r.IsEvent():
			w.torn = w.torn || w.received == 0 && r.Flags&store.Torn != 0
			w.received++
			w.note(st, r)
		}
		if reached && len(w.requests) > 0 {
			break
		}
		if reached {
			continue
		}
		w.keep(st, i, r)
		if r.Dir == transport.In && r.Kind.IsResponse() && r.Size <= maxCanned && len(responses) < 2 {
			if body, err := st.Body(i); err == nil {
				responses = append(responses, body)
			}
		}
		if x, ok := frameOf(st, i, r); ok {
			w.frames = append(w.frames, x)
		}
	}
	slices.Reverse(w.frames)
	w.canned = len(responses) == 2 && bytes.Equal(responses[0], responses[1])
	w.exchanges = st.ExchangesSince(begin)
	for _, x := range w.exchanges {
		if x.Purpose == transport.PurposeListen && x.Method == http.MethodGet {
			w.elsewhere += count(w.answered, x.ID)
		}
	}
}

// maxKept bounds the messages that are compared with each other, and maxKeptSize each of them, in bytes.
const (
	maxKept     = 20
	maxKeptSize = 16 << 10
)

// keep keeps a message over stdio.
func (w *wire) keep(st *store.Store, i int32, r store.Row) {
	to := &w.came
	if r.Dir == transport.Out {
		to = &w.written
	}
	if r.Exchange != 0 || !r.IsFrame() || r.Size > maxKeptSize || len(*to) == maxKept {
		return
	}
	if body, err := st.Body(i); err == nil {
		*to = append(*to, body)
	}
}

// maxAsked bounds the requests of the server that are remembered.
const maxAsked = 100

// note counts a frame of the server.
func (w *wire) note(st *store.Store, r store.Row) {
	if r.Kind == jsonrpc.Invalid {
		return
	}
	w.messages++
	switch {
	case r.Kind == jsonrpc.Notification && len(w.notes) < maxAsked:
		if method := st.Method(r.Method); method == "notifications/progress" || method == "notifications/message" {
			w.notes = append(w.notes, notification{time.Unix(0, r.Time)})
		}
	case r.Kind.IsResponse() && r.Exchange != 0 && len(w.answered) < maxAsked:
		w.answered = append(w.answered, r.Exchange)
	case r.Kind == jsonrpc.Request && r.Pair != store.None && len(w.asked) < maxAsked:
		if response, ok := st.Row(r.Pair); ok && response.Dir == transport.Out {
			w.asked = append(w.asked, serverRequest{st.Method(r.Method), time.Unix(0, response.Time), response.Kind == jsonrpc.ErrorResponse})
		}
	}
}

// notedSince returns the number of notifications since a time.
func (w *wire) notedSince(at time.Time) (n int) {
	for n < len(w.notes) && !w.notes[n].at.Before(at) {
		n++
	}
	return n
}

// count is how often a value is in a list.
func count[T comparable](list []T, value T) (n int) {
	for _, v := range list {
		if v == value {
			n++
		}
	}
	return n
}

// frameOf is what is wrong with a frame.
func frameOf(st *store.Store, i int32, r store.Row) (x frame, ok bool) {
	x.at, x.exchange, x.further = time.Unix(0, r.Time), r.Exchange, r.Flags&store.DuplicateResponse != 0
	id := func() string {
		head, err := st.Head(i, 64<<10)
		if err != nil {
			return ""
		}
		raw := r.IDOf(head)
		return string(raw[:min(len(raw), textHead)])
	}
	if r.Dir == transport.In && r.Flags&(store.UnknownID|store.DuplicateResponse) != 0 {
		x.unmatched = id()
	}
	if r.Dir == transport.In && r.Flaws&jsonrpc.FlawMixed != 0 {
		x.mixed = id()
	}
	switch r.Changed {
	case record.NotChanged, record.Forwarded, record.Delayed, record.Added:
	default:
		if c, ok := st.Change(i); ok && c.OnPurpose() {
			x.changed = &c
		}
	}
	return x, x.unmatched != "" || x.mixed != "" || x.changed != nil
}

// about finds what an error is about: the request that failed, its exchange, and what was
// wrong on the wire since it was sent. What belongs to another exchange explains nothing.
func (f Facts) about(err error) Facts {
	f.err, f.method = err, first(err)
	if of, ok := errors.AsType[*client.RequestError](ofHTTP(err)); ok {
		f.id = of.ID
	}
	failed, ok := f.wire.requestOf(err)
	x := f.wire.exchangeBy(err)
	if ok {
		x = f.wire.exchangeOf(failed.exchange)
	}
	if x.ID != 0 && !(f.Connected && as[*client.RPCError](err)) { // an error response of a call needs no evidence of HTTP
		f.exchange = x
	}
	since := time.Time{}
	if ok && f.Connected {
		since = failed.at
		f.since = since
	}
	for _, x := range f.wire.frames {
		if f.Connected && !ok {
			break
		}
		if x.at.Before(since) {
			continue
		}
		if x.further && !f.wire.canned && (x.exchange == 0 || x.exchange != failed.exchange) {
			continue // the response to another request, twice
		}
		if x.unmatched != "" && len(f.unmatched) < strayShown && !slices.Contains(f.unmatched, x.unmatched) {
			f.unmatched = append(f.unmatched, x.unmatched)
		}
		if x.mixed != "" && len(f.mixed) < strayShown && !slices.Contains(f.mixed, x.mixed) {
			f.mixed = append(f.mixed, x.mixed)
		}
		if x.changed != nil && len(f.changed) < strayShown {
			f.changed = append(f.changed, *x.changed)
		}
	}
	if at := f.wire.strayAt; len(at) == len(f.Stray) {
		n := 0
		for n < len(at) && at[n].Before(since) {
			n++
		}
		f.Stray = f.Stray[n:]
	}
	f.spoken = f.spoken || f.Connected || slices.ContainsFunc(f.wire.exchanges, func(x transport.Exchange) bool { return x.Status/100 == 2 })
	return f
}

// requestOf is the request that an error is of. It is false for an error of the connection, for a
// request that was not sent, and for one that is too long ago.
func (w wire) requestOf(err error) (request, bool) {
	of, ok := errors.AsType[*client.RequestError](ofHTTP(err))
	if !ok || !of.Ref.Present() {
		return request{}, false
	}
	i := slices.IndexFunc(w.requests, func(r request) bool { return r.row == of.Ref.Row() })
	if i < 0 {
		return request{}, false
	}
	return w.requests[i], true
}

// ofHTTP is the error of Streamable HTTP where both transports have failed, unless the other one
// says more.
func ofHTTP(err error) error {
	if both, ok := errors.AsType[*client.FallbackError](err); ok && !as[*mcphttp.OriginError](both.SSE) && !as[*mcphttp.EndpointError](both.SSE) {
		return both.HTTP
	}
	return err
}

// exchangeOf is an exchange by its number, or the one that repeated it.
func (w wire) exchangeOf(id uint32) transport.Exchange {
	for _, x := range w.exchanges {
		if id != 0 && (x.ID == id || x.Repeats == id) {
			return x
		}
	}
	return transport.Exchange{}
}

// exchangeBy is the newest exchange with what an error says of one; it has no ID if the error says
// nothing of an exchange. It is for errors of no request: those of the stream that the server
// writes to, and those that end the connection.
func (w wire) exchangeBy(err error) transport.Exchange {
	err = ofHTTP(err)
	var is func(transport.Exchange) bool
	if status, ok := errors.AsType[*transport.StatusError](err); ok {
		is = func(x transport.Exchange) bool {
			return x.Status == status.Status && x.Method == status.Method && x.URL == status.URL
		}
	} else if content, ok := errors.AsType[*mcphttp.ContentError](err); ok {
		is = func(x transport.Exchange) bool {
			return x.Status == content.Status && x.Method == content.Method && x.URL == content.URL
		}
	} else if as[*mcphttp.OriginError](err) || as[*mcphttp.EndpointError](err) || as[*mcphttp.FirstEventError](err) || errors.Is(err, mcphttp.ErrStreamEnded) {
		is = func(x transport.Exchange) bool { return x.Method == "GET" }
	} else if timeout, ok := errors.AsType[*client.TimeoutError](err); ok && !as[*client.RequestError](err) {
		is = func(x transport.Exchange) bool { return x.Method == timeout.Method } // GET
	} else if as[*client.RPCError](err) && !as[*client.RequestError](err) { // of connecting, where one request follows another
		is = func(x transport.Exchange) bool {
			return x.Purpose == transport.PurposeMessage && x.Method == http.MethodPost
		}
	} else if !as[*client.RequestError](err) && !as[*mcphttp.LostError](err) && !as[*client.ClosedError](err) {
		is = func(x transport.Exchange) bool { return x.Err != "" }
	} else {
		return transport.Exchange{}
	}
	for _, x := range w.exchanges {
		if is(x) {
			return x
		}
	}
	return transport.Exchange{}
}

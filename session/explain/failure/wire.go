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
	"mcptea/record"
	"mcptea/record/store"
)

// A wire holds the frames and exchanges of an attempt to connect, and since. The part that an error is about is
// selected later.
type wire struct {
	requests  []request            // newest first
	exchanges []transport.Exchange // newest first
	frames    []frame              // frames with a fault, oldest first
	received  int                  // number of frames from the server in the newest rows
	messages  int                  // number of messages among them
	answered  []uint32             // exchanges with a response of the server
	elsewhere int                  // number of responses of the server on the GET stream
	notes     []notification       // progress and log messages of the server, newest first
	asked     []serverRequest      // requests of the server that mcptea has responded to, newest first
	torn      bool                 // the last frame of the server is incomplete: its stdout has ended
	strayAt   []time.Time          // times of [Facts.Stray]
	written   [][]byte             // newest messages to a server over stdio
	came      [][]byte             // newest messages from it
	canned    bool                 // the newest two responses have the same bytes, including the id
}

// maxCanned bounds the responses that are compared with each other, in bytes.
const maxCanned = 64 << 10

// A request is a request of mcptea.
type request struct {
	row      int32
	at       time.Time
	exchange uint32 // 0 over stdio
}

// A serverRequest is a request of the server.
type serverRequest struct {
	method   string
	answered time.Time
	refused  bool // mcptea responded with an error
}

// A notification is a progress or log message of the server.
type notification struct{ at time.Time }

// A frame is a frame with a fault: an unmatched response, a response with a method, or a frame that mcptea
// changed.
type frame struct {
	at               time.Time
	exchange         uint32 // 0 over stdio
	unmatched, mixed string // raw id, if the frame has this fault
	further          bool   // it is unmatched because its request already has a response
	changed          *record.Change
}

// read collects the frames of the newest connection, and the exchanges since a time.
func (w *wire) read(st *store.Store, begin time.Time) {
	rows := st.Snapshot().Rows
	var responses [][]byte // newest two, without large ones
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

// maxAsked bounds the remembered requests of the server.
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

// count returns how often a value occurs in a list.
func count[T comparable](list []T, value T) (n int) {
	for _, v := range list {
		if v == value {
			n++
		}
	}
	return n
}

// frameOf returns the fault of a frame; ok is false if it has none.
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

// about selects the facts about an error: the failed request, its exchange, and the faulty frames since it was
// sent. Other exchanges explain nothing.
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

// requestOf returns the request of an error. It returns false for an error of the connection, for a request
// that was not sent, and for one that is too old.
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

// ofHTTP returns the error of Streamable HTTP if both transports failed, unless the other error says more.
func ofHTTP(err error) error {
	if both, ok := errors.AsType[*client.FallbackError](err); ok && !as[*mcphttp.OriginError](both.SSE) && !as[*mcphttp.EndpointError](both.SSE) {
		return both.HTTP
	}
	return err
}

// exchangeOf returns the exchange with a number, or its repetition.
func (w wire) exchangeOf(id uint32) transport.Exchange {
	for _, x := range w.exchanges {
		if id != 0 && (x.ID == id || x.Repeats == id) {
			return x
		}
	}
	return transport.Exchange{}
}

// exchangeBy returns the newest exchange that matches an error without a request, or the zero value. Such
// errors are errors of the stream that the server writes to, and errors that end the connection.
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
	} else if as[*client.RPCError](err) && !as[*client.RequestError](err) { // while connecting: several requests follow each other
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

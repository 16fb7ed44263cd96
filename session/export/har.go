package export

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/record"
)

// HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/. Names that begin with an
// underscore are extensions.
type (
	harEntry struct {
		Started    string      `json:"startedDateTime"`
		Time       float64     `json:"time"` // ms
		Request    harRequest  `json:"request"`
		Response   harResponse `json:"response"`
		Cache      struct{}    `json:"cache"`
		Timings    harTimings  `json:"timings"`
		Connection string      `json:"connection,omitempty"`
		Comment    string      `json:"comment,omitempty"`
		Purpose    string      `json:"_purpose,omitempty"`
		Error      string      `json:"_error,omitempty"`
		Frames     []int32     `json:"_frames,omitempty"` // numbers of the frames
		Changes    []harChange `json:"_changes,omitempty"`
	}
	// harChange is what a breakpoint or a fault made of a frame.
	harChange struct {
		Frame    int32    `json:"frame"`
		Text     string   `json:"text"`
		Received *string  `json:"received,omitempty"`
		Sent     []string `json:"sent,omitempty"` // in its place
	}
	harRequest struct {
		Method      string       `json:"method"`
		URL         string       `json:"url"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []harField   `json:"cookies"`
		Headers     []harField   `json:"headers"`
		Query       []harField   `json:"queryString"`
		Post        *harPostData `json:"postData,omitempty"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int64        `json:"bodySize"`
	}
	harPostData struct {
		MIME string `json:"mimeType"`
		Text string `json:"text"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harField `json:"cookies"`
		Headers     []harField `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int64      `json:"bodySize"`
	}
	harContent struct {
		Size int64  `json:"size"`
		MIME string `json:"mimeType"`
		Text string `json:"text,omitempty"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	harField struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

const (
	// maxHARBody is how much of one body is kept until its exchange ends, in bytes.
	maxHARBody = 64 << 20
	// maxHAROpen is how many exchanges are held that have not ended.
	maxHAROpen = 10_000
	harVersion = "HTTP/1.1" // which version was used is not in a recording
)

// harOpen is an exchange that has not ended.
type harOpen struct {
	entry    harEntry
	exchange *transport.Exchange
	row      int32 // of a request over stdio
	out, in  strings.Builder
	selected bool
	cut      bool
	written  bool
	start    time.Time
}

// har writes entries as they end.
type har struct {
	*session
	open    map[uint32]*harOpen
	order   []uint32           // of open
	calls   map[int32]*harOpen // of requests over stdio, by their rows
	pending []*harOpen         // of calls, oldest first; some are written already
	entries int

	maxBody, maxOpen int
}

func newHAR(s *session) *har {
	return &har{session: s, open: map[uint32]*harOpen{}, calls: map[int32]*harOpen{}, maxBody: maxHARBody, maxOpen: maxHAROpen}
}

// writeHAR writes an HTTP Archive. A session over stdio gets an entry per request
// and per notification, with the method in its URL, so that tools for HAR show their
// order and durations.
func (s *session) writeHAR() error {
	if err := s.collectChanges(); err != nil {
		return err
	}
	h := newHAR(s)
	name, version, _ := strings.Cut(s.Tool, " ")
	s.printf(`{"log":{"version":"1.2","creator":{"name":%s,"version":%s},"comment":%s,"entries":[`,
		jsonText(name), jsonText(version), jsonText("session of "+s.Header.Target))
	for e, err := range s.matched() {
		if err != nil {
			return err
		}
		switch {
		case e.Kind == record.KindHTTP:
			h.phase(&e.Event)
		case e.Kind == record.KindFrame && e.Frame.Exchange != 0:
			h.body(&e.Event)
		case e.Kind == record.KindFrame:
			h.stdio(&e)
		}
		if err := s.full(); err != nil {
			return err
		}
	}
	for _, id := range slices.Clone(h.order) {
		h.end(id)
	}
	for _, o := range h.pending {
		if !o.written {
			h.write(o)
		}
	}
	s.print("\n]}}\n")
	return nil
}

func jsonText(text string) string { return string(jsonrpc.StringID(text)) }

func (h *har) opened(id uint32, at time.Time) *harOpen {
	o, ok := h.open[id]
	if !ok {
		if len(h.order) >= h.maxOpen {
			h.end(h.order[0])
		}
		o = &harOpen{start: at, selected: h.Rows == nil}
		h.open[id] = o
		h.order = append(h.order, id)
	}
	return o
}

func (h *har) phase(e *Event) {
	o := h.opened(e.Exchange.ID, e.Time)
	o.exchange = e.Exchange
	o.selected = o.selected || e.Number > 0
	if e.Exchange.Phase == transport.ExchangeDone {
		h.end(e.Exchange.ID)
	}
}

// body adds a frame to the body that carried it. Frames of an event stream are
// written as events again.
func (h *har) body(e *Event) {
	o := h.opened(e.Frame.Exchange, e.Time)
	o.selected = true
	o.add(e, h.changeOf(e))
	to := &o.out
	if e.Frame.Dir == transport.In {
		to = &o.in
	}
	if to.Len()+len(e.Frame.Bytes) > h.maxBody {
		o.cut = true
		return
	}
	if e.Frame.Dir == transport.Out || o.exchange == nil || !strings.HasPrefix(o.exchange.ResponseHeader.Get("Content-Type"), "text/event-stream") {
		to.Write(e.Frame.Bytes)
		return
	}
	if e.Frame.EventName != "" {
		to.WriteString("event: " + e.Frame.EventName + "\n")
	}
	if e.Frame.EventID != "" {
		to.WriteString("id: " + e.Frame.EventID + "\n")
	}
	to.WriteString("data: " + strings.ReplaceAll(string(e.Frame.Bytes), "\n", "\ndata: ") + "\n\n")
}

// add adds a frame to an entry, with what was made of it.
func (o *harOpen) add(e *Event, c *record.Change) {
	o.entry.Frames = append(o.entry.Frames, e.Number)
	if c == nil {
		return
	}
	change := harChange{Frame: e.Number, Text: c.Text()}
	if c.Received != nil {
		text := string(c.Received)
		change.Received = &text
	}
	for _, frame := range c.Sent {
		change.Sent = append(change.Sent, string(frame))
	}
	o.entry.Changes = append(o.entry.Changes, change)
}

// end writes an exchange.
func (h *har) end(id uint32) {
	o := h.open[id]
	delete(h.open, id)
	h.order = slices.DeleteFunc(h.order, func(other uint32) bool { return other == id })
	if o == nil || !o.selected || o.exchange == nil {
		return
	}
	x, entry := o.exchange, &o.entry
	if !x.Start.IsZero() {
		o.start = x.Start
	}
	entry.Purpose, entry.Error = x.Purpose, x.Err
	entry.Request = harRequest{Method: x.Method, URL: x.URL, Headers: harFields(x.RequestHeader), Query: harQuery(x.URL), BodySize: x.Sent}
	said := o.out.String()
	if said == "" {
		said = string(x.RequestBody)
	}
	if said != "" {
		entry.Request.Post = &harPostData{MIME: x.RequestHeader.Get("Content-Type"), Text: said}
	}
	heard := o.in.String()
	if heard == "" {
		heard = string(x.ResponseBody)
	}
	entry.Response = harResponse{
		Status: x.Status, StatusText: http.StatusText(x.Status), Headers: harFields(x.ResponseHeader), BodySize: x.Received,
		Content: harContent{Size: int64(len(heard)), MIME: x.ResponseHeader.Get("Content-Type"), Text: heard}, RedirectURL: x.ResponseHeader.Get("Location"),
	}
	if x.Status == 0 {
		entry.Response.BodySize = -1
	}
	entry.Timings = harTimings{Wait: milliseconds(x.FirstByte), Receive: milliseconds(max(x.Took-x.FirstByte, 0))}
	entry.Time = entry.Timings.Wait + entry.Timings.Receive
	h.write(o)
}

// stdio makes entries of requests with their responses, and of notifications.
func (h *har) stdio(e *matched) {
	m := e.Message
	if o, ok := h.calls[m.Request]; ok && m.Kind.IsResponse() {
		delete(h.calls, m.Request)
		h.respond(o, &e.Event)
		return
	}
	what := e.Frame.Envelope.MethodName(e.Frame.Bytes)
	if what == "" {
		what = m.Kind.String()
	}
	o := &harOpen{start: e.Time, selected: true, row: m.Row}
	o.entry.Comment = "client to server over stdio"
	if e.Frame.Dir == transport.In {
		o.entry.Comment = "server to client over stdio"
	}
	o.add(&e.Event, h.changeOf(&e.Event))
	o.entry.Request = harRequest{
		Method: http.MethodPost, URL: (&url.URL{Scheme: "stdio", Host: "server", Path: "/" + what}).String(), BodySize: int64(len(e.Frame.Bytes)),
		Post: &harPostData{MIME: "application/json", Text: string(e.Frame.Bytes)},
	}
	o.entry.Response = harResponse{BodySize: -1, Content: harContent{MIME: "x-unknown"}}
	if m.Kind != jsonrpc.Request {
		h.write(o)
		return
	}
	if before, used := h.calls[e.Reused.Row]; used { // which no response can be matched with any more
		delete(h.calls, e.Reused.Row)
		h.write(before)
	}
	h.calls[m.Row] = o
	h.pending = append(h.pending, o)
	if len(h.calls) > h.maxOpen {
		h.dropOldest()
	}
	if len(h.pending) > 4*h.maxOpen {
		h.pending = slices.DeleteFunc(h.pending, func(o *harOpen) bool { return o.written })
	}
}

func (h *har) dropOldest() {
	for len(h.pending) > 0 {
		o := h.pending[0]
		h.pending = h.pending[1:]
		if !o.written {
			delete(h.calls, o.row)
			h.write(o)
			return
		}
	}
}

func (h *har) respond(o *harOpen, e *Event) {
	n := int64(len(e.Frame.Bytes))
	o.add(e, h.changeOf(e))
	o.entry.Response = harResponse{
		Status: http.StatusOK, StatusText: http.StatusText(http.StatusOK), BodySize: n,
		Content: harContent{Size: n, MIME: "application/json", Text: string(e.Frame.Bytes)},
	}
	o.entry.Time = milliseconds(e.Time.Sub(o.start))
	o.entry.Timings.Wait = o.entry.Time
	h.write(o)
}

// write writes an entry, with what all of them have.
func (h *har) write(o *harOpen) {
	o.written = true
	entry := &o.entry
	entry.Started = o.start.UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	none := []harField{}
	entry.Request.HTTPVersion, entry.Response.HTTPVersion = harVersion, harVersion
	entry.Request.HeadersSize, entry.Response.HeadersSize = -1, -1
	entry.Request.Cookies, entry.Response.Cookies = none, none
	for _, list := range []*[]harField{&entry.Request.Headers, &entry.Request.Query, &entry.Response.Headers} {
		if *list == nil {
			*list = none
		}
	}
	if o.cut {
		entry.Comment = strings.TrimSpace(entry.Comment + " a body is not complete")
		h.report("a body of more than %d MB was cut off", h.maxBody>>20)
	}
	b, err := json.Marshal(entry)
	if err != nil {
		return // strings and numbers always marshal
	}
	if h.entries++; h.entries > 1 {
		h.print(",")
	}
	h.print("\n", string(b))
}

func milliseconds(d time.Duration) float64 { return float64(max(d, 0)) / float64(time.Millisecond) }

func harFields(header http.Header) []harField {
	var fields []harField
	for name, values := range header {
		for _, v := range values {
			fields = append(fields, harField{name, v})
		}
	}
	slices.SortStableFunc(fields, func(a, b harField) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

func harQuery(address string) []harField {
	_, query, _ := strings.Cut(address, "?")
	query, _, _ = strings.Cut(query, "#")
	var fields []harField
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		plain := func(text string) string {
			if decoded, err := url.QueryUnescape(text); err == nil {
				return decoded
			}
			return text
		}
		fields = append(fields, harField{plain(name), plain(value)})
	}
	return fields
}

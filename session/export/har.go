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
	"mcptea/record"
)

// HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/. Names with a leading underscore are
// extensions.
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
	// harChange is the change of a frame by a breakpoint or a fault.
	harChange struct {
		Frame    int32    `json:"frame"`
		Text     string   `json:"text"`
		Received *string  `json:"received,omitempty"`
		Sent     []string `json:"sent,omitempty"` // frames that were sent instead
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
	// maxHARBody bounds the part of a body that is kept until its exchange ends, in bytes.
	maxHARBody = 64 << 20
	// maxHAROpen bounds the exchanges that have not ended.
	maxHAROpen = 10_000
	harVersion = "HTTP/1.1" // a recording does not contain the version
)

// harKey identifies an entry by the HTTP exchange, or by the row of a request over stdio.
type harKey struct {
	exchange uint32
	row      int32
}

// harOpen is an incomplete entry. Its HTTP exchange has not ended, or its request over stdio has no
// response.
type harOpen struct {
	key      harKey
	entry    harEntry
	exchange *transport.Exchange // exchange; nil over stdio, and while it is unknown
	out, in  strings.Builder
	selected bool
	cut      bool
	written  bool
	start    time.Time
}

// har writes entries when they are complete.
type har struct {
	*session
	open    map[harKey]*harOpen
	order   []*harOpen // open entries, oldest first; some of them are already written
	entries int

	maxBody, maxOpen int
}

func newHAR(s *session) *har {
	return &har{session: s, open: map[harKey]*harOpen{}, maxBody: maxHARBody, maxOpen: maxHAROpen}
}

// insecureWords returns the end of a sentence about a session whose certificate was not verified, or "".
func insecureWords(h record.Header) string {
	if h.Insecure {
		return ", whose certificate was not verified"
	}
	return ""
}

// writeHAR writes an HTTP Archive. For a session over stdio, each request and each notification is
// an entry with the method in its URL. So tools for HAR show their order and durations.
func (s *session) writeHAR() error {
	if err := s.collectChanges(); err != nil {
		return err
	}
	h := newHAR(s)
	name, version, _ := strings.Cut(s.Tool, " ")
	s.printf(`{"log":{"version":"1.2","creator":{"name":%s,"version":%s},"comment":%s,"entries":[`,
		jsonText(name), jsonText(version), jsonText("session of "+s.Header.Target+insecureWords(s.Header)))
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
		case e.Kind == record.KindDelivery:
			h.delivery(&e)
		}
		if err := s.full(); err != nil {
			return err
		}
	}
	for _, o := range h.order {
		h.end(o)
	}
	s.print("\n]}}\n")
	return nil
}

func jsonText(text string) string { return jsonrpc.Quote(text) }

// add adds an entry. If there are too many open entries, it ends the oldest.
func (h *har) add(o *harOpen) *harOpen {
	h.open[o.key] = o
	h.order = append(h.order, o)
	for len(h.open) > h.maxOpen {
		h.end(h.order[0])
		h.order = h.order[1:]
	}
	if len(h.order) > 4*h.maxOpen {
		h.order = slices.DeleteFunc(h.order, func(o *harOpen) bool { return o.written })
	}
	return o
}

func (h *har) opened(id uint32, at time.Time) *harOpen {
	key := harKey{exchange: id}
	if o := h.open[key]; o != nil {
		return o
	}
	return h.add(&harOpen{key: key, start: at, selected: h.Rows == nil})
}

func (h *har) phase(e *Event) {
	o := h.opened(e.Exchange.ID, e.Time)
	o.exchange = e.Exchange
	o.selected = o.selected || e.Number > 0
	if e.Exchange.Phase == transport.ExchangeDone {
		h.end(o)
	}
}

// body adds a frame to the body that carried the frame. Frames of an event stream are written as
// events again.
func (h *har) body(e *Event) {
	o := h.opened(e.Frame.Exchange, e.Time)
	o.selected = true
	o.addFrame(e, h.changeOf(e))
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

// addFrame adds a frame and its change to an entry.
func (o *harOpen) addFrame(e *Event, c *record.Change) {
	o.entry.Frames = append(o.entry.Frames, e.Number)
	if c == nil {
		return
	}
	change := harChange{Frame: e.Number, Text: c.Text()}
	change.Received, change.Sent = sidesOf(c, func(frame []byte) string { return string(frame) })
	o.entry.Changes = append(o.entry.Changes, change)
}

// end writes an entry, even if the entry is incomplete, unless it was already written.
func (h *har) end(o *harOpen) {
	if h.open[o.key] == o {
		delete(h.open, o.key)
	}
	if o.written {
		return
	}
	o.written = true
	if o.key.exchange == 0 {
		h.write(o)
	} else if o.selected && o.exchange != nil {
		h.exchange(o)
	}
}

// exchange writes the entry of an HTTP exchange.
func (h *har) exchange(o *harOpen) {
	x, entry := o.exchange, &o.entry
	if !x.Start.IsZero() {
		o.start = x.Start
	}
	entry.Purpose, entry.Error = x.Purpose, x.Err
	entry.Request = harRequest{Method: x.Method, URL: x.URL, Headers: harFields(x.RequestHeader), Query: harQuery(x.URL), BodySize: x.Sent}
	output := o.out.String()
	if output == "" {
		output = string(x.RequestBody)
	}
	if output != "" {
		entry.Request.Post = &harPostData{MIME: x.RequestHeader.Get("Content-Type"), Text: output}
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

// stdio makes an entry for each request, with its response, and for each notification.
func (h *har) stdio(e *matched) {
	m := e.Message
	if o := h.open[harKey{row: m.Request}]; o != nil && m.Kind.IsResponse() {
		h.respond(o, &e.Event)
		return
	}
	what := e.Frame.Envelope.MethodName(e.Frame.Bytes)
	if what == "" {
		what = m.Kind.String()
	}
	o := &harOpen{key: harKey{row: m.Row}, start: e.Time, selected: true}
	o.entry.Comment = "client to server over stdio"
	if e.Frame.Dir == transport.In {
		o.entry.Comment = "server to client over stdio"
	}
	o.addFrame(&e.Event, h.changeOf(&e.Event))
	o.entry.Request = harRequest{
		Method: http.MethodPost, URL: (&url.URL{Scheme: "stdio", Host: "server", Path: "/" + what}).String(), BodySize: int64(len(e.Frame.Bytes)),
		Post: &harPostData{MIME: "application/json", Text: string(e.Frame.Bytes)},
	}
	o.entry.Response = harResponse{BodySize: -1, Content: harContent{MIME: "x-unknown"}}
	if before := h.open[harKey{row: e.Reused.Row()}]; before != nil { // no later response can match the earlier request
		h.end(before)
	}
	if m.Kind != jsonrpc.Request {
		h.end(o)
		return
	}
	h.add(o)
}

func (h *har) respond(o *harOpen, e *Event) {
	n := int64(len(e.Frame.Bytes))
	o.addFrame(e, h.changeOf(e))
	o.entry.Response = harResponse{
		Status: http.StatusOK, StatusText: http.StatusText(http.StatusOK), BodySize: n,
		Content: harContent{Size: n, MIME: "application/json", Text: string(e.Frame.Bytes)},
	}
	o.entry.Time = milliseconds(e.Time.Sub(o.start))
	o.entry.Timings.Wait = o.entry.Time
	h.end(o)
}

// write writes an entry, with the members that all entries have.
func (h *har) write(o *harOpen) {
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

// Package behavior extracts from a recording what a client did: what it declares, which lists it requests and
// how completely, how it calls tools, and how it responds to a server. From that it builds a comparison of
// clients, and a [profile.Profile] with which mcptea can impersonate the client.
package behavior

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/store"
)

// A Client describes the client of a recording, and its behavior.
type Client struct {
	Path         string             `json:"recording"`                 // file
	Name         string             `json:"name,omitempty"`            // name in its clientInfo
	Version      string             `json:"version,omitempty"`         // version in its clientInfo
	Server       string             `json:"server,omitempty"`          // name and version of the server
	Tool         string             `json:"tool,omitempty"`            // program that wrote the recording
	Tap          bool               `json:"tap"`                       // recorded by a tap; otherwise the client is mcptea
	Started      time.Time          `json:"started"`                   // time of the first event
	Requested    []string           `json:"protocol_versions"`         // protocol versions that it requested, in order
	Declared     []string           `json:"declared"`                  // capabilities of the host, such as "elicitation.form"
	Lists        []List             `json:"lists"`                     // lists, in the order in which the host first requested them
	Calls        int                `json:"calls"`                     // tools/call
	WithToken    int                `json:"calls_with_progress_token"` // calls with a progress token
	Cancelled    int                `json:"cancelled"`                 // requests that it has cancelled
	CancelledAge []phrase.Millis    `json:"cancelled_after_ms"`        // time for which each cancelled request was pending; at most 100
	Timeout      *Timeout           `json:"timeout,omitempty"`         // how long the host waits for a response; absent if unknown
	Asked        map[string]int     `json:"asked"`                     // server requests and input requests, by method
	Answers      map[string][]Count `json:"answers"`                   // responses of the host, by method
	Headers      map[string]string  `json:"headers,omitempty"`         // HTTP headers that identify the client
	Omitted      []string           `json:"omitted_headers,omitempty"` // protocol headers that it did not send
	Damage       string             `json:"damage,omitempty"`          // why the recording could not be read whole

	frames       []profile.Raw
	surprises    []string // methods of frames that do more than connect and list
	call         profile.Raw
	info         []byte
	capabilities []byte
	undeclared   bool
}

// A List is a list of the server, and how the client used it.
type List struct {
	Method   string `json:"method"`               // method, such as "tools/list"
	Fetched  int    `json:"fetched"`              // number of times that the host requested the list from its start
	Pages    int    `json:"pages"`                // pages requested after the first
	More     int    `json:"more"`                 // results that announced another page
	Early    int    `json:"refetched_within_ttl"` // number of times that the host requested the list again while it was fresh
	Limited  int    `json:"fresh"`                // results that declared a time to live
	Declared bool   `json:"declared"`             // the server declares the capability, or the recording does not show what it declares
}

// A Count is the number of times that the client did something in one way.
type Count struct {
	How   string `json:"how"`   // "accept", "decline", "cancel", "result", "error" or "none"
	Times int    `json:"times"` // number of such responses
}

// bounds of the stored data of a recording
const (
	maxFrames = profile.MaxFrames
	maxAges   = 100
	maxText   = 200
)

// Read reads a recording. The error is from the file or the context.
func Read(ctx context.Context, path string) (*Client, error) {
	st, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	h := st.Header()
	r := &reader{
		client: Client{Path: path, Tool: h.Tool, Tap: h.IsTap(), Requested: []string{}, Declared: []string{}, Lists: []List{}, CancelledAge: []phrase.Millis{}, Asked: map[string]int{}, Answers: map[string][]Count{}},
		lists:  map[string]*fetched{},
	}
	if h.Time != 0 {
		r.client.Started = time.Unix(0, h.Time)
	}
	st.Observe(nil, r.event)
	if err := st.Load(ctx); err != nil {
		return nil, err
	}
	if texts, n := st.Problems(false); n > 0 {
		r.client.Damage = texts[0]
	}
	r.finish()
	r.client.Timeout = r.timeout()
	return &r.client, nil
}

// reader is the fold over the events of a recording.
type reader struct {
	client Client
	apps   record.Apps
	server []byte // capabilities of the server
	driven bool   // a user or a model has begun to use the server
	lists  map[string]*fetched
	order  []string
	posts  int // HTTP requests with a message, after the first
	lacks  map[string]int
	gaveUp []gaveUp
}

// fetched is a list.
type fetched struct {
	List
	fresh time.Time // time until which the newest result is fresh
}

func (r *reader) event(e *record.Event, _ int32, _ store.Row, matches []store.Match) {
	if r.client.Started.IsZero() {
		r.client.Started = e.Time
	}
	if r.apps.Of(e) || e.Beside {
		return
	}
	switch e.Kind {
	case record.KindHTTP:
		r.exchange(e.Exchange)
	case record.KindFrame:
		if side := e.Frame.Side; side != transport.Both && (side != transport.Withheld || e.Frame.Dir != transport.Out) {
			return // the client has not written it, or not like this
		}
		for i := range matches {
			if matches[i].IsMessage() {
				r.message(&matches[i], len(matches) == 1)
			}
		}
	}
}

// message handles a message of either side.
func (r *reader) message(m *store.Match, single bool) {
	switch kind := m.Kind(); {
	case m.Dir == transport.Out && kind == jsonrpc.Request:
		r.request(m, single)
	case m.Dir == transport.Out && kind == jsonrpc.Notification:
		r.notification(m, single)
	case m.Dir == transport.Out && kind.IsResponse() && m.Flow != nil:
		r.answer(m)
	case m.Dir == transport.In && kind == jsonrpc.Request:
		r.client.Asked[phrase.Clip(m.Envelope.MethodName(m.Bytes), maxText)]++
	case m.Dir == transport.In && kind.IsResponse():
		r.response(m)
	}
}

// isDriven reports whether a user or a model has caused a request: no client sends it by itself.
func isDriven(method string) bool {
	switch method {
	case "tools/call", "resources/read", "prompts/get", "completion/complete":
		return true
	}
	return strings.HasPrefix(method, "tasks/") || strings.HasPrefix(method, "skills/read")
}

func (r *reader) request(m *store.Match, single bool) {
	method := m.Envelope.MethodName(m.Bytes)
	params := m.Envelope.Params.Of(m.Bytes)
	switch {
	case isDriven(method):
		r.driven = true
		if method == "tools/call" {
			r.called(m.Bytes, params, single)
		}
		r.inputs(params)
		return
	case isList(method):
		r.listed(method, params, m.Time)
		if _, page := jsonrpc.Member(params, "cursor"); page {
			return
		}
	case method == "ping":
		return
	}
	r.sent(m.Bytes, method, single)
	if method == "initialize" {
		r.know(jsonrpc.Get(params, "clientInfo"), jsonrpc.Get(params, "capabilities"), jsonrpc.Text(params, "protocolVersion"))
	}
	if meta := jsonrpc.Get(params, "_meta"); jsonrpc.Get(meta, revision.MetaProtocolVersion) != nil {
		r.know(jsonrpc.Get(meta, revision.MetaClientInfo), jsonrpc.Get(meta, revision.MetaClientCapabilities), jsonrpc.Text(meta, revision.MetaProtocolVersion))
	}
}

// know stores the client's description of itself. Only the first one counts.
func (r *reader) know(info, capabilities []byte, version string) {
	c := &r.client
	if c.info == nil && info != nil {
		c.info = slices.Clone(info)
		c.Name, c.Version = phrase.Clip(jsonrpc.Text(info, "name"), maxText), phrase.Clip(jsonrpc.Text(info, "version"), maxText)
	}
	if c.capabilities == nil && capabilities != nil {
		c.capabilities = slices.Clone(capabilities)
		c.Declared = declared(capabilities)
	}
	if version != "" && len(c.Requested) < maxFrames && !slices.Contains(c.Requested, version) {
		c.Requested = append(c.Requested, phrase.Clip(version, maxText))
	}
}

// declared returns the names of capabilities, including those of their members.
func declared(capabilities []byte) []string {
	all := []string{}
	for name, value := range jsonrpc.Members(capabilities) {
		if len(all) >= maxFrames {
			break
		}
		clipped := phrase.Clip(string(name), maxText)
		before := len(all)
		for member := range jsonrpc.Members(value) {
			if len(all) < maxFrames {
				all = append(all, clipped+"."+phrase.Clip(string(member), maxText))
			}
		}
		if len(all) == before {
			all = append(all, clipped)
		}
	}
	return all
}

// sent keeps a frame that the client has sent by itself, the first of its method.
func (r *reader) sent(frame []byte, method string, single bool) {
	c := &r.client
	if r.driven || !single || len(c.frames) >= maxFrames {
		return
	}
	raw, err := profile.NewRaw(jsonrpc.OneLine(frame))
	if err != nil {
		return
	}
	if profile.Surprise(raw) != "" {
		if method = phrase.Clip(method, maxText); len(c.surprises) < maxFrames && !slices.Contains(c.surprises, method) {
			c.surprises = append(c.surprises, method)
		}
		return
	}
	if !slices.ContainsFunc(c.frames, func(f profile.Raw) bool { return f.Method() == method }) {
		c.frames = append(c.frames, raw)
	}
}

// called handles a tool call. It keeps only the form of the frame.
func (r *reader) called(frame, params []byte, single bool) {
	c := &r.client
	c.Calls++
	token := jsonrpc.Get(params, "_meta", "progressToken")
	if token != nil {
		c.WithToken++
	}
	if c.call.IsZero() && single && len(params) > 0 {
		form := `{"name":"","arguments":{}}`
		if token != nil {
			form = `{"name":"","arguments":{},"_meta":{"progressToken":0}}`
		}
		at := jsonrpc.SpanOf(frame, jsonrpc.Get(frame, "params"))
		if raw, err := profile.NewRaw(jsonrpc.OneLine(slices.Concat(frame[:at.Start], []byte(form), frame[at.End:]))); err == nil && profile.CheckCall(raw) == nil {
			c.call = raw
		}
	}
}

// isList reports the request of a list.
func isList(method string) bool {
	return slices.ContainsFunc(client.ListKinds, func(k client.ListKind) bool { return k.Method == method })
}

func (r *reader) list(method string) *fetched {
	l := r.lists[method]
	if l == nil {
		l = &fetched{List: List{Method: method}}
		r.lists[method], r.order = l, append(r.order, method)
	}
	return l
}

func (r *reader) listed(method string, params []byte, at time.Time) {
	l := r.list(method)
	if _, page := jsonrpc.Member(params, "cursor"); page {
		l.Pages++
		return
	}
	l.Fetched++
	if at.Before(l.fresh) {
		l.Early++
	}
}

// response handles a response of the server: how long it is fresh, and whether there are more pages.
func (r *reader) response(m *store.Match) {
	result := m.Envelope.Result.Of(m.Bytes)
	if len(result) == 0 {
		return
	}
	switch {
	case m.Method == "initialize" && r.server == nil:
		r.serves(jsonrpc.Get(result, "capabilities"), jsonrpc.Get(result, "serverInfo"))
	case m.Method == "server/discover" && r.server == nil:
		r.serves(jsonrpc.Get(result, "capabilities"), jsonrpc.Get(result, "_meta", revision.MetaServerInfo))
	case isList(m.Method):
		l := r.list(m.Method)
		if cursor := jsonrpc.Get(result, "nextCursor"); cursor != nil && string(cursor) != "null" {
			l.More++
		}
		if f := client.FreshnessOf(result); f.Explicit {
			l.Limited++
			l.fresh = m.Time.Add(f.TTL)
		}
	}
	for _, request := range jsonrpc.Members(jsonrpc.Get(result, "inputRequests")) {
		r.client.Asked[phrase.Clip(jsonrpc.Text(request, "method"), maxText)]++
	}
}

func (r *reader) serves(capabilities, info []byte) {
	if len(capabilities) == 0 {
		capabilities = []byte("{}")
	}
	r.server = slices.Clone(capabilities)
	r.client.Server = strings.TrimSpace(phrase.Clip(jsonrpc.Text(info, "name"), maxText) + " " + phrase.Clip(jsonrpc.Text(info, "version"), maxText))
}

func (r *reader) notification(m *store.Match, single bool) {
	method := m.Envelope.MethodName(m.Bytes)
	if method != "notifications/cancelled" {
		r.sent(m.Bytes, method, single)
		return
	}
	r.client.Cancelled++
	r.cancels(m)
	if m.Flow != nil && len(r.client.CancelledAge) < maxAges {
		r.client.CancelledAge = append(r.client.CancelledAge, phrase.Millis(m.Time.Sub(m.Flow.Start)))
	}
}

// finish completes the result after the last event.
func (r *reader) finish() {
	c := &r.client
	for _, method := range r.order {
		l := r.lists[method]
		if l.Fetched+l.Pages == 0 {
			continue
		}
		kind := client.ListKinds[slices.IndexFunc(client.ListKinds, func(k client.ListKind) bool { return k.Method == method })]
		l.Declared = revision.Declares(r.server, kind.Capability()...)
		c.undeclared = c.undeclared || r.server != nil && !l.Declared
		l.Declared = l.Declared || r.server == nil
		c.Lists = append(c.Lists, l.List)
	}
	for method, n := range c.Asked {
		answered := 0
		for _, a := range c.Answers[method] {
			answered += a.Times
		}
		_, known := answerKinds[method]
		if n > answered && known {
			c.Answers[method] = append(c.Answers[method], Count{"none", n - answered})
		}
	}
	for _, header := range slices.Sorted(maps.Keys(r.lacks)) {
		if r.lacks[header] == r.posts && r.posts > 0 {
			c.Omitted = append(c.Omitted, header)
		}
	}
}

// Title returns the name of the client, with its version.
func (c *Client) Title() string {
	title := cmp.Or(jsonrpc.Text(c.info, "title"), c.Name)
	return cmp.Or(strings.TrimSpace(phrase.Clip(title, maxText)+" "+c.Version), "a client without a name")
}

package probes

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
)

// A row is a line of steps.jsonl: what a probe needs, a sample that it sends, or a verdict about
// the previous samples. The id names the probe. In a step that a function runs, a word may follow
// the id. The README describes the syntax of the texts.
type row struct {
	ID    string `json:"id"`
	Needs string `json:"needs"` // why the probe is skipped without it; see [needs]

	// A sample. Send is a key of [senders]; if empty, the previous sample's is used. Each repeats the row with
	// {each} as a value.
	Send    string          `json:"send"`
	On      string          `json:"on"`   // key of [connections], for this sample and later ones
	Name    string          `json:"name"` // description in a few words
	What    string          `json:"what"` // the same in the messages
	Subject string          `json:"subject"`
	Each    []string        `json:"each"`
	Is      string          `json:"is"`     // words for the conditions
	Unless  string          `json:"unless"` // when it is not sent
	As      string          `json:"as"`     // the raw id of the request
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Frame   json.RawMessage `json:"frame"`
	// Of a raw HTTP request. A header without a value is removed.
	Verb        string      `json:"verb"`
	Header      http.Header `json:"header"`
	HeadersOnly bool        `json:"headers_only"`
	MayFail     bool        `json:"may_fail"`

	// Verdict is the name of the verdict, which selects its sentence in grounds.jsonl. The name of a sample
	// applies to verdicts about it that have none.
	Verdict string `json:"verdict"`

	// The first verdict whose condition holds applies. A verdict without a message ends the judging.
	When  string `json:"when"`
	Error string `json:"error"`
	Warn  string `json:"warn"`
	Info  string `json:"info"`
	Fix   string `json:"fix"` // replaces the fix of the probe, which may be about something else
	// Claim is "executes" if a result shows that the server ignores params, and "itself" if the result is wrong
	// for any request: see [probe.Judgment].
	Claim string `json:"claim"`
	// All has the findings about all subjects be one.
	All bool `json:"all"`
}

//go:embed steps.jsonl
var table []byte

// A part holds the rows of an id: the requirements of the probe, and its steps.
type part struct {
	needs string
	steps []step
}

// A step is a sequence of samples, and how to judge each outcome.
type step struct{ samples, verdicts []row }

var parts = sync.OnceValue(func() map[string]part {
	all := map[string]part{}
	for _, w := range catalog.Read[row](table) {
		s := all[w.ID]
		isSample := w.Needs == "" && w.When == ""
		if n := len(s.steps); n == 0 || isSample && len(s.steps[n-1].verdicts) > 0 {
			s.steps = append(s.steps, step{})
		}
		switch last := &s.steps[len(s.steps)-1]; {
		case w.Needs != "":
			s.needs = w.Needs
		case isSample:
			last.samples = append(last.samples, w)
		default:
			last.verdicts = append(last.verdicts, w)
		}
		all[w.ID] = s
	}
	return all
})

// A job sends the samples of steps and judges the outcomes. The zero values of its fields select the senders'
// own connections.
type job struct {
	*probe.Run
	conn    *probe.Conn
	session http.Header // headers of raw requests
	send    func(s *sample) probe.Outcome
}

// sample is a row with all values in place, and its outcome.
type sample struct {
	*probe.Run
	is                  []string // words for the conditions
	name, what, subject string
	verdict             string
	params              string
	http                probe.HTTPRequest
	values              map[string]string
	frame               func(c *probe.Conn) []byte
	o                   probe.Outcome
}

// run sends the samples of an id and judges them. pairs holds names and values of placeholders. A name whose
// value is not empty is also a true condition.
func (j job) run(id string, pairs ...string) {
	given := valuesOf(pairs)
	for _, step := range parts()[id].steps {
		for i := range step.samples {
			w := &step.samples[i]
			if w.Unless != "" && (&sample{Run: j.Run, values: given}).holds(w.Unless) {
				continue
			}
			if begin := connections[w.On]; begin != nil {
				begin(&j)
			}
			if w.Send != "" {
				j.send = func(s *sample) probe.Outcome { return senders[w.Send](j, s) }
			}
			for _, each := range append([]string{""}, w.Each...)[min(len(w.Each), 1):] {
				values := maps.Clone(given)
				values["each"] = catalog.Fill(each, valueIn(given))
				s := j.sample(w, values)
				s.o = j.send(s)
				s.judge(step.verdicts)
			}
		}
	}
}

// judge judges an outcome by the verdicts of an id. The values of {what} and {subject}
// are among the pairs.
func (j job) judge(id string, o probe.Outcome, pairs ...string) {
	values := valuesOf(pairs)
	s := &sample{Run: j.Run, what: values["what"], subject: values["subject"], values: values, o: o}
	s.judge(parts()[id].steps[0].verdicts)
}

func valuesOf(pairs []string) map[string]string {
	values := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		values[pair[0]] = pair[1]
	}
	return values
}

// sample puts values into a row.
func (j job) sample(w *row, values map[string]string) *sample {
	fill := func(text string, quote func(string) string) string {
		return catalog.Fill(text, func(name string) string {
			if value := builtin[name]; value != nil {
				return quote(value(j.Run))
			}
			return quote(valueIn(values)(name))
		})
	}
	plain := func(text string) string { return fill(text, func(v string) string { return v }) }
	// JSON has its values within strings; a string is text, which may be no JSON.
	raw := func(text json.RawMessage) string {
		if s, ok := jsonrpc.Unquote(text); ok {
			return plain(s)
		}
		return fill(string(text), func(v string) string { return strings.TrimSuffix(probe.JSON(v)[1:], `"`) })
	}
	of := strings.NewReplacer(`"$info"`, j.ClientInfo(), `"$capabilities"`, j.ClientCapabilities(), `"$metaCapabilities"`, j.MetaCapabilities())
	s := &sample{Run: j.Run, is: strings.Fields(w.Is), name: plain(w.Name), what: plain(w.What), subject: plain(w.Subject), verdict: w.Verdict, params: of.Replace(raw(w.Params)), values: values}
	if s.what == "" {
		s.what = s.name
	}
	s.http = probe.HTTPRequest{Method: plain(w.Verb), Session: j.session, HeadersOnly: w.HeadersOnly, MayFail: w.MayFail}
	for name, texts := range w.Header {
		if s.http.Header == nil {
			s.http.Header = http.Header{}
		}
		s.http.Header[name] = nil
		for _, text := range texts {
			if v := plain(text); v != "" {
				s.http.Header[name] = append(s.http.Header[name], v)
			}
		}
	}
	s.frame = func(c *probe.Conn) []byte {
		switch {
		case w.As != "":
			return c.RequestAs(jsonrpc.IDOf(plain(w.As)), pingMethod(j.Run), s.params)
		case w.Frame != nil:
			return complete(c, of.Replace(raw(w.Frame)))
		case w.Method != "":
			return c.Request(plain(w.Method), s.params)
		}
		return nil
	}
	return s
}

// builtin maps the placeholders of all samples to their values: the methods of a list and of a ping, the first
// request of a connection, the first callable tool, and values given by the user. A nonempty value also makes a
// condition of the same name true.
var builtin = map[string]func(*probe.Run) string{
	"list":       listMethod,
	"ping":       pingMethod,
	"initialize": func(r *probe.Run) string { return string(r.InitializeBody()) },
	"random":     (*probe.Run).Random,
	"expired":    func(r *probe.Run) string { return r.Tokens().Expired },
	"foreign":    func(r *probe.Run) string { return r.Tokens().Foreign },
	"token":      func(r *probe.Run) string { return r.Tokens().LowScope },
	"tool": func(r *probe.Run) string {
		if s := r.Callables(); len(s) > 0 {
			return s[0].Name
		}
		return ""
	},
}

// complete replaces the placeholders of a frame that depend on the connection: $id with a new id, $meta with
// the params of a ping, $request with a whole ping. $info, $capabilities and $metaCapabilities, which describe
// the client that mcptea impersonates, are replaced earlier.
func complete(c *probe.Conn, frame string) []byte {
	params, _ := jsonrpc.Member(c.Ping(), "params")
	if len(params) == 0 {
		params = []byte("{}")
	}
	for strings.Contains(frame, "$request") {
		ping := string(c.Ping())
		frame = strings.Replace(strings.Replace(frame, `"$request"`, ping, 1), "$request", ping, 1)
	}
	id := c.ID().String()
	return []byte(strings.NewReplacer(`"$id"`, id, "$id", id, `"$meta"`, string(params)).Replace(frame))
}

// pingMethod returns a method that this server answers.
func pingMethod(r *probe.Run) string { return r.SignOfLife() }

// senders maps names to functions that send a sample: correct requests on the shared connection (ask),
// malformed frames on another one (provoke), correct frames that need no response (tolerate), raw HTTP requests
// (post). asis is post over HTTP, otherwise provoke.
var senders = map[string]func(j job, s *sample) probe.Outcome{
	"ask": func(j job, s *sample) probe.Outcome {
		c := j.on(j.Shared)
		return j.Ask(c, s.name, s.frame(c))
	},
	"provoke": func(j job, s *sample) probe.Outcome {
		c := j.on(j.Dirty)
		return j.Provoke(c, s.name, s.frame(c))
	},
	"tolerate": func(j job, s *sample) probe.Outcome {
		c := j.on(j.Shared)
		return j.Provoke(c, s.name, s.frame(c))
	},
	"alone": func(j job, s *sample) probe.Outcome { return initializeAlone(j.Run, s.name, s.values["each"]) },
	"call": func(j job, s *sample) probe.Outcome { // calls a tool that does not exist; the params are its arguments
		c := j.Dirty()
		return j.Provoke(c, s.name, c.Request("tools/call", `{"name":"`+noTool+`","arguments":`+s.params+`}`))
	},
	"post": post,
	"asis": func(j job, s *sample) probe.Outcome {
		if j.IsHTTP() {
			return post(j, s)
		}
		c := j.Dirty()
		return j.Provoke(c, s.name, s.frame(c))
	},
}

// connections maps names to functions that open a connection for a job: a session of raw requests, one that
// must have an id, a negotiated connection, and one for stateless requests.
var connections = map[string]func(j *job){
	"session":    func(j *job) { j.session = j.Session() },
	"session id": func(j *job) { j.session = session(j.Run) },
	"ready":      func(j *job) { j.conn = j.Ready() },
	"stateless": func(j *job) {
		j.conn = j.Open()
		j.conn.UseRevision(revision.NewestStateless)
	},
}

// post sends a raw HTTP request.
func post(j job, s *sample) probe.Outcome {
	if s.http.Body == nil {
		s.http.Body = s.frame(j.Maker())
	}
	return j.HTTP(s.name, s.http)
}

// on returns the connection of the job. If it has none, it calls other.
func (j job) on(other func() *probe.Conn) *probe.Conn {
	if j.conn != nil {
		return j.conn
	}
	return other()
}

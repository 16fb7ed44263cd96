package probes

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// row is a line of steps.jsonl: what a probe needs, a sample that it sends, or a verdict
// about the samples before it. The id is that of the probe; a step that a function runs
// may have a word behind it. The README says what the texts may have in them.
type row struct {
	ID    string `json:"id"`
	Needs string `json:"needs"` // why the probe is skipped without it; see [needs]

	// A sample. Send is a key of [senders], and that of the sample before if it is empty.
	// Each repeats the row, with {each} as a value.
	Send    string          `json:"send"`
	On      string          `json:"on"`   // a key of [connections], for it and those after it
	Name    string          `json:"name"` // in a few words
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

	// A verdict is the first whose condition holds; one without a message ends the
	// judgement.
	When  string `json:"when"`
	Error string `json:"error"`
	Warn  string `json:"warn"`
	Info  string `json:"info"`
}

// isVerdict tells a verdict from a sample.
func (w *row) isVerdict() bool { return w.When != "" }

//go:embed steps.jsonl
var steps []byte

var allSteps = catalog.Lazy[row](steps)

// stepsOf are the rows of an id.
func stepsOf(id string) []row {
	all := allSteps()
	from := slices.IndexFunc(all, func(w row) bool { return w.ID == id })
	if from < 0 {
		return nil
	}
	n := slices.IndexFunc(all[from:], func(w row) bool { return w.ID != id })
	if n < 0 {
		n = len(all) - from
	}
	return all[from : from+n]
}

// job sends the samples of steps and judges the outcomes. The zero value of what it has
// beside the run is for the connections that the senders choose.
type job struct {
	*probe.Run
	conn    *probe.Conn
	session http.Header // of raw requests
	send    func(s sample) probe.Outcome
}

// sample is a row with all values in place.
type sample struct {
	*row
	name, what, subject string
	params              string
	http                probe.HTTPRequest
	values              map[string]string
	frame               func(c *probe.Conn) []byte
}

// run sends the samples of an id and judges them. pairs are names and values for the
// holes; a name is also a word of the conditions if its value is not empty.
func (j job) run(id string, pairs ...string) {
	rows, given := stepsOf(id), valuesOf(pairs)
	send := ""
	for i := range rows {
		w := rows[i]
		if w.isVerdict() || w.Needs != "" || w.Unless != "" && (judged{Run: j.Run, sample: sample{row: &w, values: given}}).holds(w.Unless) {
			continue
		}
		if w.Send != "" {
			send = w.Send
		}
		if begin := connections[w.On]; begin != nil {
			begin(&j)
		}
		verdicts := rows[i:]
		verdicts = verdicts[max(0, slices.IndexFunc(verdicts, func(v row) bool { return v.isVerdict() })):]
		if n := slices.IndexFunc(verdicts, func(v row) bool { return !v.isVerdict() }); n >= 0 {
			verdicts = verdicts[:n]
		}
		for _, each := range append([]string{""}, w.Each...)[min(len(w.Each), 1):] {
			values := maps.Clone(given)
			values["each"] = catalog.Fill(each, valueIn(given))
			s := j.sample(&w, values)
			do := j.send
			if do == nil {
				do = func(s sample) probe.Outcome { return senders[send](j, s) }
			}
			judged{j.Run, s, do(s)}.judge(verdicts)
		}
	}
}

// judge judges an outcome by the verdicts of an id. The values of {what} and {subject}
// are among the pairs.
func (j job) judge(id string, o probe.Outcome, pairs ...string) {
	values := valuesOf(pairs)
	judged{j.Run, sample{row: &row{}, name: values["case"], what: values["what"], subject: values["subject"], values: values}, o}.judge(stepsOf(id))
}

func valuesOf(pairs []string) map[string]string {
	values := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		values[pair[0]] = pair[1]
	}
	return values
}

// sample puts values into a row.
func (j job) sample(w *row, values map[string]string) sample {
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
	s := sample{row: w, name: plain(w.Name), what: plain(w.What), subject: plain(w.Subject), params: raw(w.Params), values: values}
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
			return c.RequestAs(jsonrpc.ID(plain(w.As)), pingMethod(j.Run), s.params)
		case w.Frame != nil:
			return complete(j.Run, c, raw(w.Frame))
		case w.Method != "":
			return c.Request(plain(w.Method), s.params)
		}
		return nil
	}
	return s
}

// builtin are the holes of all samples, and words of conditions if they are not empty: the
// methods of a list and of a ping, the first request of a connection, the first tool that
// may be called, and what the user has given.
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

// complete puts what only a connection has into a frame: $id is a new id, $meta the
// params that a ping needs, $request is a whole ping.
func complete(r *probe.Run, c *probe.Conn, frame string) []byte {
	params, _ := jsonrpc.Member(c.Ping(), "params")
	if len(params) == 0 {
		params = []byte("{}")
	}
	for strings.Contains(frame, "$request") {
		ping := string(c.Ping())
		frame = strings.Replace(strings.Replace(frame, `"$request"`, ping, 1), "$request", ping, 1)
	}
	id := string(c.ID())
	return []byte(strings.NewReplacer(`"$id"`, id, "$id", id, `"$meta"`, string(params)).Replace(frame))
}

// pingMethod is a method that each server has.
func pingMethod(r *probe.Run) string {
	if r.IsStateless() {
		return "server/discover"
	}
	return "ping"
}

// senders send a sample: correct requests on the shared connection (ask), malformed frames
// on another one (provoke), correct frames that need no response (tolerate), raw HTTP
// requests (post); asis is post over HTTP, else provoke.
var senders = map[string]func(j job, s sample) probe.Outcome{
	"ask": func(j job, s sample) probe.Outcome {
		c := j.on(j.Shared)
		return j.Ask(c, s.name, s.frame(c))
	},
	"provoke": func(j job, s sample) probe.Outcome {
		c := j.on(j.Dirty)
		return j.Provoke(c, s.name, s.frame(c))
	},
	"tolerate": func(j job, s sample) probe.Outcome {
		c := j.on(j.Shared)
		return j.Provoke(c, s.name, s.frame(c))
	},
	"alone": func(j job, s sample) probe.Outcome { return initializeAlone(j.Run, s.name, s.values["each"]) },
	"call": func(j job, s sample) probe.Outcome { // of a tool that does not exist; the params are its arguments
		c := j.Dirty()
		return j.Provoke(c, s.name, c.Request("tools/call", `{"name":"`+noTool+`","arguments":`+s.params+`}`))
	},
	"post": post,
	"asis": func(j job, s sample) probe.Outcome {
		if j.IsHTTP() {
			return post(j, s)
		}
		c := j.Dirty()
		return j.Provoke(c, s.name, s.frame(c))
	},
}

// connections are those that a job can open: a session of raw requests, one that must have
// an id, a negotiated connection, and one for stateless requests.
var connections = map[string]func(j *job){
	"session":    func(j *job) { j.session = j.Session() },
	"session id": func(j *job) { j.session = session(j.Run) },
	"fresh":      func(j *job) { j.conn = j.Fresh() },
	"stateless": func(j *job) {
		j.conn = j.Open()
		j.conn.UseRevision(revision.NewestStateless)
	},
}

// post sends a raw HTTP request.
func post(j job, s sample) probe.Outcome {
	if s.http.Body == nil {
		s.http.Body = s.frame(j.Maker())
	}
	return j.HTTP(s.name, s.http)
}

// on is the connection of the job, or the one that a sender uses otherwise.
func (j job) on(other func() *probe.Conn) *probe.Conn {
	if j.conn != nil {
		return j.conn
	}
	return other()
}

// judged is the outcome of a sample.
type judged struct {
	*probe.Run
	sample
	o probe.Outcome
}

// judge reports the first verdict that applies.
func (j judged) judge(verdicts []row) {
	i := slices.IndexFunc(verdicts, func(v row) bool { return v.isVerdict() && j.holds(v.When) })
	if i < 0 {
		return
	}
	for severity, text := range []string{verdicts[i].Error, verdicts[i].Warn, verdicts[i].Info} {
		if text != "" {
			j.About(lint.Severity(severity), j.subject, "%s", catalog.Fill(text, j.value))
		}
	}
}

// value is what a hole in a message stands for.
func (j judged) value(name string) string {
	switch name {
	case "case":
		return j.name
	case "what":
		return j.what
	case "outcome":
		return probe.Describe(j.o)
	case "code":
		return j.o.ShownCode()
	case "message":
		return j.o.Message
	case "id":
		return string(j.o.ID)
	case "status":
		return strconv.Itoa(j.o.Status)
	case "media":
		return mediaType(j.o)
	case "version":
		return strings.Trim(strconv.Quote(versionOf(j.o)), `"`)
	case "took":
		return j.o.Took.Round(100 * time.Millisecond).String()
	case "list":
		return listMethod(j.Run)
	}
	return valueIn(j.values)(name)
}

// valueIn is the value of a hole; one without a value stays.
func valueIn(values map[string]string) func(name string) string {
	return func(name string) string {
		if v, ok := values[name]; ok {
			return v
		}
		return "{" + name + "}"
	}
}

// holds reports whether all words of a condition do; ! negates one.
func (j judged) holds(when string) bool {
	for word := range strings.FieldsSeq(when) {
		word, negated := strings.CutPrefix(word, "!")
		if j.is(word) == negated {
			return false
		}
	}
	return true
}

// is reports whether a word holds.
func (j judged) is(word string) bool {
	name, value, _ := strings.Cut(word, "=")
	if is := conditions[name]; is != nil {
		return is(j, value)
	}
	if given := builtin[word]; given != nil {
		return given(j.Run) != ""
	}
	return slices.Contains(strings.Fields(j.row.Is), word) || j.values[word] != ""
}

// conditions are the words of a condition that are not of the sample.
var conditions = map[string]func(j judged, value string) bool{
	"always":     func(judged, string) bool { return true },
	"result":     func(j judged, _ string) bool { return j.o.Kind == probe.Result },
	"error":      func(j judged, _ string) bool { return j.o.Kind == probe.Error },
	"silent":     func(j judged, _ string) bool { return j.o.Kind == probe.Silent },
	"refused":    func(j judged, _ string) bool { return j.o.Kind == probe.Refused },
	"dead":       func(j judged, _ string) bool { return j.o.Kind == probe.Dead },
	"refusal":    func(j judged, _ string) bool { return j.o.IsRefusal() },
	"ok":         func(j judged, _ string) bool { return j.o.OK() },
	"rejected":   func(j judged, _ string) bool { return j.o.Refused() },
	"failed":     func(j judged, _ string) bool { return j.o.Err != nil },
	"executed":   func(j judged, _ string) bool { return executed(j.o) },
	"asks":       func(j judged, _ string) bool { return asks(j.o) },
	"tool_error": func(j judged, _ string) bool { return j.o.ToolError() },
	"http":       func(j judged, _ string) bool { return j.IsHTTP() },
	"stateless":  func(j judged, _ string) bool { return j.IsStateless() },
	"both":       func(j judged, _ string) bool { return hasSessions(j.Run) },
	"code": func(j judged, value string) bool {
		return slices.ContainsFunc(strings.Split(value, ","), func(code string) bool {
			n, err := strconv.ParseInt(code, 10, 64)
			return err == nil && j.o.IsError(n)
		})
	},
	"status": func(j judged, value string) bool { return strconv.Itoa(j.o.Status) == value },
	"from": func(j judged, value string) bool { // an HTTP status
		n, err := strconv.Atoi(value)
		return err == nil && j.o.Status >= n
	},
	"header": func(j judged, value string) bool {
		name, text, _ := strings.Cut(value, ":")
		got := j.o.Header.Get(name)
		return got != "" && strings.Contains(got, text)
	},
	"took": func(j judged, value string) bool { // milliseconds
		n, err := strconv.Atoi(value)
		return err == nil && j.o.Took > time.Duration(n)*time.Millisecond
	},
	"has": func(j judged, value string) bool { return j.o.Member(value) != nil },
	"some": func(j judged, value string) bool {
		path := strings.Split(value, "/")
		return hasElements(j.o.Member(path[0], path[1:]...))
	},
	"frame":      func(j judged, value string) bool { return bytes.Contains(j.o.Frame, []byte(value)) },
	"body":       func(j judged, value string) bool { return bytes.Contains(j.o.Body, []byte(value)) },
	"since":      func(j judged, value string) bool { return j.Since(revision.Revision(value)) },
	"capability": func(j judged, value string) bool { return j.Server.Has(value) },
	"lists": func(j judged, _ string) bool {
		_, ok := j.Server.FirstList()
		return ok
	},
	"responds": func(j judged, _ string) bool { // to what should get no response
		return j.o.Kind == probe.Result || j.o.Kind == probe.Error && j.o.Status < http.StatusBadRequest
	},
	"released": func(j judged, _ string) bool { return isReleased(versionOf(j.o)) },
	"selected": func(j judged, _ string) bool { return versionOf(j.o) == j.values["each"] },
	"other_id": func(j judged, _ string) bool {
		return j.o.Kind <= probe.Error && !sameID(string(j.o.ID), j.values["each"])
	},
	"bearer": func(j judged, _ string) bool {
		return strings.HasPrefix(strings.ToLower(j.o.Header.Get("WWW-Authenticate")), "bearer")
	},
	"metadata":  func(j judged, _ string) bool { return metadataURL().MatchString(j.o.Header.Get("WWW-Authenticate")) },
	"same_type": func(j judged, _ string) bool { return j.o.Frame == nil || strings.Contains(j.what, mediaType(j.o)) },
	"named_version": func(j judged, _ string) bool {
		return slices.ContainsFunc(revision.All(), func(v revision.Revision) bool { return strings.Contains(string(j.o.Frame), string(v)) })
	},
}

// needs are what probes need of a server, by why they are skipped without it.
var needs = map[string]func(r *probe.Run) bool{
	"capability with a list":                   func(r *probe.Run) bool { _, ok := r.Server.FirstList(); return ok },
	"capability tools":                         func(r *probe.Run) bool { return r.Server.Has("tools") },
	"capability tasks":                         hasTasks,
	"capability tasks.requests.tools.call":     func(r *probe.Run) bool { return r.Server.Has("tasks.requests.tools.call") },
	"no callable tool":                         func(r *probe.Run) bool { return len(r.Callables()) > 0 },
	"no resources":                             func(r *probe.Run) bool { return len(r.Server.Items(client.Resources)) > 0 },
	"no templates":                             func(r *probe.Run) bool { return len(r.Server.Items(client.Templates)) > 0 },
	"no prompts":                               func(r *probe.Run) bool { return len(r.Server.Items(client.Prompts)) > 0 },
	"no authorization":                         (*probe.Run).Authorized,
	"needs --baseline":                         func(*probe.Run) bool { return false }, // package report judges it
	"needs --fuzz":                             (*probe.Run).Fuzzing,
	"needs --token-lowscope":                   func(r *probe.Run) bool { return r.Tokens().LowScope != "" },
	"needs --token-expired or --token-foreign": func(r *probe.Run) bool { return r.Tokens().Expired+r.Tokens().Foreign != "" },
}

package failure

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcptea/client"
	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/facts"
)

// An Explanation is a failure in words. Sentence and Causes are texts of mcptea, with text of a server in
// quotes, so they can be drawn unchanged.
type Explanation struct {
	Sentence string      // the observation: only facts, with a full stop
	Attempt  []Line      // the attempt: command line, directory, URL
	Steps    []Line      // steps of connecting that were reached
	Evidence []Line      // output and frames that show the failure
	Fate     []Line      // whether a call that got no response may have been carried out; at most one line
	Causes   []Candidate // possible causes, strongest first
	Idle     bool        // a connected server ended while no request was pending
	Exited   bool        // the sentence says how the process ended
	quiet    bool        // the sentence says that nothing came on stderr
	said     bool        // the peer has said in words what is wrong

	Target client.Target // target of the session, with its secrets; its methods redact them

	words words     // message of the peer, or the zero value
	own   Candidate // cause that the rows conclude from the end of the process
}

// A Kind is the subject of a line, in one or two words: its label.
type Kind string

// The kinds that are not shown as a label and a text.
const (
	KindProcess   Kind = "process"
	KindStdout    Kind = "stdout" // text on stdout that is not a message
	KindStderr    Kind = "stderr"
	KindPresented Kind = "presented" // certificates of the server
	KindHeader    Kind = "header"    // NAME: VALUE of an HTTP response
	KindBody      Kind = "body"      // start of the body of an HTTP response
	KindHTTP      Kind = "http"      // the exchange that failed, in one line

	kindAuthorization Kind = "auth"
	kindLooked        Kind = "looked at"
	kindInstalled     Kind = "installed" // version on disk of a package that an error names
)

// A Line is one line of an explanation.
type Line struct {
	Kind Kind   `json:"label"` // one or two words of mcptea
	Text string `json:"text"`  // may be text of the server
	// Foreign marks untrusted text. It must be sanitized before it is drawn.
	Foreign bool `json:"-"`
}

// Lines returns all parts after the sentence, in reading order. A label that repeats the previous one need not
// be drawn again.
func (e Explanation) Lines() []Line {
	lines := slices.Concat(e.Attempt, e.Steps, e.Evidence, e.Fate)
	if cause := e.Cause(); cause != "" {
		lines = append(lines, Line{Kind: "cause", Text: cause})
	}
	if try := e.Try(); try != "" {
		lines = append(lines, Line{Kind: "try", Text: try})
	}
	return lines
}

// Authorization returns the lines about the steps of the authorization.
func (e Explanation) Authorization() []Line {
	return slices.DeleteFunc(slices.Clone(e.Steps), func(l Line) bool { return l.Kind != kindAuthorization })
}

// Explain explains an error of [session.Session.Connect], of a call, or of a
// list. The facts may be incomplete, the zero Facts included.
func Explain(err error, f Facts) Explanation {
	known := f.known()
	// The connection may have existed before, or the error came first.
	f.Connected = f.Connected && !as[*client.ConnectError](err)
	f.stderr, f.Stray, f.late = redactLines(known, f.stderr), redactLines(known, f.Stray), secret.Text(known.Redact(f.late))
	f = f.about(err)
	e := suspectToken(withDiscovery(classify(err, f), f, err).with("limit", situation{"is": err}), err, f).rank()
	if len(f.changed) > 0 && !as[*client.TimeoutError](err) {
		// An action of mcptea is not an action of the server.
		e.Causes = nil
		e = e.with("changed", nil).rank()
	}
	if known := facts.Of(f.recorded(), facts.Refusal{}); known.Around.Echo {
		e.Causes = nil
		e = e.with("echo", nil).rank()
	}
	e = e.voiced(f).unfilled(f)
	e.Attempt, e.Target = f.attempt(), f.target
	e.Steps = slices.Concat(f.steps(), f.era(err))
	if !e.OtherThanLogin() {
		e.Steps = append(e.Steps, f.authorizationOf(err)...)
	}
	e.Evidence = append(e.Evidence, f.evidence(e)...)
	e.Fate = f.fate()
	if e.isGeneric() {
		e.Evidence = append(e.Evidence, f.lookedAt()...)
	}
	redact := func(text string) string {
		const reach = 1 << 10 // so that a secret at the cut is recognized
		return clip(secret.Text(known.Redact(text[:min(len(text), maxText+reach)])))
	}
	e.Sentence = redact(e.Sentence)
	for i, c := range e.Causes {
		// Advice names placeholders that look like secrets.
		if !c.isOwn {
			e.Causes[i].Cause = redact(c.Cause)
		}
		e.Causes[i].Remedy.Text = clip(known.Redact(c.Remedy.Text))
	}
	for _, lines := range [...][]Line{e.Steps, e.Evidence} {
		for i := range lines {
			lines[i].Text = redact(lines[i].Text)
		}
	}
	return e
}

// redactLines redacts lines before they are cut and quoted: a part of a secret
// would not be recognized.
func redactLines(known *secret.Values, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = secret.Text(known.Redact(l))
	}
	return out
}

// maxText bounds each text of an explanation, in bytes. Text of the peer may be long.
const maxText = 1200

func clip(s string) string { return phrase.Clip(s, maxText) }

// classify returns the sentence, the cause and the advice. The order matters: outer errors know more than the
// errors that they wrap.
func classify(err error, f Facts) Explanation {
	if err == nil {
		return Explanation{Sentence: "Nothing went wrong."}
	}
	if errors.Is(err, context.Canceled) && as[*client.ConnectError](err) {
		return Explanation{Sentence: "Connecting was cancelled. The server had not responded until then."}
	}
	f.err = err
	for _, explain := range []func(Facts) (Explanation, bool){
		when(noTransport), when(notStarted), when(noCommonRevision), when(noFirstResponse), when(invalidResponse), when(taskError),
		when(errorResponse), when(wrongContent), when(unauthorized), when(badStatus),
	} {
		if e, ok := explain(f); ok {
			return e
		}
	}
	if unanswered, ok := errors.AsType[*mcphttp.LostError](err); ok {
		if e, ok := lost(unanswered, f); ok {
			return e
		}
		err = unanswered.Err // the id is irrelevant
	}
	if e, ok := ended(err, f); ok {
		return e
	}
	if timeout, ok := errors.AsType[*client.TimeoutError](err); ok {
		return timedOut(timeout, f)
	}
	if f.target.IsStdio() && errors.Is(err, context.DeadlineExceeded) {
		e := explain("stdin", situation{"stopped": f.stopped})
		if f.stopped {
			return stopped(e, f)
		}
		return e
	}
	if !f.target.IsStdio() && f.target.URL != "" {
		if e, ok := unreachable(err, f); ok {
			return e
		}
	}
	return other(err, f)
}

// when returns a function that explains errors of one type.
func when[E error](explain func(E, Facts) Explanation) func(Facts) (Explanation, bool) {
	return func(f Facts) (e Explanation, ok bool) {
		err, ok := errors.AsType[E](f.err)
		if ok {
			e = explain(err, f)
		}
		return e, ok
	}
}

// other explains an error by its own text.
func other(err error, f Facts) Explanation {
	s := f.seen(situation{"is": err})
	e := Explanation{Sentence: sentence(err.Error())}
	if input, ok := errors.AsType[*client.InputError](err); ok {
		s["requested"] = input.Requested
	}
	if endpoint, ok := errors.AsType[*mcphttp.EndpointError](err); ok {
		s["json_endpoint"] = endpoint.IsJSON
		if len(endpoint.Members) > 0 {
			e.Evidence = []Line{{"endpoint", "{" + strings.Join(quoteEach(endpoint.Members), ", ") + "}; values are not shown", true}}
		}
	}
	if result, ok := errors.AsType[*client.ResultError](err); ok {
		e.Evidence = []Line{{"result", cut(string(result.Result)), true}}
	}
	if origin, ok := errors.AsType[*mcphttp.OriginError](err); ok {
		if named, ok := otherName(e, f.target.URL, origin.Endpoint, "names its endpoint"); ok {
			return named
		}
		if u, err := url.Parse(origin.Endpoint); err == nil && (u.Hostname() == "0.0.0.0" || u.Hostname() == "::") {
			s["bind_address"] = u.Host
		}
	}
	return e.with("error", s)
}

// sentence returns the text of an error as a sentence, with a capital, a full stop, and escaped control
// characters.
func sentence(text string) string {
	text = escape(strings.TrimSpace(text))
	if text == "" {
		return "It failed without a message."
	}
	text = phrase.Capital(text)
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// escape returns a text with unprintable characters escaped as in Go.
func escape(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !phrase.IsPlain(r) || r == unicode.ReplacementChar }) < 0 {
		return text
	}
	quoted := phrase.QuoteAll(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// quoteMessage quotes the start of an error message in one line. The evidence has the bytes.
func quoteMessage(message string) string {
	return phrase.Quote(phrase.OneLine(message), messageHead)
}

func quoteEach(names []string) (quoted []string) {
	for _, n := range names {
		quoted = append(quoted, strconv.Quote(n)+": …")
	}
	return quoted
}

// quoteEnds quotes the text of a server. It shortens a long one to its start and its end, which often has the
// reason.
func quoteEnds(text string) string {
	if len(text) > textHead {
		text = strings.ToValidUTF8(text[:textHead/3], "") + " … " + strings.ToValidUTF8(text[len(text)-textHead*2/3:], "")
	}
	return strconv.Quote(text)
}

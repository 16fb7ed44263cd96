package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
)

// previewSize is how many bytes of an unreadable frame are shown in "txt".
const previewSize = 120

// AppendEvent appends the line of an event as [Decoder.Decode] has returned it, with
// another sequence number. Events that are not in a file, and those of an unknown
// kind, append nothing.
func AppendEvent(dst []byte, seq int64, e *Event) []byte {
	line := len(dst)
	switch e.Kind {
	case KindFrame:
		f := e.Frame
		f.Time, f.Envelope = e.Time, jsonrpc.Scan(f.Bytes)
		dst, _ = AppendFrame(dst, seq, f)
	case KindConnection:
		dst = AppendConnection(dst, seq, e.Time, *e.Connection)
	case KindHTTP:
		dst = AppendExchange(dst, seq, e.Time, e.Exchange)
	case KindProcess:
		p := *e.Process
		p.Time = e.Time
		dst = appendProcess(dst, seq, p)
	case KindStderr:
		dst = appendStderr(dst, seq, transport.Line{Time: e.Time, Text: []byte(e.Text)})
	case KindStep:
		dst = appendStep(dst, seq, e.Time, e.Step.Name, e.Step.State, e.Step.Detail, e.Step.Took)
	case KindAuthorization:
		dst = appendHead(dst, seq, e.Time, nameAuth)
		dst = append(appendAuthorization(dst, e.Step), "}\n"...)
	case KindEnded:
		dst = appendEnded(dst, seq, e.Time, *e.Ended)
	case KindNote:
		dst = AppendNote(dst, seq, e.Time, e.Text)
	case KindMark:
		dst = AppendMark(dst, seq, e.Time, *e.Mark)
	case KindChange:
		dst = appendChange(dst, seq, e.Time, e.Change)
	}
	if e.Beside && e.Kind != KindConnection && len(dst) > line {
		dst, _ = InsertConnection(dst, line, e.Conn)
	}
	return dst
}

// AppendHeader appends the first line.
func AppendHeader(dst []byte, h Header) []byte {
	dst = append(dst, `{"mcptea":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = appendInt(dst, "t", h.Time)
	dst = appendText(dst, "tool", h.Tool)
	dst = appendText(dst, "transport", h.Transport)
	dst = appendText(dst, "target", h.Target)
	return append(dst, "}\n"...)
}

// AppendFrame appends the line of a frame and says where its bytes stand,
// counted from the start of the line.
func AppendFrame(dst []byte, seq int64, f transport.Frame) ([]byte, Payload) {
	start := len(dst)
	kind := nameOut
	if f.Dir == transport.In {
		kind = nameIn
	}
	dst = appendHead(dst, seq, f.Time, kind)
	if f.Exchange != 0 {
		dst = appendInt(dst, "x", int64(f.Exchange))
	}
	if f.EventID != "" {
		dst = appendText(dst, "ev", f.EventID)
	}
	if f.EventName != "" {
		dst = appendText(dst, "en", f.EventName)
	}
	verbatim := isVerbatim(f.Bytes, &f.Envelope)
	if verbatim {
		dst = appendEnvelope(dst, &f)
	}
	if f.Ending != "\n" {
		dst = appendText(dst, "nl", f.Ending)
	}
	if f.Truncated {
		dst = append(dst, `,"part":true`...)
	}
	if f.Side != transport.Both {
		dst = appendText(dst, "side", f.Side.String())
	}
	dst = appendInt(dst, "n", int64(len(f.Bytes)))
	if verbatim {
		dst = append(dst, `,"msg":`...)
		p := Payload{Offset: len(dst) - start, stored: len(f.Bytes)}
		dst = append(dst, f.Bytes...)
		return append(dst, "}\n"...), p
	}
	dst = appendText(dst, "txt", string(f.Bytes[:min(len(f.Bytes), previewSize)]))
	dst = append(dst, `,"b64":"`...)
	p := Payload{Offset: len(dst) - start, stored: base64.StdEncoding.EncodedLen(len(f.Bytes)), Base64: true}
	dst = base64.StdEncoding.AppendEncode(dst, f.Bytes)
	return append(dst, "\"}\n"...), p
}

// appendEnvelope repeats id, method and error code ahead of the payload, for
// the tools that read line by line.
func appendEnvelope(dst []byte, f *transport.Frame) []byte {
	e := &f.Envelope
	// An id that is an object could hold the names that a reader cuts at.
	if e.ID.Present() && e.IDType != jsonrpc.IDOther {
		dst = append(dst, `,"id":`...)
		dst = append(dst, e.ID.Of(f.Bytes)...)
	}
	if e.Method.Present() {
		// The token is part of a frame of valid JSON: its quotes are the two
		// bytes around it.
		dst = append(dst, `,"m":`...)
		dst = append(dst, f.Bytes[e.Method.Start-1:e.Method.End+1]...)
	}
	if e.Kind == jsonrpc.ErrorResponse && e.Flaws&jsonrpc.FlawErrorShape == 0 {
		dst = appendInt(dst, "e", e.Code)
	}
	return dst
}

// appendStderr appends a line that the server wrote to stderr.
func appendStderr(dst []byte, seq int64, l transport.Line) []byte {
	dst = appendHead(dst, seq, l.Time, nameStderr)
	if !utf8.Valid(l.Text) {
		dst = append(dst, `,"b64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, l.Text)
		return append(dst, "\"}\n"...)
	}
	dst = appendText(dst, "text", string(l.Text))
	return append(dst, "}\n"...)
}

// appendProcess appends a change in the life of the server's process. The
// arguments must be redacted already.
func appendProcess(dst []byte, seq int64, e transport.ProcessEvent) []byte {
	dst = appendHead(dst, seq, e.Time, nameProcess)
	dst = appendText(dst, "what", e.What.String())
	dst = appendInt(dst, "pid", int64(e.PID))
	switch e.What {
	case transport.ProcessStarted:
		dst = appendText(dst, "path", e.Path)
		dst = appendJSON(dst, "argv", e.Argv)
		if e.Dir != "" {
			dst = appendText(dst, "dir", e.Dir)
		}
	case transport.ProcessExited:
		dst = appendInt(dst, "code", int64(e.ExitCode))
		if e.Expected {
			dst = append(dst, `,"expected":true`...)
		}
	case transport.ProcessStdinClosed:
		if e.Stopped {
			dst = append(dst, `,"stopped":true`...)
		}
	}
	if e.Signal != "" {
		dst = appendText(dst, "signal", e.Signal)
	}
	return append(dst, "}\n"...)
}

// AppendExchange appends the phase that an HTTP exchange has reached, with what
// the phase adds to what is known.
func AppendExchange(dst []byte, seq int64, at time.Time, x *transport.Exchange) []byte {
	dst = appendHead(dst, seq, at, nameHTTP)
	dst = appendText(dst, "phase", x.Phase.String())
	dst = appendInt(dst, "x", int64(x.ID))
	// The end of an exchange that brought no frame repeats all of it: its line is what
	// the list of frames shows.
	all := x.Phase == transport.ExchangeDone && (x.Purpose == transport.PurposeAuthorization || x.Failed)
	if all || x.Phase == transport.ExchangeSent {
		dst = appendRequest(dst, x)
	}
	if all || x.Phase == transport.ExchangeHeaders {
		dst = appendInt(dst, "status", int64(x.Status))
		dst = appendInt(dst, "first", int64(x.FirstByte))
		dst = appendHeaderFields(dst, "response", x.ResponseHeader)
	}
	if x.Phase == transport.ExchangeDone {
		dst = appendEnd(dst, x)
	}
	return append(dst, "}\n"...)
}

func appendRequest(dst []byte, x *transport.Exchange) []byte {
	dst = appendInt(dst, "start", x.Start.UnixNano())
	dst = appendText(dst, "purpose", x.Purpose)
	dst = appendText(dst, "method", x.Method)
	dst = appendText(dst, "url", x.URL)
	if x.Repeats != 0 {
		dst = appendInt(dst, "repeats", int64(x.Repeats))
	}
	dst = appendHeaderFields(dst, "request", x.RequestHeader)
	return appendBody(dst, "said", x.RequestBody)
}

func appendEnd(dst []byte, x *transport.Exchange) []byte {
	dst = appendInt(dst, "took", int64(x.Took))
	dst = appendInt(dst, "sent", x.Sent)
	dst = appendInt(dst, "received", x.Received)
	dst = appendText(dst, "by", x.ClosedBy.String())
	if x.Err != "" {
		dst = appendText(dst, "error", x.Err)
	}
	if x.Events > 0 {
		dst = appendInt(dst, "events", int64(x.Events))
	}
	if x.LastEventID != "" {
		dst = appendText(dst, "last", x.LastEventID)
	}
	if x.Retry > 0 {
		dst = appendInt(dst, "retry", int64(x.Retry))
	}
	if x.Failed {
		dst = append(dst, `,"failed":true`...)
	}
	return appendBody(dst, "heard", x.ResponseBody)
}

// AppendConnection appends a change in the life of a connection. The target must
// be redacted already.
func AppendConnection(dst []byte, seq int64, at time.Time, c Connection) []byte {
	dst = appendHead(dst, seq, at, nameConnection)
	dst = appendText(dst, "what", connectionChanges[c.What])
	dst = appendInt(dst, "conn", int64(c.Number))
	for _, member := range [...]struct{ name, value string }{
		{"transport", c.Transport}, {"target", c.Target}, {"revision", c.Revision}, {"server", c.Server}, {"reason", c.Reason},
	} {
		if member.value != "" {
			dst = appendText(dst, member.name, member.value)
		}
	}
	if c.Beside {
		dst = append(dst, `,"beside":true`...)
	}
	return append(dst, "}\n"...)
}

// InsertConnection makes the line from an offset of dst on that of a connection
// beside the one of the session. It returns by how many bytes the payload of a
// frame has moved.
func InsertConnection(dst []byte, line int, conn uint16) ([]byte, int) {
	// The kind is the third member and has no quotes in it, see appendHead.
	at := line + bytes.Index(dst[line:], []byte(`"k":"`)) + len(`"k":"`)
	at += bytes.IndexByte(dst[at:], '"') + 1
	member := strconv.AppendInt([]byte(`,"c":`), int64(conn), 10)
	return slices.Insert(dst, at, member...), len(member)
}

// appendBody appends the head of a body that is no frame.
func appendBody(dst []byte, name string, body []byte) []byte {
	if len(body) == 0 {
		return dst
	}
	return appendText(dst, name, string(body))
}

// AppendAuthorization appends a step of getting a token. It names nothing that
// is secret.
func AppendAuthorization(dst []byte, seq int64, st oauth.Step) []byte {
	dst = appendHead(dst, seq, st.Start, nameAuth)
	dst = appendInt(dst, "flow", int64(st.Flow))
	dst = appendText(dst, "step", st.Name)
	dst = appendText(dst, "state", st.State.String())
	dst = appendInt(dst, "took", int64(st.Took))
	dst = appendText(dst, "detail", st.Detail)
	if len(st.Remarks) > 0 {
		dst = appendJSON(dst, "remarks", st.Remarks)
	}
	if u := st.MaskedURL(); u != "" {
		dst = appendText(dst, "url", u)
	}
	var r *oauth.Refusal
	if errors.As(st.Refusal, &r) {
		dst = appendText(dst, "refused", r.Kind.String())
		dst = appendText(dst, "found", r.Found)
		dst = appendText(dst, "expected", r.Expected)
	}
	return append(dst, "}\n"...)
}

// appendAuthorization appends what is kept of a step of getting a token.
func appendAuthorization(dst []byte, st *Step) []byte {
	dst = appendText(dst, "step", st.Name)
	dst = appendText(dst, "state", st.State)
	dst = appendInt(dst, "took", int64(st.Took))
	dst = appendText(dst, "detail", st.Detail)
	if st.URL != "" {
		dst = appendText(dst, "url", st.URL)
	}
	if st.Refused != "" {
		dst = appendText(dst, "refused", st.Refused)
		dst = appendText(dst, "found", st.Found)
		dst = appendText(dst, "expected", st.Expected)
	}
	return dst
}

// appendStep appends a step of connecting.
func appendStep(dst []byte, seq int64, at time.Time, name, state, detail string, took time.Duration) []byte {
	dst = appendHead(dst, seq, at, nameStep)
	dst = appendText(dst, "step", name)
	dst = appendText(dst, "state", state)
	dst = appendInt(dst, "took", int64(took))
	dst = appendText(dst, "detail", detail)
	return append(dst, "}\n"...)
}

// appendEnded appends the end of the wait for a response.
func appendEnded(dst []byte, seq int64, at time.Time, e Ended) []byte {
	dst = appendHead(dst, seq, at, nameEnded)
	dst = append(dst, `,"id":`...)
	dst = append(dst, e.ID...)
	dst = appendText(dst, "state", endedStates[e.Cancelled])
	return append(dst, "}\n"...)
}

var endedStates = map[bool]string{false: "abandoned", true: "cancelled"}

// AppendNote appends a remark of the program itself.
func AppendNote(dst []byte, seq int64, at time.Time, text string) []byte {
	dst = appendHead(dst, seq, at, nameNote)
	dst = appendText(dst, "text", text)
	return append(dst, "}\n"...)
}

// AppendMark appends a mark or a note of the user.
func AppendMark(dst []byte, seq int64, at time.Time, m Mark) []byte {
	dst = appendHead(dst, seq, at, nameMark)
	dst = appendInt(dst, "row", int64(m.Row)+1)
	dst = append(dst, `,"marked":`...)
	dst = strconv.AppendBool(dst, m.Marked)
	if m.Note != "" {
		dst = appendText(dst, "text", m.Note)
	}
	return append(dst, "}\n"...)
}

func appendHead(dst []byte, seq int64, t time.Time, kind string) []byte {
	dst = append(dst, `{"s":`...)
	dst = strconv.AppendInt(dst, seq, 10)
	dst = appendInt(dst, "t", t.UnixNano())
	dst = append(dst, `,"k":"`...)
	dst = append(dst, kind...)
	return append(dst, '"')
}

func appendInt(dst []byte, name string, n int64) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return strconv.AppendInt(dst, n, 10)
}

func appendText(dst []byte, name, text string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return append(dst, jsonrpc.StringID(text)...)
}

func appendHeaderFields(dst []byte, name string, h http.Header) []byte {
	if len(h) == 0 {
		return dst
	}
	return appendJSON(dst, name, h)
}

func appendJSON(dst []byte, name string, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // strings, numbers and maps of them always marshal
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return append(dst, b...)
}

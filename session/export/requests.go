package export

import (
	"iter"
	"regexp"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/record"
)

// request is a request of the client, with its target.
type request struct {
	Number int32
	Frame  []byte
	Method string
	// IsNotification reports whether the message is a notification.
	IsNotification bool
	Params         []byte              // raw; nil without
	Exchange       *transport.Exchange // exchange, or nil over stdio
	Endpoint       endpoint
}

// endpoint is the server of a connection, according to the recording.
type endpoint struct {
	Transport string // "stdio", "http" or "sse"
	Argv      []string
	URL       string
	Revision  string
	Header    map[string]string // headers that the user has set, redacted
	Insecure  bool              // the certificate was not verified
}

// requests returns the selected requests of the client.
func (s *session) requests() iter.Seq2[request, error] {
	return func(yield func(request, error) bool) {
		at := endpoint{Transport: s.Header.Transport, Insecure: s.Header.Insecure}
		exchanges := map[uint32]*transport.Exchange{}
		for e, err := range s.events() {
			if err != nil {
				yield(request{}, err)
				return
			}
			at.update(&e.Event)
			switch {
			case e.Kind == record.KindHTTP && e.Exchange.Phase == transport.ExchangeDone:
				delete(exchanges, e.Exchange.ID)
			case e.Kind == record.KindHTTP && len(exchanges) < maxHAROpen:
				exchanges[e.Exchange.ID] = e.Exchange
			case e.Kind == record.KindFrame && e.Frame.Dir == transport.Out:
				envelope := jsonrpc.Scan(e.Frame.Bytes)
				if envelope.Kind != jsonrpc.Request && envelope.Kind != jsonrpc.Notification {
					continue
				}
				r := request{
					Number: e.Number, Frame: e.Frame.Bytes, Method: envelope.MethodName(e.Frame.Bytes), IsNotification: envelope.Kind == jsonrpc.Notification, Params: envelope.Params.Of(e.Frame.Bytes),
					Exchange: exchanges[e.Frame.Exchange], Endpoint: at,
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// update updates the endpoint for later frames from an event.
func (at *endpoint) update(e *record.Event) {
	switch e.Kind {
	case record.KindConnection:
		if e.Connection.Transport != "" {
			at.Transport = e.Connection.Transport
		}
		if e.Connection.Revision != "" {
			at.Revision = e.Connection.Revision
		}
		if at.Transport != "stdio" && e.Connection.Target != "" {
			at.URL = e.Connection.Target
		}
	case record.KindProcess:
		if e.Process.What == transport.ProcessStarted {
			at.Argv = e.Process.Argv
		}
	case record.KindHTTP:
		if !e.Exchange.HasFrames() {
			return
		}
		if at.URL == "" {
			at.URL = e.Exchange.URL
		}
		if value := e.Exchange.RequestHeader.Get("Authorization"); value != "" {
			at.Header = map[string]string{"Authorization": value}
		}
	}
}

// withoutMeta returns params without the member "_meta", which clients add themselves. It returns
// nil if nothing is left.
func withoutMeta(params []byte) []byte {
	rest := jsonrpc.Without(params, "_meta")
	if string(rest) == "{}" && len(rest) < len(params) {
		return nil
	}
	return rest
}

// redacted matches the marks that replace secrets in a recording.
var redacted = regexp.MustCompile(regexp.QuoteMeta(secret.Mark) + `(?: \(\d+ characters\))?|\*\*\*\*|` + secret.SessionIDPattern)

// shellWord returns a word of a command line, with a variable instead of each redacted secret.
func shellWord(text, variable string) shell.Word {
	var word shell.Word
	at := 0
	for _, m := range redacted.FindAllStringIndex(text, -1) {
		if m[0] > at {
			word = append(word, shell.Piece{Text: text[at:m[0]]})
		}
		word = append(word, shell.Piece{Variable: variable})
		at = m[1]
	}
	if at < len(text) || len(word) == 0 {
		word = append(word, shell.Piece{Text: text[at:]})
	}
	return word
}

// isRedacted reports whether a text contains a redacted secret.
func isRedacted(text string) bool { return redacted.MatchString(text) }

// variableFor returns the name of the environment variable for the secret of a header or option.
func variableFor(name string) string {
	switch {
	case strings.EqualFold(name, "Mcp-Session-Id"):
		return "MCP_SESSION_ID"
	case strings.EqualFold(name, "Authorization"):
		return "TOKEN"
	}
	return "SECRET"
}

package use

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/session"
)

// sendFlags holds the flags of mcptea send.
type sendFlags struct {
	notification bool
	id           string
	noMeta       bool
	raw, batch   string
	wait         time.Duration
}

func (p *commands) sendCommand() *cobra.Command {
	var f sendFlags
	cmd := &cobra.Command{
		Use:   "send {METHOD [PARAMS] | --raw FRAME | --batch FILE} TARGET",
		Short: "Send any request, notification or frame",
		Long: `Connect, send a message of any method, and print the response. PARAMS is a JSON object or array, @file, or - for stdin. mcptea adds the id and the members of _meta that the protocol version requires; --id and --no-meta change that.

--raw sends a frame byte for byte, valid or not: text, @file, or - for stdin, without the line break at the end. --batch sends the messages of a file, one per line, as one JSON array (2025-03-26).

If the frame is not one request, or its method is long-lived (events/stream, subscriptions/listen), the messages of the server are printed as received, one per line. The command waits for --wait; for a batch, until each request has its response; for a long-lived request, until it ends.

The exit code is 1 for an error response and for a tool error (isError).`,
		Example: `  mcptea send resources/templates/list -- ./my-server
  mcptea send tools/call '{"name":"echo","arguments":{"message":"hi"}}' --id 7 -- ./my-server
  mcptea send notifications/roots/list_changed --notification -- ./my-server
  mcptea send --raw '{"jsonrpc":"2.0","id":1,"method":' -- ./my-server
  printf '{"jsonrpc":"1.0","id":1,"method":"ping"}' | mcptea send --raw - -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.sendAny(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.notification, "notification", false, "send a notification: a message without id, which has no response")
		fs.StringVar(&f.id, "id", "", "`ID` of the request: a number, or a string; other JSON is sent unchanged")
		fs.BoolVar(&f.noMeta, "no-meta", false, "send the params unchanged, without _meta of mcptea")
		fs.StringVar(&f.raw, "raw", "", "send this `FRAME` byte for byte: text, @file or -")
		fs.StringVar(&f.batch, "batch", "", "send the messages of this `FILE`, one per line, as a batch; - is stdin")
		fs.DurationVar(&f.wait, "wait", time.Second, "how long to print messages of the server if no response is due: `TIME`")
	})
	p.target.AddRequest(cmd)
	return cmd
}

// check reports flags and words that exclude each other.
func (f *sendFlags) check(words []string) error {
	modes := 0
	for _, set := range []bool{f.raw != "", f.batch != "", f.notification} {
		if set {
			modes++
		}
	}
	exact := f.raw != "" || f.batch != ""
	switch {
	case modes > 1:
		return app.Usage("Omit all but one of them.", "--raw, --batch and --notification exclude each other")
	case exact && len(words) > 0:
		return app.Usage("Omit the method, or the flag.", "--raw and --batch take no method, found %q", words[0])
	case exact && (f.id != "" || f.noMeta):
		return app.Usage("Write the id into the frame.", "--id and --no-meta do not apply to --raw and --batch, which are sent unchanged")
	case f.notification && f.id != "":
		return app.Usage("Omit one of them.", "a notification has no id")
	case !exact && len(words) == 0:
		return app.Usage("For example: mcptea send ping -- ./my-server", "send requires a method")
	case !exact && strings.ContainsAny(words[0][:min(1, len(words[0]))], "{["):
		return app.Usage("A whole frame is sent with --raw, a batch with --batch: mcptea send --raw '{…}' TARGET", "a method is expected, but the first word is JSON")
	case !exact && (words[0] == "-" || words[0][:min(1, len(words[0]))] == "@"):
		return app.Usage("A frame of stdin or of a file is sent with --raw: mcptea send --raw "+words[0]+" TARGET", "a method is expected, found %q", words[0])
	case len(words) > 2:
		if words[0] == "tools/call" && !strings.Contains(words[1], "=") {
			return app.Usage("To call a tool with arguments: mcptea call "+words[1]+" key=value TARGET", "unexpected argument %q", words[2])
		}
		return app.Usage("The params are one word, as in mcptea send METHOD '{\"key\": 1}' TARGET.", "unexpected argument %q", words[2])
	}
	return nil
}

func (p *commands) sendAny(cmd *cobra.Command, args []string, f sendFlags) error {
	var words []string
	var frame, params []byte
	return p.withSession(cmd, args, func(given []string) (_ []client.ListKind, err error) {
		words, err = given, f.check(given)
		switch {
		case err != nil:
		case f.raw != "":
			frame, err = p.rawFrame(f.raw)
		case f.batch != "":
			frame, err = p.batchFrame(f.batch)
		case len(words) == 2:
			params, err = p.sendParams(words[1])
		}
		return nil, err
	}, func(s *session.Session) (err error) {
		switch {
		case frame != nil:
		case f.notification || f.id != "" || f.noMeta:
			if frame, err = f.frame(s, words[0], params); err != nil {
				return p.Failure(s, err, app.ExitError)
			}
		case revision.Lasts(words[0]):
			if frame, err = f.frame(s, words[0], params); err != nil {
				return p.Failure(s, err, app.ExitError)
			}
			return ended(p, p.sendFrame(s, frame, 0))
		default:
			return p.Send(s, link.Request{Method: words[0], Params: params, UnknownMethod: true})
		}
		if r := client.ParseRequest(frame); r.ID.Present() && revision.Lasts(r.Method) {
			return ended(p, p.sendFrame(s, frame, 0))
		} else if r.ID.Present() && r.Envelope.IDType != jsonrpc.IDNull {
			return p.Send(s, link.Request{Method: r.Method, Frame: frame})
		}
		return p.sendFrame(s, frame, f.wait)
	})
}

// frame builds the message of a method.
func (f *sendFlags) frame(s *session.Session, method string, params []byte) ([]byte, error) {
	if f.notification {
		return jsonrpc.EncodeNotification(method, params), nil
	}
	id, err := s.NextID()
	if err != nil {
		return nil, err
	}
	if f.id != "" {
		id = idOf(f.id)
	}
	if !f.noMeta {
		if params, err = s.RequestParams(id, method, params); err != nil {
			return nil, err
		}
	}
	return jsonrpc.EncodeRequest(id, method, params), nil
}

// idOf returns JSON unchanged, and other text as a string.
func idOf(text string) jsonrpc.ID {
	if id, ok := jsonrpc.ParseID(text); ok {
		return id
	}
	return jsonrpc.StringID(text)
}

// rawFrame reads a frame: text, @file or -.
func (p *commands) rawFrame(word string) (frame []byte, err error) {
	const hint = "A frame is text, @file, or - for stdin."
	switch {
	case word == "-":
		frame, err = app.ReadStdin(p.Ctx, p.In)
		err = app.InputError(hint, "cannot read the frame from stdin", err)
	case strings.HasPrefix(word, "@"):
		frame, err = app.ReadFile(p.Ctx, word[1:], app.MaxStdin)
		err = app.InputError(hint, "cannot read the frame", err)
	default:
		return []byte(word), nil
	}
	if frame = bytes.TrimSuffix(frame, []byte("\n")); err == nil && len(frame) == 0 {
		err = app.Usage(hint, "--raw: the frame is empty")
	}
	return frame, err
}

// batchFrame makes a JSON array of the lines of a file. Each line stays unchanged.
func (p *commands) batchFrame(name string) ([]byte, error) {
	const hint = "A batch is a file with one message per line, or - for stdin."
	word := "@" + name
	if name == "-" {
		word = name
	}
	text, err := p.rawFrame(word)
	if err != nil {
		return nil, err
	}
	var messages [][]byte
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := app.CheckJSON(line); err != nil {
			return nil, app.Usage(hint, "%s:%d: invalid JSON: %v", name, n, err)
		}
		messages = append(messages, line)
	}
	if len(messages) == 0 {
		return nil, app.Usage(hint, "%s has no messages", name)
	}
	return jsonrpc.EncodeBatch(messages...), nil
}

// sendParams reads params: JSON, @file or -.
func (p *commands) sendParams(word string) ([]byte, error) {
	const hint = "PARAMS is a JSON object or array, @file, or - for stdin."
	reader := p.ArgumentReader()
	params, source, err := reader.Value(word)
	if err != nil {
		return nil, settings.ArgumentError(err)
	}
	if source == "" {
		params, source = []byte(word), "PARAMS"
	}
	if err := app.CheckJSON(params); err != nil {
		return nil, app.Usage(hint, "%s is not valid JSON: %v", source, err)
	}
	params = bytes.TrimSpace(params)
	if params[0] != '{' && params[0] != '[' {
		return nil, app.Usage(hint, "%s is not an object or an array", source)
	}
	if bytes.ContainsAny(params, "\r\n") { // a line break would end the frame over stdio
		var one bytes.Buffer
		if err := json.Compact(&one, params); err != nil {
			return nil, app.Usage(hint, "%s is not valid JSON: %v", source, err)
		}
		params = one.Bytes()
	}
	return params, settings.ArgumentError(reader.CheckUTF8(source, params))
}

// sendFrame sends a frame that is not one request, and prints the messages that come.
func (p *commands) sendFrame(s *session.Session, frame []byte, wait time.Duration) error {
	if bytes.IndexByte(frame, '\n') >= 0 && s.Target().IsStdio() {
		p.Warning("the frame contains a line break; a server over stdio reads more than one message")
	}
	changed, stop := s.Store().Subscribe()
	defer stop()
	in := incoming{p: p, s: s, waiting: requestIDs(frame), next: int32(s.Store().Snapshot().Rows)}
	deadline := wait
	if len(in.waiting) > 0 {
		deadline = p.Flags.Timeout
	}
	call := s.StartFrame(frame)
	sent := call.Done()
	var late <-chan time.Time // nil for a request that lasts
	if !revision.Lasts(call.Method) {
		timer := time.NewTimer(deadline)
		defer timer.Stop()
		late = timer.C
	}
	for {
		complete, err := in.print()
		if err != nil {
			return err
		}
		if complete {
			break
		}
		if st := s.State(); st.Phase == session.Ended && st.Err != nil {
			if _, err := in.print(); err != nil {
				return err
			}
			return p.Outcome(s, st.Err)
		}
		select {
		case <-changed:
		case <-sent:
			if _, err := call.Outcome(); err != nil {
				return p.Outcome(s, err)
			}
			sent = nil
		case <-late:
			return in.timedOut(deadline)
		case <-p.Ctx.Done():
			call.Cancel()
			return context.Cause(p.Ctx)
		}
	}
	if in.failed {
		return app.Silent(app.ExitError)
	}
	return nil
}

// eachMessage calls f for a frame, and for the elements of a batch.
func eachMessage(frame []byte, f func(message []byte)) {
	f(frame)
	for element := range jsonrpc.Elements(frame) {
		f(element)
	}
}

// requestIDs returns the ids of the requests in a frame.
func requestIDs(frame []byte) map[jsonrpc.Key]bool {
	ids := map[jsonrpc.Key]bool{}
	eachMessage(frame, func(message []byte) {
		if e := jsonrpc.Scan(message); e.Kind == jsonrpc.Request {
			ids[e.ID.Of(message).Key()] = true
		}
	})
	return ids
}

// incoming prints the messages of the server as they are recorded.
type incoming struct {
	p       *commands
	s       *session.Session
	next    int32                // row to print next
	waiting map[jsonrpc.Key]bool // ids without a response
	failed  bool                 // an error response came
}

// print prints the messages since the last call. complete reports whether each request has its response, if
// there were requests.
func (in *incoming) print() (complete bool, err error) {
	had := len(in.waiting) > 0
	for {
		r, ok := in.s.Store().Row(in.next)
		if !ok {
			return had && len(in.waiting) == 0, nil
		}
		in.next++
		if r.Dir != transport.In || !r.IsFrame() {
			continue
		}
		body, err := in.s.Store().Body(in.next - 1)
		if err != nil {
			return false, app.Failed("cannot read a frame of the session: %v", err)
		}
		if err := in.frame(&r, body); err != nil {
			return false, err
		}
	}
}

func (in *incoming) frame(r *store.Row, body []byte) error {
	eachMessage(body, in.responded)
	if json.Valid(body) && r.Kind != jsonrpc.Invalid {
		return in.p.PrintJSON(string(bytes.TrimSpace(body)))
	}
	return in.p.Out.Line(in.p.Out.Untrusted(string(body)))
}

func (in *incoming) responded(message []byte) {
	e := jsonrpc.Scan(message)
	if !e.Kind.IsResponse() {
		return
	}
	if e.Kind == jsonrpc.ErrorResponse && (e.IDType == jsonrpc.IDAbsent || e.IDType == jsonrpc.IDNull) {
		clear(in.waiting) // a batch that is refused gets one error (JSON-RPC 2.0, 6)
	}
	delete(in.waiting, e.ID.Of(message).Key())
	in.failed = in.failed || e.Kind == jsonrpc.ErrorResponse
	if isError, _ := jsonrpc.Member(e.Result.Of(message), "isError"); string(isError) == "true" {
		in.failed = true
	}
}

// timedOut handles the end of the wait: it returns an error if requests have no response.
func (in *incoming) timedOut(after time.Duration) error {
	switch {
	case len(in.waiting) > 0:
		return app.Failed("no response to %s within %s", phrase.Count(len(in.waiting), "request"), after)
	case in.failed:
		return app.Silent(app.ExitError)
	}
	return nil
}

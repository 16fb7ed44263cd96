package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/offer/declared"
)

// codeRefused is the error code for refusals by the host or the user, as in the examples of the specification.
const codeRefused = -32000

// A refusal is the reason for an error response to a request of the app.
type refusal struct {
	code int64
	text string
}

func (r *refusal) Error() string { return r.text }

func refused(format string, args ...any) error {
	return &refusal{codeRefused, fmt.Sprintf(format, args...)}
}

func invalidParams(format string, args ...any) error {
	return &refusal{jsonrpc.CodeInvalidParams, fmt.Sprintf(format, args...)}
}

// A message is a message of the app, with the row of its frame. The bytes are never changed.
type message struct {
	id     jsonrpc.ID
	method string
	params []byte
	row    int32
}

// received acts on a message of the app. It does not wait for the server or the user.
func (a *App) received(f transport.Frame, row int32) {
	e, b := &f.Envelope, f.Bytes
	m := message{e.ID.Of(b).ID(), e.MethodName(b), e.Params.Of(b), row}
	switch {
	case e.Kind == jsonrpc.Notification:
		a.notified(m)
	case e.Kind.IsResponse():
		a.responded(m.id, client.Response{Frame: b, Envelope: *e})
	case e.Kind == jsonrpc.Request && e.IDType != jsonrpc.IDString && e.IDType != jsonrpc.IDInteger:
		a.send(jsonrpc.EncodeError(jsonrpc.IDOf("null"), jsonrpc.CodeInvalidRequest, "the id is neither a string nor an integer", nil))
	case e.Kind == jsonrpc.Request:
		a.requested(m)
	case e.Kind == jsonrpc.Batch:
		a.send(jsonrpc.EncodeError(jsonrpc.IDOf("null"), jsonrpc.CodeInvalidRequest, "a message is one object", nil))
	}
	a.notify()
}

// immediate returns what answers a request without the server and the user; nil for others.
func (a *App) immediate(method string) func(params []byte) (result any, err error) {
	switch method {
	case "ping":
		return func([]byte) (any, error) { return struct{}{}, nil }
	case "ui/initialize":
		return a.initialize
	case "ui/message":
		return a.chatMessage
	case "ui/update-model-context":
		return a.updateContext
	case "ui/request-display-mode":
		return a.requestDisplay
	}
	return nil
}

// slow returns what answers a request with the server or the user; nil for others. Results
// are raw.
func (a *App) slow(method string) func(ctx context.Context, m message) (result []byte, err error) {
	switch method {
	case "tools/call":
		return a.callTool
	case "tools/list", "resources/read", "resources/list", "resources/templates/list", "prompts/list":
		return a.forward
	case "ui/open-link":
		return a.openLink
	case "ui/download-file":
		return a.download
	}
	return nil
}

// requested answers a request, or lets the user answer it.
func (a *App) requested(m message) {
	if now := a.immediate(m.method); now != nil {
		result, err := now(m.params)
		a.respond(m.id, client.Params(result), err)
		if m.method == "ui/initialize" {
			a.show()
		}
		return
	}
	later := a.slow(m.method)
	if later == nil {
		a.respond(m.id, nil, &refusal{jsonrpc.CodeMethodNotFound, "mcptea does not support " + m.method + " of an app"})
		return
	}
	ctx, cancel := context.WithCancel(a.ctx)
	if err := a.begin(m.id, cancel); err != nil {
		cancel()
		a.respond(m.id, nil, err)
		return
	}
	go func() {
		defer a.wg.Done()
		defer cancel()
		result, err := later(ctx, m)
		a.mu.Lock()
		delete(a.pending, m.id.Key())
		a.mu.Unlock()
		if ctx.Err() != nil && a.ctx.Err() == nil {
			return // the app has cancelled it
		}
		a.respond(m.id, result, err)
		a.notify()
	}()
}

// begin notes a request of the app that is pending, and how it is cancelled. The error is why it
// is not served; else the caller calls wg.Done once it was.
func (a *App) begin(id jsonrpc.ID, cancel context.CancelFunc) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state.Phase == Closed { // Close may be waiting for the messages served before
		return refused("the app is closed")
	}
	if a.pending[id.Key()] != nil {
		return refused("the id belongs to a pending request")
	}
	if len(a.pending) >= maxPending {
		return refused("%d requests are pending already", maxPending)
	}
	a.pending[id.Key()] = cancel
	a.wg.Add(1)
	return nil
}

// respond sends the response to a request.
func (a *App) respond(id jsonrpc.ID, result []byte, err error) {
	if err == nil {
		a.send(jsonrpc.EncodeResult(id, result))
		return
	}
	code, text, data := int64(codeRefused), err.Error(), []byte(nil)
	if e, ok := errors.AsType[*refusal](err); ok {
		code = e.code
	} else if e, ok := errors.AsType[*client.RPCError](err); ok {
		text, data = e.Message, e.Data // error of the server
		if number, ok := e.Code.Number(); ok {
			code = number
		}
	}
	a.send(jsonrpc.EncodeError(id, code, text, data))
}

// responded hands a response to the request of the host that it belongs to.
func (a *App) responded(id jsonrpc.ID, r client.Response) {
	if of, ok := a.takeAsked(id); ok {
		of.outcome <- outcome{r, r.Err()}
	}
}

// maxName bounds the name and the version that an app gives itself, in bytes.
const maxName = 200

// initialize answers ui/initialize. A page that loads itself again sends it again: then the
// app begins from the start.
func (a *App) initialize(params []byte) (any, error) {
	info := jsonrpc.Get(params, "appInfo")
	var modes []string
	if raw := jsonrpc.Get(params, "appCapabilities", "availableDisplayModes"); raw != nil {
		modes = []string{}
		for _, mode := range jsonrpc.Strings(raw) {
			if slices.Contains(displayModes, mode) && !slices.Contains(modes, mode) {
				modes = append(modes, mode)
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	st := &a.state
	st.Name, st.Version, st.Modes = cut(jsonrpc.Text(info, "name")), cut(jsonrpc.Text(info, "version")), modes
	st.enter(Loading)
	st.Initialized = time.Time{}
	a.input, a.finished = false, false
	if !a.mayShow(st.Display) {
		st.Display = "inline"
	}
	cfg := a.s.Config().Client
	return map[string]any{
		"protocolVersion":  declared.Version,
		"hostInfo":         map[string]string{"name": cfg.Name, "version": cfg.Version},
		"hostCapabilities": a.capabilities(),
		"hostContext":      a.context(),
	}, nil
}

// cut returns a text of the app, shortened for display.
func cut(text string) string { return phrase.Clip(text, maxName) }

// chatMessage handles a ui/message. There is no chat; the message is in the record.
func (a *App) chatMessage(params []byte) (any, error) {
	content := jsonrpc.Get(params, "content")
	if jsonrpc.Text(params, "role") != "user" || len(content) == 0 || content[0] != '[' && content[0] != '{' {
		return nil, invalidParams(`ui/message requires the role "user" and content`)
	}
	return struct{}{}, nil
}

// updateContext handles a ui/update-model-context, which replaces the previous context.
func (a *App) updateContext(params []byte) (any, error) {
	a.mu.Lock()
	a.state.Context = slices.Clone(params)
	a.mu.Unlock()
	return struct{}{}, nil
}

// requestDisplay changes the display mode, unless the app has declared others.
func (a *App) requestDisplay(params []byte) (any, error) {
	mode := jsonrpc.Text(params, "mode")
	a.mu.Lock()
	allowed := slices.Contains(displayModes, mode) && a.mayShow(mode)
	now := a.state.Display
	a.mu.Unlock()
	if allowed && mode != now {
		a.display(mode)
		now = mode
	}
	return map[string]string{"mode": now}, nil
}

// notified acts on a notification of the app.
func (a *App) notified(m message) {
	switch m.method {
	case "ui/notifications/initialized":
		a.mu.Lock()
		first := a.state.Phase == Loading && a.state.Initialized.IsZero()
		if first {
			a.state.enter(Ready)
			a.state.Initialized = time.Now()
		}
		a.mu.Unlock()
		if first {
			a.show()
			a.deliver()
		}
	case "ui/notifications/size-changed":
		a.sizeChanged(m.params)
	case "ui/notifications/request-teardown":
		go a.shut("the app has asked for it", true)
	case "notifications/message":
		if slices.Contains([]string{"error", "critical", "alert", "emergency"}, jsonrpc.Text(m.params, "level")) {
			a.update(func(st *State) { st.Errors++ })
		}
	case "notifications/cancelled":
		a.mu.Lock()
		cancel := a.pending[jsonrpc.IDOf(jsonrpc.Get(m.params, "requestId")).Key()]
		a.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	}
}

// openLink opens a page on the web if the user agrees.
func (a *App) openLink(ctx context.Context, m message) ([]byte, error) {
	text := jsonrpc.Text(m.params, "url")
	u, err := url.Parse(text)
	switch {
	case a.o.OpenLink == nil || a.o.Bare:
		return nil, &refusal{jsonrpc.CodeMethodNotFound, "mcptea does not open links here"}
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil:
		return nil, refused("only http and https URLs are opened")
	}
	if err := a.ask(ctx, Question{Kind: AskLink, URL: u.String()}); err != nil {
		return nil, err
	}
	if err := a.o.OpenLink(ctx, u.String()); err != nil {
		return nil, refused("the link could not be opened: %v", err)
	}
	return nil, nil
}

// raw returns a value unchanged, or null if it is empty.
func raw(b []byte) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("null")
	}
	return b
}

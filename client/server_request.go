package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// ServerRequest is a request of the server. The receiver may keep its bytes.
type ServerRequest struct {
	ID     jsonrpc.ID
	Method string
	Params []byte // raw JSON, nil when absent
	// Ref is the place of the request in the record; for an input request, the place of the client request.
	Ref transport.Ref
	// Of and Key are set for an input request. Of is the id of the client's request whose result
	// contains it, and Key is its key in inputRequests. The client makes up the ID (2026-07-28,
	// basic / patterns / multi round-trip requests).
	Of  jsonrpc.ID
	Key string
	// Round is a number for the input requests whose responses are sent together. Other input
	// requests of the connection have another number. It is 0 for a request of the server.
	Round uint64
	// Task is the id of the task that the request belongs to, or "".
	Task string
}

// The requests of a server that [Config.OnServerRequest] may accept
// (specification, client features).
const (
	MethodSampling    = "sampling/createMessage"
	MethodElicitation = "elicitation/create"
	MethodRoots       = "roots/list"
)

// capabilities returns the capabilities that the client declares in a revision.
func (c *Client) capabilities(offer revision.Revision) json.RawMessage {
	if profileCapabilities := c.cfg.As.ClientCapabilities(offer.IsStateless()); profileCapabilities != nil {
		return profileCapabilities
	}
	roots, sampling := map[string]any{}, map[string]any{}
	if offer.HasHandshake() {
		roots["listChanged"] = true
	}
	offered := map[string]any{"roots": roots}
	if c.cfg.OnServerRequest != nil && c.cfg.Sampling {
		if !offer.Before(revision.R20251125) {
			sampling["tools"] = struct{}{} // declared because the inbox shows the user the tools of the request
		}
		offered["sampling"] = sampling
	}
	if m, ok := revision.Lookup(MethodElicitation); ok && (m.In(offer) || m.Embedded(offer)) && c.cfg.OnServerRequest != nil && c.cfg.Elicitation {
		modes := map[string]any{}
		if !offer.Before(revision.R20251125) {
			modes["form"], modes["url"] = struct{}{}, struct{}{}
		}
		offered["elicitation"] = modes
	}
	extensions := map[string]any{}
	if offer.IsStateless() && c.cfg.Tasks {
		extensions[revision.TasksExtension] = struct{}{}
	}
	if c.cfg.Apps { // declared in all protocol versions, although the member extensions is newer than most
		extensions[revision.AppsExtension] = map[string]any{"mimeTypes": []string{revision.AppsMIMEType}}
	}
	if c.cfg.Skills {
		extensions[revision.SkillsExtension] = struct{}{}
	}
	if c.cfg.Events && offer.IsStateless() {
		extensions[revision.EventsExtension] = struct{}{}
	}
	if len(extensions) > 0 {
		offered["extensions"] = extensions
	}
	return Params(offered)
}

// statelessCapabilities returns the capabilities that each stateless request declares.
func (c *Client) statelessCapabilities() json.RawMessage {
	return c.capabilities(revision.NewestStateless)
}

// accepts reports whether Config.OnServerRequest gets the requests of a method.
func (c *Client) accepts(method string) bool {
	switch method {
	case MethodSampling:
		return c.cfg.OnServerRequest != nil && c.cfg.Sampling
	case MethodElicitation:
		return c.cfg.OnServerRequest != nil && c.cfg.Elicitation
	case MethodRoots:
		return c.cfg.OnServerRequest != nil && c.cfg.PassRoots != nil && c.cfg.PassRoots()
	}
	return false
}

// handleServerRequest passes a request of the server on, or queues its response.
// The bytes are only valid during the call. The response is not sent from here:
// a server that does not read while it writes would block the reading.
func (c *Client) handleServerRequest(a ServerRequest) {
	if len(a.ID.String()) > MaxID {
		c.emitNote(fmt.Sprintf("requests of the server (%s) get no response: their ids are longer than %d kB", shortMethod(a.Method), MaxID>>10))
		return
	}
	if c.isStateless() {
		return // violates 2026-07-28, basic, "Requests"; the violation is recorded
	}
	if c.accepts(a.Method) {
		a.Params = bytes.Clone(a.Params)
		a.Task = jsonrpc.Text(a.Params, "_meta", revision.MetaRelatedTask, "taskId")
		if !c.addServerRequest(a) {
			frame := jsonrpc.EncodeError(a.ID, jsonrpc.CodeInternalError, fmt.Sprintf("%d requests of the server have no response yet", maxServerRequests), nil)
			_ = c.enqueue(queuedReply{id: a.ID, frame: frame}) // a full queue is noted
			return
		}
		c.cfg.OnServerRequest(a)
		return
	}
	_ = c.enqueue(queuedReply{id: a.ID, method: shortMethod(a.Method)}) // a full queue is noted
}

// maxServerRequests bounds the server's pending requests. Users and models cannot handle more at a
// time. Later requests get an error response.
const maxServerRequests = 1000

// addServerRequest records a pending request of the server. It returns false if there are too many.
func (c *Client) addServerRequest(a ServerRequest) (added bool) {
	c.update(func(s *state) {
		if added = len(s.serverRequests) < maxServerRequests; added {
			s.serverRequests[a.ID.Key()] = a.Task
		}
	})
	return added
}

// Respond sends the result of a request that [Config.OnServerRequest] has received. The result for a task gets
// the _meta that names the task, unless it has that already (2025-11-25, basic / utilities / tasks,
// "Associating Task-Related Messages").
func (c *Client) Respond(ctx context.Context, id jsonrpc.ID, result []byte) error {
	if c.provideInput(id, result) {
		return nil // the response is sent with the next request of the round
	}
	frame := c.resultFrame(id, result)
	c.markResponded(id)
	return c.Send(ctx, frame)
}

// resultFrame returns the response to a request that Config.OnServerRequest got.
func (c *Client) resultFrame(id jsonrpc.ID, result []byte) []byte {
	if task := read(c, func(s *state) string { return s.serverRequests[id.Key()] }); task != "" {
		result = withMeta(result, []member{{revision.MetaRelatedTask, taskParams(task)}})
	}
	return jsonrpc.EncodeResult(id, result)
}

// QueueResponse is like Respond, but does not wait: the response is sent later, or not at all
// if too many are queued.
func (c *Client) QueueResponse(id jsonrpc.ID, result []byte) error {
	if c.provideInput(id, result) {
		return nil
	}
	frame := c.resultFrame(id, result)
	c.markResponded(id)
	return c.enqueue(queuedReply{id: id, frame: frame})
}

// QueueErrorResponse is like RespondError, but does not wait; see [Client.QueueResponse].
func (c *Client) QueueErrorResponse(id jsonrpc.ID, code int64, message string) error {
	if c.provideInput(id, nil) {
		return nil
	}
	c.markResponded(id)
	return c.enqueue(queuedReply{id: id, frame: jsonrpc.EncodeError(id, code, message, nil)})
}

// RespondError sends an error response to a request that [Config.OnServerRequest] has received. An input
// request gets no response then; see [ErrInputRefused].
func (c *Client) RespondError(ctx context.Context, id jsonrpc.ID, code int64, message string) error {
	if c.provideInput(id, nil) {
		return nil
	}
	c.markResponded(id)
	return c.Send(ctx, jsonrpc.EncodeError(id, code, message, nil))
}

// markResponded records that the client has responded to a server request, and restarts the
// timeouts.
func (c *Client) markResponded(id jsonrpc.ID) {
	c.update(func(s *state) {
		delete(s.serverRequests, id.Key())
		for _, p := range s.pending {
			signal(p.progress) // the server continues from here
		}
	})
}

// sendReplies sends queued responses until the connection ends.
func (c *Client) sendReplies() {
	for {
		select {
		case <-c.wake:
		case <-c.quit:
			return
		case <-c.transport().Done():
			return
		}
		for {
			r, ok := c.nextReply()
			if !ok {
				break
			}
			c.sendReply(r)
		}
	}
}

func (c *Client) sendReply(r queuedReply) {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	frame := r.frame
	switch {
	case frame != nil:
	case r.method == "ping":
		frame = jsonrpc.EncodeResult(r.id, nil)
	case r.method == MethodRoots:
		frame = jsonrpc.EncodeResult(r.id, c.roots())
	default:
		frame = jsonrpc.EncodeError(r.id, jsonrpc.CodeMethodNotFound, "mcptea does not offer "+r.method, nil)
	}
	// A failure to write ends the connection, which the transport reports.
	_ = c.Send(ctx, frame)
}

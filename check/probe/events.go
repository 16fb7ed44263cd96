package probe

import (
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// NeedsTrigger is the reason for skipping a probe without a trigger.
const NeedsTrigger = "needs --events-trigger"

// A Trigger is a tool call that causes an event.
type Trigger struct{ Tool, Arguments string } // Arguments is a JSON object or ""

// An EventType is an event type of the server, with valid arguments.
type EventType struct {
	Raw             []byte
	Name, Arguments string // Arguments is a JSON object
	Deliveries      []string
	Form            schema.Form // form of the arguments
	Input           []byte      // inputSchema, or nil
}

// Params returns request params for the event type. more holds additional members.
func (e EventType) Params(more string) string { return e.With(e.Arguments, more) }

// With is like Params, but with other arguments.
func (e EventType) With(arguments, more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"name":` + JSON(e.Name) + `,"arguments":` + arguments + more + `}`
}

// Lists reports whether the event type supports a delivery mode.
func (e EventType) Lists(mode string) bool { return slices.Contains(e.Deliveries, mode) }

// maxEventTypes bounds the event types that are tested.
const maxEventTypes = 5

// EventTypes returns the first event types that support a delivery mode and for which arguments can be
// generated. An empty mode selects all modes.
func (r *Run) EventTypes(mode string) (all []EventType) {
	for _, raw := range r.Server.Items(client.Events) {
		input, _ := jsonrpc.Member(raw, "inputSchema")
		e := EventType{
			Raw: raw, Name: jsonrpc.Text(raw, "name"), Deliveries: jsonrpc.Strings(jsonrpc.Get(raw, "delivery")),
			Form: schema.Parse(input), Input: input,
		}
		var ok bool
		e.Arguments, ok = example(e.Form, input)
		if ok && e.Name != "" && (mode == "" || e.Lists(mode)) && len(all) < maxEventTypes {
			all = append(all, e)
		}
	}
	return all
}

// MaySubscribe reports whether the user allows subscriptions with callbacks on this machine.
func (r *Run) MaySubscribe() bool { return r.runner.cfg.Events }

// Triggers returns the configured triggers.
func (r *Run) Triggers() []Trigger {
	if !r.runner.cfg.Events {
		return nil
	}
	return r.runner.cfg.Triggers
}

// Pull calls a trigger.
func (r *Run) Pull(c *Conn, t Trigger) (o Outcome, ok bool) {
	return r.Call(c, "the trigger "+t.Tool, t.Tool, t.Arguments)
}

// OpenStream sends a request for a long-lived stream, and waits only as long as a refusal takes.
func (r *Run) OpenStream(c *Conn, name string, frame []byte) Outcome {
	limit := r.runner.requestTimeout()
	if !r.runner.isStream() { // the stream stays open, so there is no response to wait for
		limit = r.Brief() + r.runner.quietTime()
	}
	return r.exchange(c, name, frame, tolerated, limit)
}

// IsOver reports whether the response has arrived, even if late.
func (o Outcome) IsOver() bool {
	if o.late == nil {
		return o.Kind <= Refused
	}
	select {
	case <-o.late.wait.complete:
		return true
	default:
		return o.Kind <= Refused
	}
}

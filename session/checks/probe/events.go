package probe

import (
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// NeedsTrigger is why a probe is skipped without a trigger.
const NeedsTrigger = "needs --events-trigger"

// Trigger is a call of a tool that causes an event.
type Trigger struct{ Tool, Arguments string } // arguments are a JSON object; empty for none

// EventType is an event type of the server, with arguments that its schema accepts.
type EventType struct {
	Raw             []byte
	Name, Arguments string // the arguments are a JSON object
	Deliveries      []string
	Form            schema.Form // of the arguments
	Input           []byte      // inputSchema; nil without one
}

// Params are those of a request about the type, with further members.
func (e EventType) Params(more string) string { return e.With(e.Arguments, more) }

// With is Params with other arguments.
func (e EventType) With(arguments, more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"name":` + JSON(e.Name) + `,"arguments":` + arguments + more + `}`
}

// Lists reports a mode in which the events of the type are delivered.
func (e EventType) Lists(mode string) bool { return slices.Contains(e.Deliveries, mode) }

// maxEventTypes bounds the event types that requests are sent for.
const maxEventTypes = 5

// EventTypes are the first types that list a mode, and whose arguments can be made; with an empty mode
// all of them.
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

// Triggers are the calls that cause events; none unless the user has named them.
func (r *Run) Triggers() []Trigger {
	if !r.runner.cfg.Events {
		return nil
	}
	return r.runner.cfg.Triggers
}

// Pull calls a tool that causes an event.
func (r *Run) Pull(c *Conn, t Trigger) (o Outcome, ok bool) {
	return r.Call(c, "the trigger "+t.Tool, t.Tool, t.Arguments)
}

// OpenStream sends a request that lasts, and waits as long as a refusal takes.
func (r *Run) OpenStream(c *Conn, name string, frame []byte) Outcome {
	limit := r.runner.requestTimeout()
	if !r.runner.isStream() { // its stream stays open: no response is to come
		limit = r.Brief() + r.runner.quietTime()
	}
	return r.exchange(c, name, frame, tolerated, limit)
}

// IsOver reports an exchange whose response has come, if only later.
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

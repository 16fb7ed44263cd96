package lint

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint/shape"
)

// The functions below compare each message with the official definition of its method in its
// protocol version. Rules with places of the schemas report the differences; see [SchemaPlace]. So
// they find faults that no other rule looks for.

// definitions compares messages with their definitions.
type definitions struct {
	schema  *shape.Definitions // schema of the newest protocol version
	newest  revision.Revision
	checker shape.Checker
	// near caches the definitions that were used last. Messages alternate between a few kinds.
	near    [4]nearDefinition
	next    int
	below   string             // place of the compared value
	message *Message           // message that contains the compared value
	faults  []*shape.Fault     // faults of the message
	found   func(*shape.Fault) // the function take; stored so that it is bound only once
	spoken  int                // findings of the event by rules other than those about all places, in the engine's batch
	muted   int                // number of findings that a limit had dropped before
	foreign []string           // params of the client that repeat a fault of the server
}

// A nearDefinition is the definition of the params or the result of a method in the newest protocol version.
type nearDefinition struct {
	method string
	from   revision.Sender // sender of the params; 0 for the result
	object *shape.Object
}

// definition returns the definition of the params of a method, or of its result if from is 0.
func (d *definitions) definition(method string, from revision.Sender) *shape.Object {
	for i := range d.near {
		if n := &d.near[i]; n.from == from && n.method == method {
			return n.object
		}
	}
	n := nearDefinition{method: method, from: from}
	if from == 0 {
		n.object = d.schema.Result(method)
	} else {
		n.object = d.schema.Params(method, from)
	}
	if n.object != nil { // the peer has chosen other names
		d.near[d.next] = n
		d.next = (d.next + 1) % len(d.near)
	}
	return n.object
}

// maxFaults bounds the examined faults of a message. Later ones are not reported.
const maxFaults = shape.MaxFaults

// copied maps a member of a result to the param into which clients copy it unchanged. If such a
// param has a fault, the fault is reported at the result.
var copied = map[string]string{"nextCursor": "/params/cursor", "requestState": "/params/requestState", "taskId": "/params/taskId"}

// compare compares the message of a context with its definition. Rules that name places report the
// differences there.
func (e *Engine) compare(c *Context, rules *compiled) {
	m, d := c.M, &e.definitions
	if d.schema == nil || d.newest != m.Revision {
		d.newest, d.schema = m.Revision, shape.Of(m.Revision)
		clear(d.near[:])
	}
	if d.schema == nil {
		return
	}
	object, value := d.definitionOf(m)
	if object == nil {
		return
	}
	if d.found == nil {
		d.found = d.add
	}
	d.message = m
	if members, ok := m.scanned(value); ok {
		d.checker.Open(object, d.found)
		for i := range members {
			d.checker.Member(members[i].name, members[i].value)
		}
		d.checker.Close()
	} else if value != nil {
		d.checker.Check(object, value, d.found)
	} else if absent := object.Absent("params"); absent != nil {
		d.add(absent)
	}
	d.message = nil
	for i := range rules.places {
		if len(d.faults) == 0 {
			return
		}
		e.differsAt(c, &rules.places[i])
	}
}

// definitionOf returns the definition and the value of the params or the result of a message. The
// definition is nil if there is none, or if another rule checks the value.
func (d *definitions) definitionOf(m *Message) (object *shape.Object, value []byte) {
	switch {
	case m.IsResult() && m.Request != nil && m.Result[0] == '{':
		d.below = "/result"
		return d.resultOf(m), m.Result
	case (m.IsRequest() || m.IsNotification()) && (m.Params == nil || m.Params[0] == '{'):
		d.below = "/params"
		from := revision.Client
		if m.Sender() == Server {
			from = revision.Server
		}
		return d.definition(m.Method, from), m.Params
	}
	return nil, nil
}

// resultOf returns the definition of a result, or nil if an extension defines the result.
func (d *definitions) resultOf(m *Message) *shape.Object {
	stateless := m.IsStateless() || m.Revision == ""
	switch {
	case stateless && m.ResultType() == "input_required":
		return d.schema.Named("InputRequiredResult")
	case stateless && m.ResultType() != "complete" && m.HasResultType():
		return nil
	case (m.Revision == revision.R20251125 || m.Revision == "") && m.Has(m.Result, "task") && jsonrpc.Get(m.Request.Params, "task") != nil:
		return d.schema.Named("CreateTaskResult")
	}
	return d.definition(m.Method, 0)
}

// add stores a fault of the message, and remembers the faulty values that the client may copy.
func (d *definitions) add(f *shape.Fault) {
	if len(d.faults) == maxFaults {
		return
	}
	f.Path = d.below + f.Path
	d.faults = append(d.faults, f)
	if param := copied[f.Member]; param != "" && d.message.Sender() == Server && !slices.Contains(d.foreign, param) {
		d.foreign = append(d.foreign, param)
	}
}

// differsAt reports the faults at the places of a rule.
func (e *Engine) differsAt(c *Context, h *hook) {
	c.hook, c.doubted = h, nil
	e.calls++
	e.definitions.faults = slices.DeleteFunc(e.definitions.faults, func(f *shape.Fault) bool {
		p := h.entry.place(f)
		if p != nil {
			c.reportFault(p, f)
		}
		return p != nil
	})
}

// differs reports the faults that no other rule has reported. The rules about all places report
// them.
func (e *Engine) differs(c *Context, everywhere []hook) {
	d := &e.definitions
	d.spoken, d.muted = len(e.batch), len(e.muted)
	for _, f := range d.faults {
		if d.isSaid(c, f) {
			continue
		}
		for i := range everywhere {
			if p := everywhere[i].entry.place(f); p != nil {
				c.hook, c.doubted = &everywhere[i], nil
				e.calls++
				c.reportFault(p, f)
			}
		}
	}
	clear(d.faults)
	d.faults = d.faults[:0]
}

// isSaid reports whether a rule has already reported the fault, possibly at an earlier message.
func (d *definitions) isSaid(c *Context, f *shape.Fault) bool {
	switch missing := f.Problem == shape.Missing; {
	case !missing && c.M.Sender() == Client && slices.Contains(d.foreign, f.Path):
		return true
	case missing && strings.HasPrefix(f.Of, "notifications/cancelled"):
		return true // N012 reports it, and client/revision knows its exception
	default:
		return c.isReported(f.Path, missing)
	}
}

// muted is a finding of the event that a limit has dropped.
type muted struct {
	rule *Entry
	path string
}

func (e *Engine) mute(rule *Entry, path string) {
	if len(e.muted) < MaxPerFrame {
		e.muted = append(e.muted, muted{rule, path})
	}
}

// isReported reports whether a rule has reported the value at a path of the message, or the missing member there.
// Findings dropped by a limit count, too.
func (c *Context) isReported(path string, missing bool) bool {
	if c.M.Index >= 0 {
		path = At(c.M.Index).path + path
	}
	e := c.engine
	for i := range e.definitions.spoken {
		if f := &e.batch[i]; f.Row == c.F.Row && speaksOf(f.Rule, f.Severity, f.Path, path, missing) {
			return true
		}
	}
	for _, m := range e.muted[:e.definitions.muted] {
		if speaksOf(m.rule, m.rule.DefaultSeverity, m.path, path, missing) {
			return true
		}
	}
	return false
}

// speaksOf reports whether a finding of a rule already covers the fault at a path. A finding at the
// path or below it covers the fault, unless it is an info below a missing member. Any other finding
// must not be a heuristic. It covers the fault if it is one of these: an error that names an
// enclosing value; an error that names another element of the same array; a finding that names
// another member of the object with the missing member. If the message has no params, a schema
// finding that names the frame or a param covers it.
func speaksOf(rule *Entry, severity Severity, reported, path string, missing bool) bool {
	slash := strings.LastIndexByte(path, '/')
	around := path[:slash]
	switch {
	case missing && path[slash:] == "/params" && (around == "" || isIndex(around[1:])):
		return rule.Basis == Schema && (reported == "" || within(reported, path))
	case within(reported, path):
		return !missing || severity != Info
	case rule.Basis == Heuristic:
		return false
	case severity == Error && isIndex(path[slash+1:]) && within(reported, around):
		return true
	case severity == Error && reported == around:
		return true
	}
	return missing && rule.Basis == Schema && severity == Error && within(reported, around) && strings.Count(reported, "/") == strings.Count(path, "/")
}

func isIndex(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

// within reports whether place equals other or is below it.
func within(place, other string) bool {
	return strings.HasPrefix(place, other) && (len(place) == len(other) || place[len(other)] == '/')
}

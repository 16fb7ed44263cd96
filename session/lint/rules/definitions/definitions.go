// Package definitions has the rules of the family D: a net below the others. Each message is
// checked against the definition of the official schema of its revision; what no other rule
// has said about a place is reported.
package definitions

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/session/lint/shape"
)

// Rules are the rules of the family. One of them checks, and reports for all.
var Rules = []lint.Rule{
	{ID: "D001", Limit: lint.PerMessage(lint.SomeEntries), Last: wrongTypes},
	{ID: "D002", Limit: lint.PerMessage(lint.SomeEntries), Last: func(c *lint.Context) { report(c, shape.Missing) }},
	{ID: "D003", Limit: lint.PerMessage(lint.SomeEntries), Last: func(c *lint.Context) { report(c, shape.WrongValue) }},
}

// own is the memory of the family: the faults of the newest message.
type own struct {
	checker shape.Checker
	faults  []shape.Fault
	below   string        // the place of what is checked
	m       *lint.Message // while it is checked
	add     func(shape.Fault)
	// near are the newest definitions that were asked for: frames take turns.
	near [8]definition
	next int
}

// definition is that of the params or the result of a method in a revision.
type definition struct {
	revision revision.Revision
	method   string
	result   bool
	object   *shape.Object
	sender   revision.Sender // of the method
}

func (o *own) definition(r revision.Revision, method string, result bool) *definition {
	for i := range o.near {
		if d := &o.near[i]; d.method == method && d.result == result && d.revision == r {
			return d
		}
	}
	known, ok := revision.Lookup(method)
	if !ok {
		return &definition{} // not kept: the peer has chosen the name
	}
	d := &o.near[o.next]
	o.next = (o.next + 1) % len(o.near)
	*d = definition{revision: r, method: method, result: result}
	suffix := ".params"
	if result {
		suffix = ".result"
	}
	d.object = shape.Of(r, revision.Shape(method+suffix))
	d.sender = known.Sender(r)
	return d
}

// copied are params that a client takes from the server as they are.
var copied = []string{"/params/requestState", "/params/taskId", "/params/cursor"}

// none are the params of a message without them.
var none = []byte("{}")

// maxFaults bounds the faults that are kept of a message.
const maxFaults = 100

func wrongTypes(c *lint.Context) {
	m := c.M
	if !m.Revision.Known() {
		return
	}
	o := lint.Own[own](c.St)
	o.faults, o.m = o.faults[:0], m
	if o.add == nil {
		o.add = o.keep // once, since it is allocated
	}
	switch {
	case m.IsResult() && m.Request != nil && m.Result != nil && m.Result[0] == '{':
		o.below = "/result"
		o.checker.Check(o.resultOf(m), m.Result, o.add)
	case m.IsRequest() || m.IsNotification():
		o.below = "/params"
		from := revision.Client
		if m.Sender() == lint.Server {
			from = revision.Server
		}
		d := o.definition(m.Revision, m.Method, false)
		if d.object == nil || d.sender&from == 0 {
			break // the definition is for the other direction
		}
		params := m.Params
		if params == nil {
			params = none
		}
		o.checker.Check(d.object, params, o.add)
	}
	o.m = nil
	if len(o.faults) > 0 {
		report(c, shape.WrongType)
	}
}

// resultOf is the definition of a result; nil of one of an extension.
func (o *own) resultOf(m *lint.Message) *shape.Object {
	switch r := m.Revision; {
	case m.IsStateless() && m.ResultType() == "input_required":
		return shape.Of(r, "InputRequiredResult")
	case m.IsStateless() && m.ResultType() != "complete" && m.ResultType() != "":
		return nil
	case r == revision.R20251125 && m.Has(m.Result, "task") && jsonrpc.Get(m.Request.Params, "task") != nil:
		return shape.Of(r, "CreateTaskResult")
	}
	return o.definition(m.Revision, m.Method, true).object
}

// keep takes a fault, unless a rule of another family knows better.
func (o *own) keep(f shape.Fault) {
	f.Path = o.below + f.Path
	switch {
	case len(o.faults) == maxFaults:
	case f.Problem == shape.WrongType && o.m.Sender() == lint.Client && slices.Contains(copied, f.Path):
		// as the server has sent it, which is reported there
	case f.Of == "notifications/cancelled.params" && f.Problem == shape.Missing:
		// N012 knows the exception; client/revision requires it for the composer
	default:
		o.faults = append(o.faults, f)
	}
}

func report(c *lint.Context, p shape.Problem) {
	o := lint.Own[own](c.St)
	for i := range o.faults {
		f := &o.faults[i]
		if f.Problem != p || c.Said(f.Path, p == shape.Missing) {
			continue
		}
		name := "`" + lint.Escaped(f.Member) + "`"
		if f.Element {
			name = "An element of " + name
		}
		got := "missing"
		if f.Value != nil {
			got = lint.Shown(f.Value)
		}
		c.Report(lint.AtPointer(f.Path), "name", name, "expected", f.Expected, "got", got, "definition", string(f.Of), "revision", string(c.M.Revision))
	}
}

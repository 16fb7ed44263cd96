package lint

import (
	"slices"

	"mcptea/client/jsonrpc"
)

// A dispatch holds the rules about lines or messages, for three cases: rules for all of them, rules
// by kind, and rules by method.
type dispatch struct {
	all      []hook
	ofKind   [jsonrpc.Batch + 1][]hook
	ofMethod map[string][]hook
}

// add adds a function of a rule about messages.
func (d *dispatch) add(r Rule, h hook, find func(*Context)) {
	h.find = find
	switch {
	case find == nil:
	case len(r.Methods) > 0:
		for _, method := range r.Methods {
			d.ofMethod[method] = append(d.ofMethod[method], h)
		}
	case len(r.Kinds) > 0:
		for _, kind := range r.Kinds {
			d.ofKind[kind] = append(d.ofKind[kind], h)
		}
	default:
		d.all = append(d.all, h)
	}
}

// A selection is the key that determines which rules run.
type selection struct {
	from   *dispatch
	is     When
	method string
}

// selected returns the rules for a selection.
func (d *dispatch) selected(key selection) []hook {
	var hooks []hook
	for kind, all := range d.ofKind {
		if is := kindConditions[kind]; is != 0 && key.is&is == is {
			hooks = append(hooks, all...)
		}
	}
	hooks = slices.Concat(d.all, hooks, d.ofMethod[key.method])
	return slices.DeleteFunc(hooks, func(h hook) bool {
		return h.when&^key.is&^ofResult != 0 || h.when&ofResult != 0 && key.is&Result == 0
	})
}

// A stage is a step in the handling of a frame.
type stage uint8

// The stages.
const (
	lines  stage = iota
	before       // the state is updated
	after
	stages
)

// maxSelected bounds the selections that are kept.
const maxSelected = 1000

// dispatch calls the rules for the line or the message of a context. The rules for a selection are
// computed once and cached, because a frame is mostly like the previous one of its sender.
func (e *Engine) dispatch(at stage, d *dispatch, c *Context) {
	key := selection{from: d, is: c.is}
	if c.M != nil {
		key.method = c.M.Method
	}
	newest := &e.newestSelected[at][c.F.Dir]
	if newest.selection != key && d.ofMethod[key.method] == nil {
		key.method = "" // unknown methods of the peer are not cached
	}
	if newest.selection != key {
		hooks, known := e.selected[key]
		if !known {
			hooks = d.selected(key)
			Keep(&e.selected, maxSelected, key, hooks)
		}
		newest.selection, newest.hooks = key, hooks
	}
	e.run(newest.hooks, c)
}

// run calls rules.
func (e *Engine) run(hooks []hook, c *Context) {
	for i := range hooks {
		h := &hooks[i]
		if h.when&ofResult != 0 && !c.meets(h.when) {
			continue
		}
		c.hook, c.doubted = h, nil
		e.calls++
		h.find(c)
	}
}

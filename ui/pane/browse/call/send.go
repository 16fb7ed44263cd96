package call

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/offer/invoke"
	"mcptea/session/question/consent"
	"mcptea/session/runs/script"
	"mcptea/session/session"
	"mcptea/ui/dialog"
)

// request sends a request of the user; started gets the call. In a recording it goes into
// the composer of a connection.
func (p *Panel) request(method string, params []byte, started func(c *session.Call)) {
	p.confirmed(method, params, func() {
		p.app.OnlineRequest(method, params, func() {
			c := p.s.Start(method, params)
			p.Sent(c)
			started(c)
		})
	})
}

// confirmed goes on once the user has agreed to a call of a tool that is annotated as
// destructive, where the configuration has that asked.
func (p *Panel) confirmed(method string, params []byte, then func()) {
	name := jsonrpc.Text(params, "name")
	if !p.Confirm || method != "tools/call" || !p.isDestructive(name) {
		then()
		return
	}
	arguments := jsonrpc.Get(params, "arguments")
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	dialog.Consent{
		Text: consent.Text{
			Facts: []consent.Fact{{Label: "tool", Text: name, Strong: true}, {Label: "to", Text: p.tick.State.Handshake.Server.String()}},
			Name:  "arguments", Lines: []string{string(arguments)},
		},
		Title: "Call a tool that is annotated as destructive?",
		Yes:   "call it", No: "do not call", After: "nothing is sent",
		Accept: then,
	}.Open(p.app)
}

// isDestructive reports a tool whose annotations say so; they are hints of the server.
func (p *Panel) isDestructive(name string) bool {
	for _, e := range p.items {
		if e.item.Name == name {
			return slices.ContainsFunc(annotationLabels(e.item), func(l annotationLabel) bool { return l.word == destructive })
		}
	}
	return false
}

// send makes the request that the form says now, or shows what is wrong with it at first.
func (p *Panel) send(e *Item) {
	e.wanted = e.Version()
	p.make(e)
}

// make makes the request of an item, also once the files are read that it names.
func (p *Panel) make(e *Item) {
	if line, _, msg := e.Editor.Verify(); e.AsJSON && msg != "" {
		p.app.Fail("line " + strconv.Itoa(line) + ": " + msg + "; the composer sends text that is not JSON")
		return
	}
	if paths := e.Paths(); len(paths) > 0 {
		p.readFiles(e, paths)
		return
	}
	kept := e.Unresolved()
	args, fine := e.Check()
	if !fine {
		p.list.Enter() // at the first invalid field
		return
	}
	if e.item.Kind == "prompts" && string(args) == "{}" {
		args = nil
	}
	params, err := e.shape.Params(e.item, args)
	if err != nil {
		p.app.Fail(dialog.Sentence(err))
		return
	}
	if w := p.wishOf(e); w.on {
		params = client.AsTask(params, w.ttl)
	}
	e.values = nil
	p.request(e.shape.Method, params, func(c *session.Call) {
		e.AddCall(c)
		if p.list.Inside() && p.selected() == e && e.Version() == e.wanted {
			p.inResult = true // unless the user types again
		}
		if string(kept) != "{}" && e.item.Kind != "resources" {
			p.Arguments.Keep(e.shape.Method, p.subject(e), kept)
		}
	})
}

// subject names an item in what is kept from one session to the next: the server by the
// name that it has given, and the item.
func (p *Panel) subject(e *Item) string {
	name := e.item.Name
	if e.item.Kind == "templates" {
		name = e.item.URI
	}
	return p.tick.State.Handshake.Server.Name + " " + name
}

// readFiles reads the files that the arguments name, and sends the call then.
func (p *Panel) readFiles(e *Item, paths []string) {
	p.app.Go(func(context.Context) func() {
		contents, errs := make([][]byte, len(paths)), make([]error, len(paths))
		for i, path := range paths {
			contents[i], errs[i] = script.ReadFile(dialog.Home(path), "it")
		}
		return func() {
			for i, path := range paths {
				e.SetFile(path, contents[i], errs[i])
			}
			p.make(e)
		}
	})
}

// compose opens the request of an item in the composer.
func (p *Panel) compose(e *Item) { p.app.Compose(p.written(e)) }

// sendToBoth sends the call on show to the server of another session too, or without one what would be
// sent now.
func (p *Panel) sendToBoth(e *Item) {
	if c := e.shown(); c != nil {
		p.Compare(c.Method, c.Params)
		return
	}
	method, params := p.written(e)
	p.Compare(method, []byte(params))
}

// written is the request of an item, with the arguments as they are now.
func (p *Panel) written(e *Item) (method, params string) {
	args, _ := e.Values()
	of, _ := e.shape.Params(e.item, args) // what does not work out is what the composer is for
	if w := p.wishOf(e); w.on {
		of = client.AsTask(of, w.ttl)
	}
	return e.shape.Method, string(of)
}

// copyCommand copies the command that does what a call does, for the user's shell; with a jq filter it
// prints what that makes of the result.
func (p *Panel) copyCommand(e *Item, filter string) {
	args, _ := e.Values()
	w := p.wishOf(e)
	line, err := e.shape.Line(invoke.Command{Form: &e.Schema, Task: w.on, TTL: w.ttl, Flags: p.Flags, Target: p.s.Target(), Offers: p.offers(e), JQ: filter}, e.item, args)
	if err != nil {
		p.app.Fail("No command for this: " + err.Error() + ".")
		return
	}
	p.app.CopyCommand(line)
}

// offers are the capabilities without which the server may not have an item, or not answer a
// call of it: those that it has used, or that the item speaks of. A command offers no others.
func (p *Panel) offers(e *Item) (kinds []string) {
	text := strings.ToLower(string(e.item.Raw))
	for _, of := range []struct{ kind, method, word string }{{"elicitation", client.MethodElicitation, "elicit"}, {"sampling", client.MethodSampling, "sampling"}} {
		if strings.Contains(text, of.word) || p.Used != nil && p.Used(of.method) {
			kinds = append(kinds, of.kind)
		}
	}
	return kinds
}

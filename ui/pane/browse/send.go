package browse

import (
	"context"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/offer/invoke"
	"mcptea/session/runs/script"
	"mcptea/session/session"
	"mcptea/ui/dialog"
)

// request sends a request and passes the call to started. In a recording it opens the composer instead.
func (p *Panel) request(method string, params []byte, started func(c *session.Call)) {
	p.app.OnlineRequest(method, params, func() {
		c := p.s.Start(method, params)
		p.Sent(c)
		started(c)
	})
}

// send sends the request in the form, or shows the first invalid field.
func (p *Panel) send(e *Item) {
	e.wanted = e.Version()
	p.checked(e, "call.send", func(params, kept []byte) {
		p.request(e.shape.Method, params, func(c *session.Call) {
			e.AddCall(c)
			if p.list.Inside() && p.selected() == e && e.Version() == e.wanted {
				p.inResult = true // unless the user has typed since
			}
			if string(kept) != "{}" && e.item.Kind != "resources" {
				p.Arguments.Keep(e.shape.Method, p.subject(e), kept)
			}
		})
	})
}

// checked validates the form and calls then with the params. If the form is invalid, it shows the first problem
// and the command that sends anyway. It reads the files that the arguments name; kept holds the arguments as
// typed.
func (p *Panel) checked(e *Item, command string, then func(params, kept []byte)) {
	e.checkedFor = command
	if line, _, msg := e.Editor.Verify(); e.AsJSON && msg != "" {
		p.app.Fail("line " + strconv.Itoa(line) + ": " + msg + "; the composer sends text that is not JSON")
		return
	}
	if paths := e.Paths(); len(paths) > 0 {
		p.readFiles(e, paths, command, then)
		return
	}
	kept := e.Unresolved()
	args, fine := e.Check()
	if !fine {
		p.list.Enter() // go to the first invalid field
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
	then(params, kept)
}

// subject returns the key of an item in files kept across sessions: the name of the server and the item.
func (p *Panel) subject(e *Item) string {
	name := e.item.Name
	if e.item.Kind == "templates" {
		name = e.item.URI
	}
	return p.tick.State.Handshake.Server.Name + " " + name
}

// readFiles reads the files that the arguments name and then calls checked again.
func (p *Panel) readFiles(e *Item, paths []string, command string, then func(params, kept []byte)) {
	p.app.Go(func(context.Context) func() {
		contents, errs := make([][]byte, len(paths)), make([]error, len(paths))
		for i, path := range paths {
			contents[i], errs[i] = script.ReadFile(dialog.Home(path), "it")
		}
		return func() {
			for i, path := range paths {
				e.SetFile(path, contents[i], errs[i])
			}
			p.checked(e, command, then)
		}
	})
}

// compose opens the request of an item in the composer.
func (p *Panel) compose(e *Item) { p.app.Compose(p.written(e)) }

// sendToBoth sends the selected call or, in the form, the request in the form to this server and another one.
func (p *Panel) sendToBoth(e *Item) {
	if c := e.shown(); c != nil && p.InResult() {
		p.Compare(c.Method, c.Params)
		return
	}
	p.checked(e, "call.both", func(params, _ []byte) { p.Compare(e.shape.Method, params) })
}

// written returns the request of an item with the arguments in the form, valid or not.
func (p *Panel) written(e *Item) (method, params string) {
	args, _ := e.Values()
	of, _ := e.shape.Params(e.item, args) // the composer is for requests that fail here
	if w := p.wishOf(e); w.on {
		of = client.AsTask(of, w.ttl)
	}
	return e.shape.Method, string(of)
}

// copyCommand copies the shell command that makes the same call. filter is a jq expression for its result, or
// "".
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

// offers returns the client capabilities that the item may need. The server has used them, or the
// definition mentions them. The copied command declares only these.
func (p *Panel) offers(e *Item) (kinds []string) {
	text := strings.ToLower(string(e.item.Raw))
	for _, of := range []struct{ kind, method, word string }{{"elicitation", client.MethodElicitation, "elicit"}, {"sampling", client.MethodSampling, "sampling"}} {
		if strings.Contains(text, of.word) || p.Used != nil && p.Used(of.method) {
			kinds = append(kinds, of.kind)
		}
	}
	return kinds
}

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/session/content"
	"mcptea/ui/paint"
)

// request is what a command sends, and how its result is printed.
type request struct {
	method string
	params []byte
	frame  []byte            // sent in place of one that mcptea builds; nil without
	name   string            // of the tool or the prompt, or the URI
	lists  []client.ListKind // lists that have the name
	// unknownMethod says that the user wrote the method, which may be misspelt.
	unknownMethod bool
	// afterError says more about an error response; may be nil.
	afterError func()
	// print prints a result as text; nil is [program.printResult]. It reports whether
	// the command has failed.
	print func(result []byte) (failed bool, err error)
}

// send sends a request and prints the response.
func (p *connection) send(s *session.Session, r request) error {
	w := p.watch(s)
	response, err := p.await(s, func() *session.Call {
		if r.frame != nil {
			return s.StartFrame(r.frame)
		}
		return s.Start(r.method, r.params)
	}, w.show)
	w.end()
	p.warnOfReplies(s)
	if err != nil {
		failure := p.outcome(s, err)
		if p.json && response.Result() != nil {
			_ = p.printResponseJSON(response) // the input requests of the server
		}
		return failure
	}
	p.warnOfStrayText()
	if p.json {
		return p.printResponseJSON(response)
	}
	if err := response.Err(); err != nil {
		failure := p.outcome(s, err)
		if r.unknownMethod {
			p.suggestMethod(r.method, err)
		}
		p.suggest(s, r, response.Envelope.Error.Of(response.Frame))
		if r.afterError != nil {
			r.afterError()
		}
		return failure
	}
	if r.print == nil {
		r.print = func(result []byte) (bool, error) { return p.printResult(r.method, result), nil }
	}
	failed, err := r.print(response.Result())
	if err == nil && failed {
		p.suggest(s, r, response.Result())
		if hint := p.capabilityHint(string(response.Result())); hint != "" {
			fmt.Fprintf(p.err, "  %s %s\n", p.err.faint("try"), hint)
		}
		err = silent(ExitError)
	}
	return err
}

// suggest prints similar names if the server does not have the requested one. A list
// that was not fetched is fetched if the response mentions the name.
func (p *connection) suggest(s *session.Session, r request, response []byte) {
	lists := s.State().Lists
	var missing []client.ListKind
	for _, k := range r.lists {
		if lists[k.Name].Loaded.IsZero() {
			missing = append(missing, k)
		}
	}
	if len(missing) > 0 {
		quoted := jsonrpc.StringID(r.name)
		isURI := r.method != "resources/read" || strings.Contains(r.name, ":")
		if r.name == "" || isURI && !bytes.Contains(response, []byte(quoted[1:len(quoted)-1])) {
			return
		}
		for _, k := range missing {
			s.Fetch(k)
		}
		var err error
		if lists, err = p.loadLists(s, nothing, missing...); err != nil {
			return // interrupted
		}
	}
	var names []string
	for _, k := range r.lists {
		for _, i := range lists[k.Name].Items {
			names = append(names, key(i))
		}
	}
	if len(names) == 0 || slices.Contains(names, r.name) {
		return
	}
	if near := nearest(r.name, names); len(near) > 0 {
		fmt.Fprintf(p.err, "Did you mean %s?\n", p.err.safe(strings.Join(near, ", ")))
		return
	}
	what := r.lists[0].Name
	fmt.Fprintf(p.err, "The server has %s; mcptea list %s shows them.\n", paint.Plural(len(names), strings.TrimSuffix(what, "s")), what)
}

// suggestMethod prints similar methods if the server does not have the requested one.
func (p *connection) suggestMethod(method string, err error) {
	var rpc *client.RPCError
	if _, known := revision.Lookup(method); known || !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeMethodNotFound {
		return
	}
	var names []string
	for _, r := range revision.All() {
		for _, m := range revision.Methods(r, revision.Client) {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	if near := nearest(method, names); len(near) > 0 {
		fmt.Fprintf(p.err, "Did you mean %s?\n", strings.Join(near, ", "))
	}
}

// printResponseJSON prints the result or error as received, on one line.
func (p *connection) printResponseJSON(response client.Response) error {
	raw, code := response.Result(), ExitOK
	if response.Err() != nil {
		raw, code = response.Envelope.Error.Of(response.Frame), ExitError
	} else if content.ToolFailed(raw) {
		code = ExitError
	}
	if bytes.ContainsAny(raw, "\r\n") {
		// Line breaks occur between tokens only; the tokens are unchanged.
		var one bytes.Buffer
		if json.Compact(&one, raw) == nil {
			raw = one.Bytes()
		}
	}
	text := string(raw)
	if response.Err() != nil {
		text = `{"error":` + text + `}`
	}
	if err := p.printJSON(text); err != nil {
		return err
	}
	if code != ExitOK {
		return silent(code)
	}
	return nil
}

// key returns what identifies an entry in requests: its URI or name.
func key(i session.Item) string {
	if i.URI != "" {
		return i.URI
	}
	return i.Name
}

func itemNamed(list session.List, name string) (session.Item, bool) {
	i := slices.IndexFunc(list.Items, func(i session.Item) bool { return i.Name == name })
	if i < 0 {
		return session.Item{}, false
	}
	return list.Items[i], true
}

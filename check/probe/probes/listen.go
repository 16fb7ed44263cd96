package probes

import (
	"slices"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

const (
	listenMethod = "subscriptions/listen"
	// acknowledgment is the first notification of a subscription.
	acknowledgment = "notifications/subscriptions/acknowledged"
	// listensToAll includes lists that the server does not declare: the acknowledgement must leave them out.
	listensToAll = `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}}`
	// listensToTools is the filter of a second subscription. Its notifications differ from those of the first.
	listensToTools = `{"notifications":{"toolsListChanged":true}}`
)

// listen opens subscriptions, changes lists while they are open, and sends wrong requests. Rules judge most of
// what arrives.
func listen(r *probe.Run) {
	c := r.Linted(true)
	if r.SkipIf(!subscribes(r, c), "no subscriptions") {
		return
	}
	if r.IsHTTP() { // ends the subscriptions; over stdio the run waits until the end for a missing response
		r.Close(c)
	}
	c = r.Fresh()
	for _, s := range []struct{ name, params string }{
		{"without notifications", `{}`}, {"with a string as notifications", `{"notifications":"x"}`},
	} {
		o := r.Provoke(c, listenMethod+" "+s.name, c.Request(listenMethod, s.params))
		if !r.SkipIf(o.IsError(jsonrpc.CodeMethodNotFound), "no subscriptions") {
			job{Run: r}.judge("P-150", o, "what", s.name)
		}
	}
}

// announcing returns a declared capability whose notifications only a subscription delivers, or "".
func announcing(r *probe.Run) string {
	for _, kind := range client.ListKinds {
		if kind.Changed != "" && kind.IsDeclared(r.Server.Handshake.ServerCaps, "listChanged") {
			return kind.Changed
		}
	}
	if client.Resources.IsDeclared(r.Server.Handshake.ServerCaps, "subscribe") {
		return "subscriptions to resources"
	}
	return ""
}

// subscribes opens subscriptions, and reports whether the server knows the method. A server that refuses the request in
// its plain form refuses odd ones for the same reason.
func subscribes(r *probe.Run, c *probe.Conn) bool {
	c.Take()
	id := c.ID()
	o := r.OpenStream(c, listenMethod, c.RequestAs(id, listenMethod, listensToAll))
	if o.IsRefusal() {
		switch declared := announcing(r); {
		case declared != "":
			r.Of(o).Named("listen-fails").Error("The server declares %s, and subscriptions/listen returns %s.", declared, probe.Describe(o))
		case !o.IsError(jsonrpc.CodeMethodNotFound):
			r.Unjudged("subscriptions/listen in its plain form returns %s", probe.Describe(o))
		}
		return false
	}
	if o.Kind == probe.Dead {
		return true
	}
	acknowledged := r.Awaits(c, acknowledgment)
	if !acknowledged && o.Kind == probe.Silent {
		again := r.Fresh() // a message may have been lost
		p := r.OpenStream(again, listenMethod+" on another connection", again.Request(listenMethod, listensToAll))
		if p.Kind == probe.Silent && !r.Awaits(again, acknowledgment) {
			life := r.Ask(again, r.SignOfLife()+" after it", again.Ping())
			r.Of(o).Against(r.SignOfLife()+" after it", life).Named("unacknowledged").Error("The server does not acknowledge subscriptions/listen.")
		}
		return true
	}
	if acknowledged && o.Kind == probe.Result && o.AtOnce {
		again := r.OpenStream(c, listenMethod+" again", c.Request(listenMethod, listensToAll))
		if again.Kind == probe.Result && again.AtOnce {
			r.Of(o).Info("The server ends the subscription as soon as it has acknowledged it: the client must subscribe repeatedly, and gets no notification.")
		}
		return true
	}
	other := jsonrpc.IDOf(probe.JSON("mcptea-listen-" + r.Random())) // the type of the id must be kept
	r.OpenStream(c, listenMethod+" a second time", c.RequestAs(other, listenMethod, listensToTools))
	changedLists(r, c, func(kind client.ListKind, changed string) {
		r.Of(o).Itself().About(lint.Warn, "", "%s has changed, but %s was not sent on the subscription that requested it.", kind.Method, changed)
	})
	for _, id := range []jsonrpc.ID{id, other} {
		if !r.IsHTTP() { // over HTTP, the end of the connection ends them
			r.Provoke(c, "the end of the subscription", jsonrpc.EncodeNotification("notifications/cancelled", []byte(`{"requestId":`+string(id.Bytes())+`}`)))
		}
	}
	return true
}

// maxChanges bounds the calls that may change something, and are made for that.
const maxChanges = 4

// changes returns calls of tools that the user has named and that are not read-only. A text argument that the
// schema lists and that has no value yet gets each of its values; an argument named uri gets the URI.
func changes(r *probe.Run, uri string) (all []probe.Subject) {
	for _, s := range r.Callables() {
		if !s.Allowed || s.Annotation("readOnlyHint") {
			continue
		}
		values := []probe.Subject{s}
		for _, f := range s.Form.Fields {
			if jsonrpc.Get([]byte(s.Arguments), f.Name) != nil {
				continue
			}
			var texts []string
			if f.Name == "uri" && uri != "" {
				texts = []string{probe.JSON(uri)}
			}
			for _, v := range jsonrpc.Strings(jsonrpc.Get(s.Input, "properties", f.Name, "enum")) {
				texts = append(texts, probe.JSON(v))
			}
			if len(texts) > 0 {
				values = nil
			}
			for _, v := range texts {
				next := s
				next.Arguments = parse(s.Arguments).with(f.Name, v).encode()
				values = append(values, next)
			}
			break
		}
		all = append(all, values...)
	}
	return all[:min(len(all), maxChanges)]
}

// change makes the calls of [changes], and reports whether one of them returned a result.
func change(r *probe.Run, c *probe.Conn, all []probe.Subject) (done bool) {
	for _, s := range all {
		o, ok := r.Call(c, "a call of "+s.Name+" that may change something", s.Name, s.Arguments)
		done = done || ok && o.Kind == probe.Result && !o.ToolError()
	}
	return done
}

// changedLists makes the calls of [changes], and reports a list that has changed without a notification.
func changedLists(r *probe.Run, c *probe.Conn, report func(kind client.ListKind, changed string)) {
	all := changes(r, "")
	lists := slices.DeleteFunc([]client.ListKind{client.Tools, client.Prompts, client.Resources}, func(kind client.ListKind) bool { return !r.Server.Offers(kind, "listChanged") })
	if len(all) == 0 || len(lists) == 0 {
		return
	}
	before := map[string][]string{}
	for _, kind := range lists {
		before[kind.Name] = names(r.Walk(c, kind), kind)
	}
	c.Take()
	for _, s := range slices.Concat(all, all) { // a server may announce only the first change
		if !change(r, c, []probe.Subject{s}) {
			continue
		}
		for _, kind := range lists {
			now := r.Walk(c, kind)
			after := names(now, kind)
			of, _ := revision.ListOf(kind.Method)
			if now.Problem == "" && !slices.Equal(before[kind.Name], after) && !r.Awaits(c, of.Changed) {
				report(kind, of.Changed)
				return
			}
			before[kind.Name] = after
		}
	}
}

package probes

import (
	"net/http"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// secondPrincipal acts as another principal. That principal must not see data of the first. Each
// part is left out if the server has no such data.
func secondPrincipal(r *probe.Run) {
	if r.SkipIf(!r.Authorized(), "the first principal has no token") {
		return
	}
	other := r.Second()
	parts := 0
	for _, part := range []func(r *probe.Run, other *probe.Conn) bool{foreignTask, foreignSubscription, foreignSession, foreignState, foreignLists} {
		if part(r, other) {
			parts++
		}
	}
	r.SkipIf(parts == 0, "the server has nothing that could belong to a principal")
}

// foreignTask requests a task of the first principal.
func foreignTask(r *probe.Run, other *probe.Conn) (asked bool) {
	t, ok := anyTask(r)
	if !ok {
		return false
	}
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		if method == "tasks/cancel" && !r.IsStateless() && !r.Server.Has("tasks.cancel") {
			continue
		}
		o := r.Ask(other, method+" of the task of another principal", other.Request(method, taskParams(r, t.params)))
		if o.Kind == probe.Result {
			r.Of(o).Itself().Named("task").Error("%s by another principal returns a result: the task of %s belongs to the first one.", method, t.tool.Name)
		}
	}
	if r.IsStateless() || !r.Server.Has("tasks.list") {
		return true
	}
	o := r.Ask(other, "tasks/list", other.Request("tasks/list", ""))
	for one := range jsonrpc.Elements(o.Member("tasks")) {
		if jsonrpc.Text(one, "taskId") == t.id {
			r.Of(o).Itself().Named("task-listed").Error("tasks/list lists a task of another principal.")
		}
	}
	return true
}

// foreignSubscription ends a subscription of the first principal, and makes the same one.
func foreignSubscription(r *probe.Run, other *probe.Conn) (asked bool) {
	if !hasEvents(r) || !r.MaySubscribe() || len(r.EventTypes(revision.DeliveryWebhook)) == 0 {
		return false
	}
	s, to, _, ok := eventSubscriber(r, false)
	if !ok {
		return false
	}
	defer s.end()
	end := s.e.With(s.e.Arguments, `"delivery":{"mode":"webhook","url":`+probe.JSON(to.URL)+`}`)
	ended := r.Ask(other, "events/unsubscribe of the subscription of another principal", other.Request(revision.EventsUnsubscribe, end))
	if o := s.unsubscribe("", end); ended.Kind == probe.Result && isEventError(o, revision.EventNotFound) {
		r.Of(ended).Itself().Named("subscription").About(lint.Error, "event:"+s.e.Name, "events/unsubscribe by another principal ends the subscription: the first one can no longer end it.")
		return true
	}
	mine := s.to("again", to)
	second := &subscriber{r: r, c: other, e: s.e, open: map[string]string{}}
	defer second.end()
	same := second.subscribe("by another principal", s.e.Arguments, to.URL, to.Secret)
	if id := jsonrpc.Text(mine.Result(), "id"); same.Kind == probe.Result && id != "" && jsonrpc.Text(same.Result(), "id") == id {
		r.Of(same).Itself().Named("subscription").About(lint.Error, "event:"+s.e.Name, "Two principals get the same subscription id for the same callback and event type: each can end and change the subscription of the other.")
	}
	return true
}

// foreignSession uses the session of the first principal with the token of the second.
func foreignSession(r *probe.Run, _ *probe.Conn) (asked bool) {
	if r.IsStateless() {
		return false
	}
	h := r.Session()
	if h.Get("Mcp-Session-Id") == "" {
		return false
	}
	o := r.HTTP("a list in the session of another principal", probe.HTTPRequest{Session: h, Header: http.Header{"Authorization": {"Bearer " + r.Tokens().Second}}, Body: r.Maker().List()})
	if o.Kind == probe.Result && o.OK() {
		r.Of(o).Itself().Named("session").Warn("The server accepts the session of one principal with the token of another.")
	}
	return true
}

// foreignState continues a call of the first principal with its requestState.
func foreignState(r *probe.Run, other *probe.Conn) (asked bool) {
	if !r.IsStateless() {
		return false
	}
	for _, s := range r.Callables() {
		if r.IsLong(r.Took(s.Name)) {
			continue
		}
		o, ok := r.Exchange(r.Shared(), "a call of "+s.Name+" with all capabilities", s.Name, statelessCall(r, s, allCapabilities, ""))
		state := o.Member("requestState")
		if !ok || !asks(o) || state == nil {
			continue
		}
		o, _ = r.Exchange(other, "a second round by another principal", s.Name, statelessCall(r, s, allCapabilities, `,"requestState":`+string(state)))
		if o.Kind == probe.Result {
			r.Of(o).Itself().Named("state").About(lint.Warn, "tool:"+s.Name, "The tool %s accepts the requestState of another principal.", s.Name)
		}
		return true
	}
	return false
}

// foreignLists compares the lists of both principals, and reads a resource that only the first one is shown.
func foreignLists(r *probe.Run, other *probe.Conn) (asked bool) {
	for _, kind := range client.ListKinds {
		if !r.Server.Offers(kind) {
			continue
		}
		asked = true
		mine, theirs := r.Walk(r.Shared(), kind), r.Walk(other, kind)
		hidden := without(mine, theirs)
		if len(hidden) == 0 {
			continue
		}
		if r.IsStateless() && len(mine.Pages) > 0 && jsonrpc.IsText(mine.Pages[0].Member("cacheScope"), "public") {
			r.Case(kind.Method, mine.Pages...).Named("scope").About(lint.Warn, "", "%s has cacheScope \"public\", and two principals get different lists: a shared cache returns one the list of the other.", kind.Method)
		}
		if kind.Method != client.Resources.Method {
			continue
		}
		for _, uri := range hidden[:min(len(hidden), maxHiddenReads)] {
			o := r.Ask(other, "resources/read of a resource that is not listed to the principal", other.Request("resources/read", `{"uri":`+probe.JSON(uri)+`}`))
			if o.Kind == probe.Result && hasElements(o.Member("contents")) {
				r.Of(o).Itself().Named("resource").About(lint.Warn, "resource:"+uri, "resources/read returns %s to a principal whose list does not have it.", uri)
			}
		}
	}
	return asked
}

// maxHiddenReads bounds the resources that are read as the second principal.
const maxHiddenReads = 5

// without returns the keys of the items of a list that another one does not have.
func without(mine, theirs *probe.List) (keys []string) {
	has := map[string]bool{}
	for _, item := range theirs.Items {
		has[jsonrpc.Text(item, theirs.Kind.Key)] = true
	}
	for _, item := range mine.Items {
		if key := jsonrpc.Text(item, mine.Kind.Key); !has[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

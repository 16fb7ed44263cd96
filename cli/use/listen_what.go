package use

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/session"
)

// The methods of the notifications that mcptea listen recognizes.
const (
	methodMessage    = "notifications/message"
	methodUpdated    = "notifications/resources/updated"
	methodTaskStatus = "notifications/tasks/status"
	methodTask       = "notifications/tasks"
)

// listenFor holds the selection of mcptea listen.
type listenFor struct {
	all                       bool // no word was given, so listen for everything
	tools, prompts, resources bool
	events                    bool
	logs, tasks               bool
	ids, uris                 []string
}

// readWhat reads the words before the target, and the URIs of --uri.
func readWhat(words, uris []string) (w listenFor, err error) {
	w.uris = slices.Clone(uris)
	for _, word := range words {
		id, isTask := strings.CutPrefix(word, "task:")
		switch {
		case word == "tools":
			w.tools = true
		case word == "prompts":
			w.prompts = true
		case word == "resources":
			w.resources = true
		case word == "events":
			w.events = true
		case word == "logs":
			w.logs = true
		case word == "tasks":
			w.tasks = true
		case isTask && id != "":
			w.ids = append(w.ids, id)
		case !isTask && strings.Contains(word, ":"):
			w.uris = append(w.uris, word)
		default:
			return w, app.Usage(app.Suggest(word, target.ListenWords, "WHAT is tools, prompts, resources, events, logs, tasks, task:ID, event:NAME or the URI of a resource."), "listen: cannot listen for %q", word)
		}
	}
	w.all = len(words) == 0 && len(uris) == 0
	return w, nil
}

// kinds returns the lists that must be fetched to print their changes.
func (w *listenFor) kinds() (kinds []client.ListKind) {
	for _, k := range client.ListKinds {
		if w.shows(k.Changed, nil) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// shows reports whether a notification is selected.
func (w *listenFor) shows(method string, params []byte) bool {
	switch method {
	case client.Tools.Changed:
		return w.all || w.tools
	case client.Prompts.Changed:
		return w.all || w.prompts
	case client.Resources.Changed:
		return w.all || w.resources
	case client.Events.Changed:
		return w.all || w.events
	case methodMessage:
		return w.all || w.logs
	case methodUpdated:
		return w.all || len(w.uris) > 0 // an update may be about a resource below a subscribed one
	case methodTask, methodTaskStatus:
		return w.all || w.tasks || slices.Contains(w.ids, jsonrpc.Text(params, "taskId"))
	case "notifications/subscriptions/acknowledged", "notifications/progress", "notifications/cancelled":
		return false // they answer requests of mcptea itself
	}
	return w.all
}

// filter returns the subscription of 2026-07-28. Without a selection, it subscribes to everything that the
// server declares. ids are the known tasks.
func (w *listenFor) filter(h client.Handshake, ids []string) client.SubscriptionFilter {
	declares := func(given bool, kind client.ListKind) bool {
		return given || w.all && h.AnnouncesChanges(kind)
	}
	f := client.SubscriptionFilter{
		Tools: declares(w.tools, client.Tools), Prompts: declares(w.prompts, client.Prompts), Resources: declares(w.resources, client.Resources),
		Events: declares(w.events, client.Events),
		URIs:   w.uris, Tasks: w.ids,
	}
	if w.tasks || w.all && h.HasTasks() {
		f.Tasks = append(slices.Clone(w.ids), ids...)
	}
	return f
}

// granted describes which parts of a subscription the server grants, and which not.
func granted(wanted client.SubscriptionFilter, object []byte) (yes, no []string) {
	sort := func(on bool, text string) {
		if on {
			yes = append(yes, text)
		} else {
			no = append(no, text)
		}
	}
	for _, l := range []struct {
		on           bool
		member, text string
	}{
		{wanted.Tools, client.Tools.Filter(), "tools"},
		{wanted.Prompts, client.Prompts.Filter(), "prompts"},
		{wanted.Resources, client.Resources.Filter(), "resources"},
		{wanted.Events, client.Events.Filter(), "events"},
	} {
		if l.on {
			value, _ := jsonrpc.Member(object, l.member)
			sort(string(value) == "true", l.text)
		}
	}
	texts := func(member string) (all []string) {
		value, _ := jsonrpc.Member(object, member)
		for e := range jsonrpc.Elements(value) {
			text, _ := jsonrpc.Unquote(e)
			all = append(all, text)
		}
		return all
	}
	uris, tasks := texts("resourceSubscriptions"), texts("taskIds")
	for _, uri := range wanted.URIs {
		sort(slices.Contains(uris, uri), "updates of "+uri)
	}
	for _, id := range wanted.Tasks {
		sort(slices.Contains(tasks, id), "task "+id)
	}
	return yes, no
}

// open subscribes to the selection at the server. Parts that the server does not grant are reported on stderr.
func (l *listener) open() error {
	h := l.s.State().Handshake
	if shared := l.s.Config().Target.Shared; shared != nil {
		l.say("listening: what the " + shared.By + " receives; nothing is subscribed to")
		return nil
	}
	if h.Revision.IsStateless() {
		return l.subscribe(h)
	}
	return l.ask(h)
}

// subscribe opens the subscription of 2026-07-28.
func (l *listener) subscribe(h client.Handshake) error {
	if l.wanted.logs {
		return app.Usage("mcptea call TOOL --trace shows the log messages of a call.", "logs belong to a request in %s: a subscription has none", h.Revision)
	}
	ids := l.p.storedTasks(l.s)
	wanted := l.wanted.filter(h, ids)
	if wanted.Empty() {
		if l.wanted.tasks {
			return app.Usage("Name one: task:ID.", "a subscription to tasks names them in %s, and mcptea knows no task of this server", h.Revision)
		}
		return app.Failed("the server declares nothing that a client can listen for")
	}
	sub, object, err := l.s.Listen(l.p.Ctx, wanted)
	if err != nil {
		return l.failed(err)
	}
	l.sub = sub
	yes, no := granted(wanted, object)
	for _, text := range no {
		l.say("not granted: " + text)
	}
	if len(yes) == 0 {
		return app.Failed("the server grants none of the subscription")
	}
	l.say("listening: " + strings.Join(yes, ", "))
	return nil
}

// ask sends the requests for servers with a handshake: the log level, and a subscription for each resource.
// Changes of lists arrive without a request.
func (l *listener) ask(h client.Handshake) error {
	var yes []string
	if l.wanted.logs || l.wanted.all && h.HasCapability("logging") {
		ok, err := l.request("logs", h.HasCapability("logging"), func() *session.Call { return l.s.SetLevel(l.flags.level) })
		if err != nil {
			return err
		}
		if ok {
			yes = append(yes, "logs from "+l.flags.level)
		}
	}
	for _, uri := range l.wanted.uris {
		ok, err := l.request("updates of "+uri, h.HasCapability("resources", "subscribe"), func() *session.Call { return l.s.SubscribeResource(uri, true) })
		if err != nil {
			return err
		}
		if ok {
			l.subscribed = append(l.subscribed, uri)
			yes = append(yes, "updates of "+uri)
		}
	}
	for _, kind := range []struct {
		on   bool
		list client.ListKind
	}{{l.wanted.tools, client.Tools}, {l.wanted.prompts, client.Prompts}, {l.wanted.resources, client.Resources}, {l.wanted.events, client.Events}} {
		switch declared := h.AnnouncesChanges(kind.list); {
		case declared && (kind.on || l.wanted.all):
			yes = append(yes, kind.list.Name)
		case kind.on:
			l.say("not declared by the server: changes of the " + kind.list.Name)
		}
	}
	if l.wanted.tasks || len(l.wanted.ids) > 0 {
		yes = append(yes, "tasks")
	}
	if len(yes) == 0 {
		l.say("listening")
		return nil
	}
	l.say("listening: " + strings.Join(yes, ", "))
	return nil
}

// request sends a request of [listener.ask]. ok is false if the server does not declare the capability or rejects the
// request, which is reported.
func (l *listener) request(what string, declared bool, start func() *session.Call) (ok bool, err error) {
	if !declared {
		l.say("not granted: " + what + " (the server does not declare the capability)")
		return false, nil
	}
	response, err := l.p.Await(l.s, start)
	if err != nil {
		return false, l.failed(err)
	}
	if err := response.Err(); err != nil {
		l.say("not granted: " + what + ": " + err.Error())
		return false, nil
	}
	return true, nil
}

// close undoes open, as far as possible.
func (l *listener) close() {
	if l.sub != nil {
		l.sub.Close()
	}
	late := time.After(unsubscribeTimeout)
	for _, uri := range l.subscribed {
		select {
		case <-l.s.SubscribeResource(uri, false).Done():
		case <-late:
			return
		case <-l.p.ForceCtx.Done():
			return
		}
	}
}

// unsubscribeTimeout is the maximum wait for the responses to resources/unsubscribe. It is
// shorter than the timeout of the watchdog.
const unsubscribeTimeout = time.Second

// say prints a line on stderr.
func (l *listener) say(text string) { fmt.Fprintln(l.p.Err, l.p.Err.Safe(text)) }

// listsChanged returns the lists whose change a notification reports.
func listsChanged(method string) (kinds []revision.List) {
	for _, k := range revision.Lists {
		if k.Changed == method {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

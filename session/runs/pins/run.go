package pins

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/offer"
	"mcptea/session/session"
)

// atOnce bounds the concurrent pins.
const atOnce = 8

// lists holds the known lists of the server.
type lists struct{ tools, prompts offer.List }

// Update takes the state of the session. When the server has been connected again and its tools are known,
// the pins that only read run, and the pins of tools that the user has allowed. Pins never run by
// themselves in a session that shows a recording. It does not wait.
func (p *Pins) Update(st session.State) {
	tools, prompts := st.Lists[client.Tools.Name], st.Lists[client.Prompts.Name]
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.read {
		return
	}
	name := st.Handshake.Server.Name
	if !tools.Loaded.Equal(p.lists.tools.Loaded) || !prompts.Loaded.Equal(p.lists.prompts.Loaded) || name != p.name {
		p.lists, p.name = lists{tools, prompts}, name
		for _, one := range p.pins {
			p.resolve(one)
		}
		p.changed()
	}
	if _, recorded := p.s.Recording(); recorded {
		return // the requests are from another client, even while a tap is watched
	}
	settled := st.Phase == session.Ready && isSettled(tools, st.Started) && isSettled(prompts, st.Started)
	if !settled || st.Attempt == p.attempt {
		return
	}
	first := p.attempt == 0
	p.attempt = st.Attempt
	if !first && len(p.pins) > 0 {
		p.work.Go(func() { p.run(nil, false) })
	}
}

// isSettled reports whether a list belongs to the connection that began at a time.
func isSettled(l offer.List, since time.Time) bool {
	return !l.Offered || !l.Loading && (l.Err != nil || l.Loaded.After(since))
}

// entry returns the entry with a name. known reports whether the list is: without
// it, nothing is missing.
func entry(l offer.List, name string) (raw []byte, known bool) {
	if !l.Offered || l.Err != nil || l.Loaded.IsZero() {
		return nil, false
	}
	item, _ := l.Find(name)
	return item.Raw, true
}

// reading are methods of requests that change nothing.
var reading = []string{"resources/read", "prompts/get", "completion/complete", "ping"}

// Reads reports the method of a request that changes nothing.
func Reads(method string) bool {
	return slices.Contains(reading, method) || strings.HasSuffix(method, "/list")
}

// resolve creates the request of a pin, and compares it with the offer of the server. The caller holds the
// lock.
func (p *Pins) resolve(one *pin) {
	one.Warning, one.Missing, one.Server = "", p.missing(one) != "", ""
	if p.server != p.name && p.name != "" {
		one.Server = p.server
	}
	one.Outside = one.exchange.Outside()
	one.ReadOnly = Reads(one.Method)
	tool, _ := entry(p.lists.tools, one.Subject)
	inputSchema, _ := jsonrpc.Member(tool, "inputSchema")
	one.Repeated = one.Method == "tools/call" && slices.Contains(p.tools, one.Subject)
	if one.Method == "tools/call" {
		one.ReadOnly = p.lists.tools.IsReadOnly(one.Subject)
	}
	var err error
	one.method, one.params, err = one.exchange.Request(inputSchema)
	if err != nil {
		one.Warning = err.Error()
		return
	}
	object, _ := jsonrpc.Member(one.params, "arguments")
	if one.Arguments = string(object); one.Arguments == "{}" {
		one.Arguments = ""
	}
	if one.Method == "tools/call" && len(inputSchema) > 0 {
		form := schema.Parse(inputSchema)
		if wrong := form.Check(object); len(wrong) > 0 {
			one.Warning = "arguments do not fit the schema: " + wrong[0].Error()
		}
	}
}

// missing returns why a request cannot have a result: the list of the server lacks its subject.
func (p *Pins) missing(one *pin) string {
	kind, list := "tool", p.lists.tools
	switch one.Method {
	case "tools/call":
	case "prompts/get":
		kind, list = "prompt", p.lists.prompts
	default:
		return ""
	}
	if raw, known := entry(list, one.Subject); raw != nil || !known {
		return ""
	}
	return fmt.Sprintf("the server has no %s %q: it was removed or renamed", kind, one.Subject)
}

// Run runs pins, including those that are not read-only. Without names, it runs all pins that run
// after each restart. It reads the file, and does not wait. A pin that takes a value from outside
// of the file is sent after the user has agreed; see [Pins.Question].
func (p *Pins) Run(names ...string) {
	p.mu.Lock()
	before, ended := p.turns.next(names == nil)
	p.mu.Unlock()
	p.work.Go(func() {
		defer ended()
		before()
		p.run(names, true)
	})
}

// turns put runs in order: one of all pins begins after every earlier run, which may be on a
// connection that has been replaced; one of chosen pins begins after the newest run of all, beside
// others like it.
type turns struct {
	all    chan struct{}   // closed when the newest run of all pins has ended, or nil before the first
	chosen *sync.WaitGroup // the runs of chosen pins since then
}

// next takes the next turn. before waits for it; ended must be called at its end.
func (t *turns) next(all bool) (before, ended func()) {
	previous, chosen := t.all, t.chosen
	if chosen == nil {
		chosen = new(sync.WaitGroup)
	}
	wait := func() {
		if previous != nil {
			<-previous
		}
	}
	if !all {
		t.chosen = chosen
		chosen.Add(1)
		return wait, chosen.Done
	}
	done := make(chan struct{})
	t.all, t.chosen = done, nil
	return func() { wait(); chosen.Wait() }, func() { close(done) }
}

// run runs pins and waits for them. byUser reports that the user runs them: then the user is asked again about
// declined requests. The outcomes of other pins do not change.
func (p *Pins) run(names []string, byUser bool) {
	if p.Load() != nil {
		return
	}
	agreed := p.hasAgreed()
	p.mu.Lock()
	var group []*pin
	var asked []Pin
	for _, one := range p.pins {
		chosen := slices.Contains(names, one.Name)
		switch reason := p.missing(one); {
		case one.State == Running, names != nil && !chosen, !chosen && one.Server != "":
		case reason != "":
			one.State, one.Reason, one.Rows, one.Response, one.done, one.Took = Failed, reason, nil, nil, false, 0
		case !chosen && one.Waits() != "" && byUser: // only the user runs it, by its name
		case !chosen && one.Waits() != "", !agreed && one.needsAgreement(chosen):
			one.State, one.Reason, one.Rows, one.Response, one.done = NotRun, "", nil, nil, false
			if chosen || one.Waits() == "" {
				asked = append(asked, one.Pin)
			}
		default:
			one.State, one.Reason = Running, ""
			group = append(group, one)
		}
	}
	p.ask(asked, byUser)
	p.changed()
	p.mu.Unlock()
	slots := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for _, one := range group {
		slots <- struct{}{}
		call := p.send(one)
		wait.Go(func() {
			defer func() { <-slots }()
			p.wait(one, call)
		})
	}
	wait.Wait()
}

// send sends the request of a pin, and waits until it is in the record: requests are
// sent in the order of the file.
func (p *Pins) send(one *pin) *session.Call {
	p.mu.Lock()
	method, params := one.method, one.params
	p.mu.Unlock()
	call := p.s.Start(method, params)
	_ = p.s.Until(p.ctx, func() bool { return !call.Running() || call.Ref().Present() }) // wait finds out that ctx has ended
	return call
}

// wait waits for the outcome of a pin.
func (p *Pins) wait(one *pin, call *session.Call) {
	select {
	case <-call.Done():
	case <-p.ctx.Done():
		call.Cancel()
		<-call.Done()
	}
	response, err := call.Outcome()
	p.ended(one, call.Ref().Row(), response, err)
}

// baseName returns a name for the pin of a request: the tool or prompt, or the end of the URI.
func baseName(method string, params []byte) string {
	if name := jsonrpc.Text(params, "name"); name != "" {
		return name
	}
	uri := strings.TrimRight(jsonrpc.Text(params, "uri"), "/")
	if uri = uri[strings.LastIndexByte(uri, '/')+1:]; uri != "" {
		return uri
	}
	return method
}

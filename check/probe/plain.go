package probe

import (
	"cmp"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// premises holds the newest outcomes of plain requests.
type premises map[premiseKey]Outcome

type premiseKey struct{ method, params string }

func (r *Runner) premise(method, params string) (Outcome, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, ok := r.premises[premiseKey{method, params}]
	return o, ok
}

func (r *Runner) setPremise(method, params string, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.premises == nil {
		r.premises = premises{}
	}
	o.evidence, o.Responses = nil, nil
	key := premiseKey{method, params}
	if before, seen := r.premises[key]; seen && before.Kind == Result && o.Kind != Result && params == "" && !slices.Contains(r.lapsed, method) {
		r.lapsed = append(r.lapsed, method)
	}
	r.premises[key] = o
}

// Lapsed returns the methods without params whose plain form has returned a result, and later in the run has not.
func (r *Run) Lapsed() []string {
	r.runner.mu.Lock()
	defer r.runner.mu.Unlock()
	return slices.Clone(r.runner.lapsed)
}

// notePremise records the outcome of a request if it is a plain form.
func (r *Run) notePremise(frame []byte, o Outcome) {
	e := jsonrpc.Scan(frame)
	method := e.MethodName(frame)
	if e.Kind != jsonrpc.Request || o.Kind > Hang {
		return
	}
	for _, params := range r.plainForms(method) {
		if samePlain(frame, r.runner.shared.RequestAs(jsonrpc.IntID(0), method, params)) {
			r.runner.setPremise(method, params, o)
			return
		}
	}
}

// maxForms bounds the plain forms of a method.
const maxForms = 20

// plainForms returns params that the server should accept for a method, or none if they are not known.
func (r *Run) plainForms(method string) (forms []string) {
	s := r.Server
	for _, kind := range client.ListKinds {
		if kind.Method == method && s.Offers(kind) {
			return []string{""}
		}
	}
	switch method {
	case "tools/call":
		for _, t := range r.Callables() {
			forms = append(forms, `{"name":`+JSON(t.Name)+`,"arguments":`+t.Arguments+`}`)
		}
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		for _, item := range s.Items(client.Resources) {
			forms = append(forms, `{"uri":`+JSON(jsonrpc.Text(item, "uri"))+`}`)
		}
	case revision.EventsPoll:
		for _, e := range r.EventTypes(revision.DeliveryPoll) {
			forms = append(forms, e.Params(`"cursor":null`))
		}
	case "logging/setLevel":
		if s.Has("logging") {
			forms = []string{`{"level":"info"}`}
		}
	case "ping":
		if !r.IsStateless() {
			forms = []string{""}
		}
	case "server/discover":
		if r.IsStateless() {
			forms = []string{""}
		}
	}
	return forms[:min(len(forms), maxForms)]
}

// plainParams returns the params of a plain form. It prefers params for the same tool, then params
// that returned a result in this run, then the first params that were not tried yet. ok is false if
// there are none.
func (r *Run) plainParams(method, name string) (params string, ok bool) {
	forms := r.plainForms(method)
	if len(forms) == 0 {
		return "", false
	}
	best, found := forms[0], false
	for _, form := range forms {
		if name != "" && method == "tools/call" && jsonrpc.Text([]byte(form), "name") == name {
			return form, true
		}
		switch o, seen := r.runner.premise(method, form); {
		case seen && o.Kind == Result && !o.ToolError():
			return form, true
		case !seen && !found:
			best, found = form, true
		}
	}
	return best, true
}

// isPlain reports whether the frame is a plain form.
func (r *Run) isPlain(frame []byte) bool {
	e := jsonrpc.Scan(frame)
	if e.Kind != jsonrpc.Request || !isOwnID(e, frame) {
		return false
	}
	method := e.MethodName(frame)
	return slices.ContainsFunc(r.plainForms(method), func(params string) bool {
		return samePlain(frame, r.runner.shared.RequestAs(jsonrpc.IntID(0), method, params))
	})
}

// plainRequest returns the method of a plain request without params, other than but. It prefers a
// list that the server has returned, then a list that the server knows, then the sign of life.
func (r *Run) plainRequest(but string) (method string) {
	first := ""
	for _, kind := range client.ListKinds {
		list := r.Server.Lists[kind.Name]
		if !r.Server.Offers(kind) || kind.Name == client.Templates.Name || kind.Method == but || list != nil && list.IsUnknown() {
			continue
		}
		if o, seen := r.runner.premise(kind.Method, ""); seen && o.Kind == Result {
			return kind.Method
		}
		first = cmp.Or(first, kind.Method)
	}
	return cmp.Or(first, r.runner.signOfLife())
}

// owners maps a method to the probe that reports the failure of its plain form.
var owners = map[string]string{
	"initialize": "P-001", "ping": "P-085", "server/discover": "P-140", "tools/call": "P-058", "resources/read": "P-067",
	"resources/subscribe": "P-070", "resources/unsubscribe": "P-070", "logging/setLevel": "P-081", "prompts/get": "P-076",
}

// because returns the reason not to draw a conclusion when the plain form of a method fails.
func (r *Runner) because(method, why string) *Because {
	owner := owners[method]
	for _, kind := range client.ListKinds {
		if kind.Method != method {
			continue
		}
		if owner = ownsLists; r.server.Lists[kind.Name] != nil && r.server.Lists[kind.Name].IsUnknown() {
			owner = ownsCapabilities
		}
	}
	return &Because{Probe: owner, Why: why, Cause: method + " in its plain form fails, too"}
}

// A Because is the reason why a probe was not judged.
type Because struct {
	// Probe is the id of the probe that reports the cause, or "".
	Probe string
	Why   string
	// Cause is a short description shared with other probes.
	Cause string

	reason Reason
	lost   bool    // the request got no response, but got one when it was sent again
	again  Outcome // outcome of the first attempt
}

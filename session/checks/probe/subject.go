package probe

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/session/offer/verbs"
)

// Subject is a tool that may be called, with arguments that its schema accepts.
type Subject struct {
	Tool
	Arguments string // a JSON object
	Form      schema.Form
	Allowed   bool // the user has named it
}

// Uncalled is a tool that a run does not call, and why.
type Uncalled struct {
	Tool string `json:"tool"` // name of the tool
	Why  string `json:"why"`  // why it was not called
	// Flag is the one that has it called, with TOOL for the name where there is more; empty if none does.
	Flag string `json:"flag"`
}

// Label is why the tool was not called, in the words of a list of reasons with their numbers.
func (u Uncalled) Label() string {
	switch u.Why {
	case ambiguous:
		return "with a name that says otherwise"
	case noArguments:
		return "without known arguments"
	case tooMany:
		return "beyond the first " + strconv.Itoa(maxCalled)
	}
	return u.Why
}

// The reasons why tools are not called.
const (
	notReadOnly = "not annotated as read-only"
	ambiguous   = "annotated as read-only, with a name that says otherwise"
	noArguments = "without an example of arguments that the schema accepts"
	tooMany     = "read-only, and only ten such tools are called"
)

// maxCalled is how many tools are called that the user has not named.
const maxCalled = 10

// chooseTools returns the tools that may be called, best first, and keeps which others
// there are.
func (r *Runner) chooseTools() []Subject {
	var found []Subject
	if r.cfg.Passive {
		return nil
	}
	for _, t := range r.server.Tools {
		given, allowed := r.cfg.Allow[t.Name]
		allowed = allowed || slices.Contains(r.cfg.Fuzz, t.Name)
		if why := forbids(t); !allowed && (r.cfg.NoCall || why != "") {
			if why != "" {
				r.server.Uncalled = append(r.server.Uncalled, Uncalled{Tool: t.Name, Why: why, Flag: "--allow"})
			}
			continue
		}
		s := Subject{Tool: t, Form: schema.Parse(t.Input), Arguments: given, Allowed: allowed}
		if given == "" {
			var ok bool
			if s.Arguments, ok = example(s.Form, t.Input); !ok {
				r.server.Uncalled = append(r.server.Uncalled, Uncalled{Tool: t.Name, Why: noArguments, Flag: "--allow TOOL=JSON"})
				continue
			}
		}
		found = append(found, s)
	}
	slices.SortStableFunc(found, func(a, b Subject) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Name, b.Name))
	})
	if r.cfg.Call {
		return found
	}
	called := 0
	return slices.DeleteFunc(found, func(s Subject) bool {
		if s.Allowed {
			return false
		}
		if called++; called > maxCalled {
			r.server.Uncalled = append(r.server.Uncalled, Uncalled{Tool: s.Name, Why: tooMany, Flag: "--call all"})
		}
		return called > maxCalled
	})
}

// forbids is why a tool is not called unless the user names it; empty if it is.
func forbids(t Tool) string {
	switch {
	case !t.Annotation("readOnlyHint"), t.Annotation("destructiveHint"):
		return notReadOnly
	case len(verbs.Changing(t.Name)) > 0:
		return ambiguous
	}
	return ""
}

// rank orders tools: those that the user has named, then those that stay on the
// machine, and those that are useful for the most probes.
func rank(s Subject) int {
	n := 0
	if !s.Allowed {
		n += 100
	}
	if v, _ := jsonrpc.Member(s.Raw, "annotations", "openWorldHint"); string(v) != "false" {
		n += 10
	}
	if !s.Annotation("idempotentHint") {
		n += 5
	}
	if s.Output == nil {
		n += 2
	}
	return n + min(len(s.Form.Fields), 2)
}

// example returns arguments for the required properties of a schema. It is false
// when the schema accepts none that can be made.
func example(form schema.Form, input []byte) (string, bool) {
	object := map[string]json.RawMessage{}
	for i := range form.Fields {
		if f := &form.Fields[i]; f.Required {
			v := exampleOf(f)
			if v == nil {
				return "", false
			}
			object[f.Name] = v
		}
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return "", false
	}
	if len(input) > 0 {
		if m, ok := check.Compile(input, check.Options{Dialectless: true}).Check(raw); ok && m != nil {
			return "", false
		}
	}
	return string(raw), true
}

// TextFor is a text for an argument of a name: a URI if it is one.
func TextFor(name string) string {
	name = strings.ToLower(name)
	if strings.Contains(name, "uri") || strings.Contains(name, "url") {
		return "https://example.com/mcptea"
	}
	return secret.MadeUp
}

// exampleOf returns a value of a property; nil without one.
func exampleOf(f *schema.Field) json.RawMessage {
	name := strings.ToLower(f.Name)
	isNumber := f.Kind == schema.Number || f.Kind == schema.Integer
	switch {
	case isNumber && slices.ContainsFunc([]string{"duration", "delay", "seconds", "sleep"}, func(w string) bool { return strings.Contains(name, w) }):
		return json.RawMessage("3")
	case f.Default == nil && f.Kind == schema.String:
		text := TextFor(f.Name)
		for f.MinLen != nil && len(text) < *f.MinLen {
			text += secret.MadeUp
		}
		if f.MaxLen != nil && len(text) > *f.MaxLen {
			text = text[:*f.MaxLen]
		}
		return json.RawMessage(JSON(text))
	case f.Default == nil && isNumber && f.Min == nil:
		return json.RawMessage("1")
	}
	if v := f.Example(); string(v) != "null" {
		return v
	}
	return nil
}

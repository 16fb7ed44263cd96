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
	"mcptea/offer/verbs"
)

// A Subject is a tool that may be called, with valid arguments.
type Subject struct {
	Tool
	Arguments string // JSON object
	Form      schema.Form
	Allowed   bool // named by the user
}

// An Uncalled is a tool that the run does not call.
type Uncalled struct {
	Tool string `json:"tool"` // name of the tool
	Why  string `json:"why"`  // why it was not called
	// Flag is the flag that would allow calling it, or "". TOOL stands for the name.
	Flag string `json:"flag"`
}

// Label returns the reason in the words used in a list of reasons with counts.
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

// Reasons why tools are not called.
const (
	notReadOnly = "not annotated as read-only"
	ambiguous   = "annotated as read-only, with a name that says otherwise"
	noArguments = "without an example of arguments that the schema accepts"
	tooMany     = "read-only, and only ten such tools are called"
)

// maxCalled bounds the tools that are called without being named by the user.
const maxCalled = 10

// chooseTools returns the tools that may be called, best first, and records the others.
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

// forbids returns why a tool may not be called unless the user names it, or "".
func forbids(t Tool) string {
	switch {
	case !t.Annotation("readOnlyHint"), t.Annotation("destructiveHint"):
		return notReadOnly
	case len(verbs.Changing(t.Name)) > 0:
		return ambiguous
	}
	return ""
}

// rank orders tools: those named by the user first, then those without access to other systems, then those
// useful for the most probes.
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

// example returns arguments for the required properties of a schema. ok is false if no example is valid.
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

// TextFor returns a text for an argument, or a URI if its name suggests one.
func TextFor(name string) string {
	name = strings.ToLower(name)
	if strings.Contains(name, "uri") || strings.Contains(name, "url") {
		return "https://example.com/mcptea"
	}
	return secret.MadeUp
}

// exampleOf returns a value for a property, or nil.
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

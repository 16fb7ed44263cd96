package hosts

import (
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
)

// SetVariables returns an edit that makes the host pass new or changed variables to the server of
// the entry. [Edit.Diff] masks values in vars whose names mark secrets. The error is a
// [*RefusedError].
func (s *Server) SetVariables(vars []Field) (*Edit, error) {
	refuse := func(reason, text string) error {
		return &RefusedError{Server: s.ID(), Verb: "change", Reason: reason, Text: text}
	}
	if err := s.unclear("change"); err != nil {
		return nil, err
	}
	switch key := s.file.dialect.keyOf("env"); {
	case s.Transport != Stdio || s.Written.Command == "":
		return nil, refuse("url", "the host does not start the server")
	case s.Source.Format == syntax.YAML || s.file.dialect.CommandList || key == "":
		return nil, refuse("format", "mcptea writes variables into JSON and TOML; the entry is in "+s.Source.File)
	}
	for _, v := range vars {
		if hasReference(v.Value) {
			return nil, refuse("variable", "the host would read the value of "+v.Name+" as a reference to a variable")
		}
	}
	w := s.splicer()
	w.setVariables(s, vars)
	e, err := w.edit(s, "change", overlayFields(s.Written.Env, vars), s.file.dialect.keyOf("env"))
	if err != nil {
		return nil, err
	}
	for _, v := range vars {
		if secret.IsName(v.Name) {
			e.private = append(e.private, v.Value, strings.Trim(w.quote(nil, v.Value), `"`))
		}
	}
	return e, nil
}

// setVariables splices variables into an entry.
func (w *splicer) setVariables(s *Server, vars []Field) {
	env := s.mapped["env"]
	var added []Field
	for _, v := range vars {
		switch old := env.Get(v.Name); {
		case old == nil:
			added = append(added, v)
		case old.Kind == syntax.List || old.Kind == syntax.Object: // cannot be replaced, so the edit is refused
		default:
			w.replace(old, w.quote(old, v.Value))
		}
	}
	switch {
	case len(added) == 0:
	case env == nil:
		after := s.mapped["command"]
		if args := s.mapped["args"]; args != nil {
			after = args
		}
		w.addMember(s.body, after, s.file.dialect.keyOf("env"), w.object(added))
	case env.Kind != syntax.Object, len(env.Members) == 0 && env.End <= env.Start: // an empty table of TOML has no place for a key: the edit is refused
	case len(env.Members) == 0:
		w.insert(env.Start+1, strings.Trim(w.object(added), "{}"))
	default:
		last := env.Members[len(env.Members)-1]
		for _, v := range added {
			w.addMember(env, last, v.Name, w.quote(nil, v.Value))
		}
	}
}

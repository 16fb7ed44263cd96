package composer

import (
	"bytes"
	"encoding/json"

	"mcptea/session/variables"
)

// oneLine are the params as they are written, on one line.
func (p *Pane) oneLine() []byte { return oneLine(p.params.Value()) }

// expand replaces the variables in the strings of params; without a lookup they stay
// as they are. So do params that are not JSON, and variables that have no value, which
// the error tells.
func expand(params []byte, lookup variables.Lookup) ([]byte, error) {
	switch {
	case !hasVariables(params) || !json.Valid(params):
		return params, nil
	case lookup == nil:
		return variables.Plain(params), nil
	}
	return variables.ExpandJSON(params, lookup)
}

// hasVariables reports whether a text may have variables.
func hasVariables(text []byte) bool { return bytes.Contains(text, []byte("{{")) }

// masked looks variables up for what is shown; nil without variables.
func (p *Pane) masked() variables.Lookup {
	if p.Variables == nil {
		return nil
	}
	return variables.Masked(p.Variables)
}

// unresolved says which variable of a text has no value; empty if all have one.
func (p *Pane) unresolved(text string) string {
	if _, err := expand([]byte(text), p.Variables); err != nil {
		return err.Error()
	}
	return ""
}

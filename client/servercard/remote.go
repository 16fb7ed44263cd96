package servercard

import (
	"strings"

	"mcptea/client/hosts/syntax"
)

// Remote is an endpoint of a card, and of a server.json of the registry: both have the same form.
type Remote struct {
	Type      string   `json:"type"`                        // "streamable-http" or "sse"
	URL       string   `json:"url"`                         // URL of the endpoint, possibly with {variables}
	Headers   []Input  `json:"headers,omitempty"`           // headers that a client sends
	Versions  []string `json:"protocol_versions,omitempty"` // supportedProtocolVersions
	Variables []Input  `json:"-"`                           // variables of the URL
}

// Input is a value that a client sends or sets: a header, a variable of the environment, an argument, or a variable in
// one of these. In documents it is its name.
type Input struct {
	Name           string
	Value, Default string // possibly with {variables}, or ""
	Required       bool
	Secret         bool
	Variables      []Input
}

// MarshalText implements [encoding.TextMarshaler].
func (i Input) MarshalText() ([]byte, error) { return []byte(i.Name), nil }

// Names returns the names of the headers.
func (r *Remote) Names() (names []string) {
	for _, h := range r.Headers {
		names = append(names, h.Name)
	}
	return names
}

// Either returns the member of n with the key a or, if absent, b: files of the registry have keys in camelCase,
// and files from before its first release in snake_case.
func Either(n *syntax.Node, a, b string) *syntax.Node {
	if v := n.Get(a); v != nil {
		return v
	}
	return n.Get(b)
}

// ReadRemote reads an endpoint. Values of a wrong type are left empty.
func ReadRemote(n *syntax.Node) Remote {
	r := Remote{Type: syntax.TextOf(n.Get("type")), URL: syntax.TextOf(n.Get("url")), Variables: variablesOf(n), Versions: syntax.TextsOf(n.Get("supportedProtocolVersions"))}
	for _, h := range syntax.ItemsOf(n.Get("headers")) {
		r.Headers = append(r.Headers, ReadInput(h))
	}
	return r
}

// ReadInput reads an input.
func ReadInput(n *syntax.Node) Input {
	i := inputOf(n)
	i.Name = syntax.TextOf(n.Get("name"))
	i.Variables = variablesOf(n)
	return i
}

func inputOf(n *syntax.Node) Input {
	return Input{
		Value: syntax.TextOf(n.Get("value")), Default: syntax.TextOf(n.Get("default")),
		Required: syntax.TextOf(Either(n, "isRequired", "is_required")) == "true", Secret: syntax.TextOf(Either(n, "isSecret", "is_secret")) == "true",
	}
}

// variablesOf returns the variables of an input or of a URL. Variables have no variables.
func variablesOf(n *syntax.Node) (all []Input) {
	if variables := n.Get("variables"); variables != nil {
		for _, v := range variables.Members {
			one := inputOf(v)
			one.Name = v.Key
			all = append(all, one)
		}
	}
	return all
}

// Known returns the value, or else the default.
func (i *Input) Known() string {
	if i.Value != "" {
		return i.Value
	}
	return i.Default
}

// Filled replaces the references to variables in a text, such as {region}, with their values or defaults. missing are
// the references to variables that have neither, in braces.
func Filled(text string, variables []Input) (filled string, missing []string) {
	for i := range variables {
		v := &variables[i]
		switch name := "{" + v.Name + "}"; {
		case !strings.Contains(text, name):
		case v.Known() != "":
			text = strings.ReplaceAll(text, name, v.Known())
		default:
			missing = append(missing, name)
		}
	}
	return text, missing
}

package compose

import (
	"fmt"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Params holds the params of a draft, and the place where they stop being JSON.
type Params struct {
	Text    string
	Problem string // empty when they are JSON
	Whole   bool   // the text has all bytes, not only the start
	Filled  bool   // a _meta is filled in when they are sent
}

// Warnings returns the reasons why a server may reject a draft.
func Warnings(method string, params Params, handshake client.Handshake) []string {
	if method == "" {
		return append(params.warnings(), "The method is empty")
	}
	m, known := revision.Lookup(method)
	if !known {
		return append(params.warnings(), unknown(method))
	}
	found := append(params.warnings(), unsuitable(m, handshake)...)
	if text := strings.TrimSpace(params.Text); params.Whole && params.Problem == "" && (text == "" || text[0] == '{') {
		found = append(found, unfilled(m, handshake.Revision, []byte(text), params.Filled)...)
	}
	return found
}

func (p Params) warnings() []string {
	switch text := strings.TrimSpace(p.Text); {
	case p.Problem != "":
		return []string{p.Problem}
	case text != "" && text[0] != '{':
		return []string{"params must be an object in MCP"}
	}
	return nil
}

// unknown returns a warning about a method that no protocol version has.
func unknown(method string) string {
	if meant, ok := revision.Suggest(method); ok {
		return fmt.Sprintf("MCP has no method %s. Did you mean %s?", method, meant)
	}
	return "MCP has no method " + method
}

// unsuitable returns the reasons why a client must not send a method to this server. If the protocol version is
// unknown, because there is no connection, all methods are suitable.
func unsuitable(m revision.Method, handshake client.Handshake) []string {
	r := handshake.Revision
	switch {
	case m.Embedded(r):
		return []string{fmt.Sprintf("In protocol version %[2]s, %[1]s is an input request: it is part of a result", m.Name, r)}
	case !m.In(r):
		return []string{fmt.Sprintf("Protocol version %[2]s has no method %[1]s", m.Name, r)}
	case m.Sender(r)&revision.Client == 0:
		return []string{m.Name + " is sent by servers only"}
	}
	needs := m.Needs(r, revision.Client)
	switch {
	case len(needs) == 0:
	case !m.IsNotification() && !m.IsDeclared(handshake.ServerCaps, r, revision.Client):
		return []string{fmt.Sprintf("The server did not declare %s", strings.Join(needs, "."))}
	case m.IsNotification() && !revision.Declares(handshake.ClientCaps, needs...):
		return []string{fmt.Sprintf("mcptea did not declare %s", strings.Join(needs, "."))}
	}
	return nil
}

// unfilled names the required params that are missing, or that are still an empty string from the template.
func unfilled(m revision.Method, r revision.Revision, params []byte, filled bool) []string {
	var missing, empty []string
	for _, p := range m.ParamMembers(r) {
		if !p.Required || p.Name == "_meta" && filled {
			continue
		}
		switch value, ok := jsonrpc.Member(params, p.Name); {
		case !ok:
			missing = append(missing, p.Name)
		case jsonrpc.IsText(value, ""):
			empty = append(empty, p.Name)
		}
	}
	var found []string
	if len(missing) > 0 {
		found = append(found, fmt.Sprintf("%s requires %s in its params", m.Name, strings.Join(missing, ", ")))
	}
	if len(empty) > 0 {
		verb := " is empty"
		if len(empty) > 1 {
			verb = " are empty"
		}
		found = append(found, strings.Join(empty, ", ")+verb)
	}
	return found
}

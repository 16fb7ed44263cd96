package composer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// idKind says which id the frame gets.
type idKind uint8

const (
	idAuto  idKind = iota
	idGiven        // what was typed
	idNull
	idUsed // one that was used before
	idNone // none: the frame is a notification
	idKinds
)

var idNames = [idKinds]string{"auto", "your own", "null", "used before", "none"}

// idToken reads what was typed as an id: a JSON value as it is, anything else
// as a string.
func idToken(text string) jsonrpc.ID {
	text = strings.TrimSpace(text)
	if text == "" {
		return jsonrpc.StringID("")
	}
	if json.Valid([]byte(text)) && !strings.ContainsAny(text, "\n\r") {
		return jsonrpc.ID(text)
	}
	return jsonrpc.StringID(text)
}

// oneLine takes the line breaks out of params, since a line break ends a frame
// on stdio. JSON loses its white space and nothing else.
func oneLine(text string) []byte {
	text = strings.TrimSpace(text)
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) == nil {
		return b.Bytes()
	}
	return []byte(strings.ReplaceAll(text, "\n", " "))
}

// paramsText is the params of a draft and what is wrong with them as JSON.
type paramsText struct {
	text      string
	problem   string // empty when they are JSON
	line, col int
	whole     bool // text is all of them and not only their start
}

// warnings are what speaks against a draft, in words. None of them is a bar.
func warnings(method string, params paramsText, agreed client.Handshake) []string {
	if method == "" {
		return append([]string{"no method"}, params.warnings()...)
	}
	m, known := revision.Lookup(method)
	if !known {
		return append([]string{unknown(method)}, params.warnings()...)
	}
	found := append(unsuitable(m, agreed), params.warnings()...)
	if text := strings.TrimSpace(params.text); params.whole && params.problem == "" && (text == "" || text[0] == '{') {
		found = append(found, unfilled(m, agreed.Revision, []byte(text))...)
	}
	return found
}

func (p paramsText) warnings() []string {
	switch text := strings.TrimSpace(p.text); {
	case p.problem != "":
		return []string{fmt.Sprintf("params are not JSON: line %d, column %d: %s", p.line, p.col, p.problem)}
	case text != "" && text[0] != '{':
		return []string{"params of MCP are objects"}
	}
	return nil
}

// unknown is about a name that no revision has.
func unknown(method string) string {
	if meant, ok := revision.Suggest(method); ok {
		return fmt.Sprintf("%s is no method of MCP; %s is", method, meant)
	}
	return method + " is no method of MCP"
}

// unsuitable says why a method cannot be sent by us, now, to this server. A
// revision that is not known yet, or is none of those released, has all.
func unsuitable(m revision.Method, agreed client.Handshake) []string {
	r := agreed.Revision
	switch {
	case m.Embedded(r):
		return []string{fmt.Sprintf("%s stands in the inputRequests of a result in revision %s", m.Name, r)}
	case !m.In(r):
		return []string{fmt.Sprintf("%s is not in revision %s", m.Name, r)}
	case m.Sender(r)&revision.Client == 0:
		return []string{m.Name + " is sent by servers"}
	}
	needs := m.Needs(r, revision.Client)
	switch {
	case len(needs) == 0:
	case !m.IsNotification() && !agreed.HasCapability(needs...):
		return []string{fmt.Sprintf("the server did not declare %s", strings.Join(needs, "."))}
	case m.IsNotification() && !declared(agreed.ClientCaps, needs):
		return []string{fmt.Sprintf("mcptea did not declare %s", strings.Join(needs, "."))}
	}
	return nil
}

// unfilled names what the method needs in its params and does not have, or has
// as an empty string, as it stands in a template.
func unfilled(m revision.Method, r revision.Revision, params []byte) []string {
	var missing, empty []string
	for _, p := range m.ParamMembers(r) {
		if !p.Required {
			continue
		}
		switch value, ok := jsonrpc.Member(params, p.Name); {
		case !ok:
			missing = append(missing, p.Name)
		case string(value) == `""`:
			empty = append(empty, p.Name)
		}
	}
	var found []string
	if len(missing) > 0 {
		found = append(found, fmt.Sprintf("%s needs %s in its params", m.Name, strings.Join(missing, ", ")))
	}
	if len(empty) > 0 {
		found = append(found, strings.Join(empty, ", ")+" is empty")
	}
	return found
}

// declared reports whether we declared a capability, or a member of one.
func declared(capabilities []byte, path []string) bool {
	v, ok := jsonrpc.Member(capabilities, path[0], path[1:]...)
	return ok && string(v) != "null" && string(v) != "false"
}

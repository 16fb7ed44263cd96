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

// maxFollowed is the size of params up to which their members are checked, and the
// frame is assembled, at each key. Larger ones are checked when they are sent.
const maxFollowed = 64 << 10

// checked are the warnings about a version of the draft.
type checked struct {
	method, version int
	raw, noMeta     bool
	problem         string
	known           bool
	variable        bool // the values of variables may have changed
	warnings        []string
}

// warnings are those that are found quickly.
func (p *Pane) warnings() []string {
	now := checked{
		method: p.method.Version(), version: p.params.Buffer().Version(), raw: p.raw, noMeta: p.noMeta,
		problem: p.params.Sentence(), known: true,
	}
	if was := p.checked; was.variable || now.method != was.method || now.version != was.version || now.raw != was.raw || now.noMeta != was.noMeta ||
		now.problem != was.problem || !was.known {
		now.warnings = p.warningsOf(p.params.Buffer().Size() <= maxFollowed)
		now.variable = p.Variables != nil && !p.raw && p.params.Buffer().Size() <= maxFollowed && hasVariables(p.oneLine())
		p.checked = now
	}
	return p.checked.warnings
}

// warningsOf checks the draft; whole says whether the members of the params are
// checked too.
func (p *Pane) warningsOf(whole bool) []string {
	problem := p.params.Sentence()
	if p.raw {
		switch {
		case problem != "":
			return []string{problem}
		case whole && strings.Contains(strings.TrimSuffix(p.params.Value(), "\n"), "\n") && p.isStdio():
			return []string{"A newline ends a message on stdio: the server reads several"}
		}
		return nil
	}
	text := p.params.Buffer().Start()
	if whole {
		text = p.params.Value()
	}
	found := warnings(p.method.Value(), paramsText{text, problem, whole}, p.handshake, len(p.filledMetaOf(whole)) > 0)
	if unresolved := p.unresolved(text); unresolved != "" && whole {
		found = append([]string{unresolved}, found...)
	}
	return found
}

// filledMetaOf is the _meta that is filled in, if the draft may be assembled.
func (p *Pane) filledMetaOf(whole bool) []byte {
	if !whole {
		return nil
	}
	return p.filledMeta()
}

func (p *Pane) isStdio() bool { return p.session != nil && p.session.Transport() == "stdio" }

// idToken reads an id that was typed: a JSON value unchanged, anything else
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

// paramsText is the params of a draft and where they stop being JSON.
type paramsText struct {
	text    string
	problem string // empty when they are JSON
	whole   bool   // text is all of them and not only their start
}

// warnings says why a server may reject a draft. filled says that a _meta is filled
// in when it is sent.
func warnings(method string, params paramsText, handshake client.Handshake, filled bool) []string {
	if method == "" {
		return append(params.warnings(), "The method is empty")
	}
	m, known := revision.Lookup(method)
	if !known {
		return append(params.warnings(), unknown(method))
	}
	found := append(params.warnings(), unsuitable(m, handshake)...)
	if text := strings.TrimSpace(params.text); params.whole && params.problem == "" && (text == "" || text[0] == '{') {
		found = append(found, unfilled(m, handshake.Revision, []byte(text), filled)...)
	}
	return found
}

func (p paramsText) warnings() []string {
	switch text := strings.TrimSpace(p.text); {
	case p.problem != "":
		return []string{p.problem}
	case text != "" && text[0] != '{':
		return []string{"params must be an object in MCP"}
	}
	return nil
}

// unknown is about a name that no revision has.
func unknown(method string) string {
	if meant, ok := revision.Suggest(method); ok {
		return fmt.Sprintf("MCP has no method %s. Did you mean %s?", method, meant)
	}
	return "MCP has no method " + method
}

// unsuitable says why a client must not send a method to this server. A revision that
// is not known, because there is no connection, has all of them.
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
	case !m.IsNotification() && !handshake.HasCapability(needs...):
		return []string{fmt.Sprintf("The server did not declare %s", strings.Join(needs, "."))}
	case m.IsNotification() && !declared(handshake.ClientCaps, needs):
		return []string{fmt.Sprintf("mcptea did not declare %s", strings.Join(needs, "."))}
	}
	return nil
}

// unfilled names the members of the params that the method requires and that are
// missing, or are an empty string as in a template.
func unfilled(m revision.Method, r revision.Revision, params []byte, filled bool) []string {
	var missing, empty []string
	for _, p := range m.ParamMembers(r) {
		if !p.Required || p.Name == "_meta" && filled {
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

// declared reports whether the client declared a capability, or a member of one.
func declared(capabilities []byte, path []string) bool {
	v, ok := jsonrpc.Member(capabilities, path[0], path[1:]...)
	return ok && string(v) != "null" && string(v) != "false"
}

package composer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

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

// warnings are what speaks against a draft, in words. None of them is a bar.
func warnings(method, params string, problem string, line, col int, r revision.Revision) []string {
	var found []string
	m, known := revision.Lookup(method)
	switch {
	case method == "":
		found = append(found, "no method")
	case !known:
		found = append(found, fmt.Sprintf("%s is no method of MCP", method))
	case r != "" && !m.In(r):
		found = append(found, fmt.Sprintf("%s is not in revision %s", method, r))
	case m.Sender&revision.Client == 0:
		found = append(found, fmt.Sprintf("%s is sent by servers", method))
	}
	text := strings.TrimSpace(params)
	switch {
	case problem != "":
		found = append(found, fmt.Sprintf("params are not JSON: line %d, column %d: %s", line, col, problem))
	case text != "" && text[0] != '{':
		found = append(found, "params of MCP are objects")
	case text == "" && known && strings.Contains(m.Params, `""`):
		found = append(found, "this method needs params: "+m.Params)
	}
	return found
}

package headers

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// The headers of every request.
const (
	versionHeader = "MCP-Protocol-Version"
	Method        = "Mcp-Method"
	nameHeader    = "Mcp-Name"

	paramPrefix = "Mcp-Param-"
	annotation  = "x-mcp-header"
)

// MetaVersion is where a request says which revision it is of.
const MetaVersion = "io.modelcontextprotocol/protocolVersion"

// named says which parameter Mcp-Name repeats.
var named = map[string]string{
	"tools/call":     "name",
	"prompts/get":    "name",
	"resources/read": "uri",
	"tasks/get":      "taskId",
	"tasks/update":   "taskId",
	"tasks/cancel":   "taskId",
}

// Check compares the headers of a request with its method and params. schema is
// the input schema of the tool that is called, if it is one.
func Check(h http.Header, method string, params, schema []byte) error {
	version, _ := jsonrpc.Member(params, "_meta", MetaVersion)
	if err := compare(h, versionHeader, version, false); err != nil {
		return err
	}
	if err := compare(h, Method, jsonrpcString(method), false); err != nil {
		return err
	}
	if param, ok := named[method]; ok {
		value, _ := jsonrpc.Member(params, param)
		if err := compare(h, nameHeader, value, true); err != nil {
			return err
		}
	}
	if method != "tools/call" {
		return nil
	}
	arguments, _ := jsonrpc.Member(params, "arguments")
	for _, a := range annotations(schema, nil) {
		value, _ := jsonrpc.Member(arguments, a.path[0], a.path[1:]...)
		if string(value) == "null" {
			value = nil
		}
		if err := compare(h, paramPrefix+a.header, value, true); err != nil {
			return err
		}
	}
	return nil
}

func jsonrpcString(s string) []byte { return []byte(jsonrpc.StringID(s)) }

// compare looks at one header. value is JSON, empty when the body has none;
// only some headers may be encoded.
func compare(h http.Header, name string, value []byte, encoded bool) error {
	got := h.Values(name)
	switch {
	case len(got) == 0 && len(value) == 0:
		if name == versionHeader {
			return fmt.Errorf("the header %s is missing", name)
		}
		return nil
	case len(got) == 0:
		return fmt.Errorf("the header %s is missing; the body says %s", name, value)
	case len(got) > 1:
		return fmt.Errorf("the header %s is there %d times", name, len(got))
	case len(value) == 0:
		if name == versionHeader {
			return nil // the body lacks what it must have, and that is worse
		}
		return fmt.Errorf("the header %s is %q; the body has no such thing", name, got[0])
	}
	text := got[0]
	if encoded {
		var err error
		if text, err = decode(text); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	if !same(text, value) {
		return fmt.Errorf("the header %s is %q; the body says %s", name, text, value)
	}
	return nil
}

const (
	before = "=?base64?"
	after  = "?="
)

// decode returns the text that a header value stands for.
func decode(value string) (string, error) {
	inner, ok := strings.CutPrefix(value, before)
	if !ok {
		return value, nil
	}
	if inner, ok = strings.CutSuffix(inner, after); !ok {
		return "", fmt.Errorf("%q begins like Base64 and does not end so", value)
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil {
		return "", fmt.Errorf("%q is not Base64: %w", inner, err)
	}
	if !utf8.Valid(raw) {
		return "", errors.New("the Base64 holds no UTF-8")
	}
	return string(raw), nil
}

// same compares the text of a header with a JSON value: strings and booleans
// letter for letter, numbers by what they are worth.
func same(text string, value []byte) bool {
	if s, ok := jsonrpc.Unquote(value); ok {
		return s == text
	}
	if string(value) == "true" || string(value) == "false" {
		return string(value) == text
	}
	a, ok1 := number(text)
	b, ok2 := number(string(value))
	return ok1 && ok2 && a.Cmp(b) == 0
}

// maxNumber is how many characters a number may have: an exponent beyond all
// bounds must not be worked out.
const maxNumber = 40

func number(s string) (*big.Float, bool) {
	if len(s) == 0 || len(s) > maxNumber {
		return nil, false
	}
	f, _, err := big.ParseFloat(s, 10, 128, big.ToNearestEven)
	return f, err == nil
}

// annotated is an argument that a header repeats.
type annotated struct {
	header string
	path   []string
}

// annotations finds the arguments that the schema mirrors in headers.
func annotations(schema []byte, path []string) []annotated {
	var all []annotated
	properties, _ := jsonrpc.Member(schema, "properties")
	for name, property := range jsonrpc.Members(properties) {
		here := append(path[:len(path):len(path)], string(name))
		if token, ok := jsonrpc.Member(property, annotation); ok {
			if header, ok := jsonrpc.Unquote(token); ok {
				all = append(all, annotated{header, here})
			}
		}
		all = append(all, annotations(property, here)...)
	}
	return all
}

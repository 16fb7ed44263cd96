package events

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// declarationRules check the capability, and the codes of errors.
var declarationRules = []lint.Rule{
	{ID: "V001", Methods: discovery, When: lint.Result | lint.FromServer, Message: settings},
	{ID: "V002", Methods: discovery, When: lint.Result | lint.FromServer, Message: topLevelAlone},
	{ID: "V003", Limit: lint.OncePerSubject, Methods: all, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: draftNumbers},
	{ID: "V004", Methods: uses, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: unknownType},
	{ID: "V005", Methods: uses, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: listedModeRefused},
	{ID: "V006", Methods: uses, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: errorData},
	{ID: "V007", Limit: lint.OncePerSubject, Methods: all, When: lint.Result | lint.FromServer | lint.Matched, Message: resultTypeMissing},
}

// settings checks the values of both places of the capability.
func settings(c *lint.Context) {
	for _, path := range [][]string{{"extensions", revision.EventsExtension}, {revision.EventsCapability}} {
		value := jsonrpc.Get(c.M.Get(c.M.Result, "capabilities"), path[0], path[1:]...)
		at := []any{"result", "capabilities"}
		for _, p := range path {
			at = append(at, p)
		}
		if value == nil {
			continue
		}
		if jsonrpc.TypeOf(value) != "object" {
			c.Report(lint.At(at...), "what", "it is "+lint.KindOf(value)+", not an object")
			continue
		}
		if flag := jsonrpc.Get(value, "listChanged"); flag != nil && jsonrpc.TypeOf(flag) != "boolean" {
			c.Report(lint.At(append(at, "listChanged")...), "what", "listChanged is "+lint.KindOf(flag)+", not true or false")
		}
	}
}

func topLevelAlone(c *lint.Context) {
	extension, capability := revision.EventsDeclared(c.M.Get(c.M.Result, "capabilities"))
	if capability && !extension {
		c.Report(lint.At("result", "capabilities", revision.EventsCapability))
	}
}

// draftNumbers reports a code of the drafts from a server that declares the extension as SEP-3415
// requires.
func draftNumbers(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	e, draft, known := revision.EventErrorOf(code)
	if extension, capability := revision.EventsDeclared(c.St.ServerCaps); ok && known && draft && extension && !capability {
		c.About(e.Name).Report(lint.At("error", "code"), "got", code, "name", e.Name, "want", e.Code)
	}
}

// unknownType reports that an unknown event type is an invalid param.
func unknownType(c *lint.Context) {
	w := wantsOf(paramsOf(c))
	event, known := listed(c, w.name)
	if code, ok := lint.ErrorCode(c.M); ok && code == jsonrpc.CodeInvalidParams && known && event == nil && w.name != "" &&
		strings.Contains(c.M.Text(c.M.Error, "message"), w.name) {
		c.Report(lint.At("error", "code"), "name", lint.Quoted(w.name), "got", code, "want", revision.EventNotFound.Code)
	}
}

// listedModeRefused reports that a server does not have a mode that it lists.
func listedModeRefused(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || code != jsonrpc.CodeMethodNotFound && !revision.EventUnsupported.Is(code) {
		return
	}
	w, mode := wantsOf(paramsOf(c)), modes[c.M.Method]
	if feature := jsonrpc.Text(c.M.Error, "data", "feature"); feature != "" && feature != "deliveryMode" {
		return // a schema that has changed, or something else
	}
	if event, known := listed(c, w.name); known && slices.Contains(jsonrpc.Strings(jsonrpc.Get(event, "delivery")), mode) {
		c.Report(lint.At("error"), "name", lint.Quoted(w.name), "mode", mode, "code", code)
	}
}

// failures lists the categories of a failed delivery.
var failures = []string{"connection_refused", "timeout", "tls_error", "http_4xx", "http_5xx", "challenge_failed"}

// errorData checks the data of errors that have a list of values.
func errorData(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if reason, text := textOf(c.M.Get(c.M.Error, "data"), "reason"); ok && text && revision.EventCallback.Is(code) && !slices.Contains(failures, reason) {
		c.Report(lint.At("error", "data", "reason"), "got", lint.Quoted(reason), "want", strings.Join(failures, ", "))
	}
}

// resultTypeMissing reports results without resultType from a server that declares the extension. The
// capability of the drafts has no resultType.
func resultTypeMissing(c *lint.Context) {
	extension, _ := revision.EventsDeclared(c.St.ServerCaps)
	if extension && c.M.Result[0] == '{' && !c.M.Has(c.M.Result, "resultType") {
		c.About(c.M.Method).Report(lint.At("result", "resultType"))
	}
}

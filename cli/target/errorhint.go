package target

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// errorHint returns what to do about an error response if a flag helps, or an empty
// string.
func errorHint(e *client.RPCError) string {
	switch e.Code {
	case revision.CodeMissingCapability:
		required, _ := jsonrpc.Member(e.Data, "requiredCapabilities")
		var hints, missing []string
		for name := range jsonrpc.Members(required) {
			switch string(name) {
			case "sampling", "elicitation":
				hints = append(hints, fmt.Sprintf("--answer %s=…", name))
			default:
				missing = append(missing, string(name))
			}
		}
		switch {
		case len(missing) > 0:
			return "The server requires the client capability " + strings.Join(missing, " and ") + ", which mcptea does not support."
		case len(hints) > 0:
			return "Declare it with " + strings.Join(hints, " and ") + " (decline, cancel, error, @file.json or JSON), or use the inspector."
		}
	case revision.CodeURLElicitationRequired:
		pages, _ := jsonrpc.Member(e.Data, "elicitations")
		var urls []string
		for page := range jsonrpc.Elements(pages) {
			raw, _ := jsonrpc.Member(page, "url")
			if url, ok := jsonrpc.Unquote(raw); ok {
				urls = append(urls, url)
			}
		}
		if len(urls) > 0 {
			return "Open the page and call again: " + strings.Join(urls, " ")
		}
	}
	return ""
}

// CapabilityHint returns the flag that offers the server what it misses according to its
// words, as SDKs write them for a capability that the client does not have; empty for other
// texts.
func (p *Connection) CapabilityHint(text string) string {
	text = strings.ToLower(text)
	if !strings.Contains(text, "support") && !strings.Contains(text, "capabilit") {
		return ""
	}
	for _, kind := range []string{"elicitation", "sampling", "roots"} {
		offered := slices.ContainsFunc(p.Flags.Answers, func(a string) bool { return strings.HasPrefix(a, kind+"=") })
		if offered || !strings.Contains(text, kind) {
			continue
		}
		switch kind {
		case "elicitation":
			return "--answer elicitation=… responds to elicitations: accept, decline, cancel, error, @file.json or JSON."
		case "sampling":
			if p.Flags.Sampler == "" {
				return "--answer sampling=@file.json responds to sampling requests, and --sampler COMMAND lets a command do so."
			}
		case "roots":
			return "--root DIR offers a root to the server."
		}
	}
	return ""
}

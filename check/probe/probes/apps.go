package probes

import (
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/offer/declared"
)

// appsOf returns the URIs of the tools' apps without duplicates, in the order of the tools, and the set of
// tools that have an app.
func appsOf(r *probe.Run) (all []string, tools map[string]bool) {
	known := map[string]bool{}
	tools = map[string]bool{}
	for _, raw := range r.Server.Items(client.Tools) {
		t, _ := declared.OfTool(raw)
		if t.URI == "" {
			continue
		}
		tools[jsonrpc.Text(raw, "name")] = true
		if !known[t.URI] {
			known[t.URI] = true
			all = append(all, t.URI)
		}
	}
	return all, tools
}

// maxAppsRead is the number of apps that are read.
const maxAppsRead = 10

// appReadable reads the documents, which lint rules judge.
func appReadable(r *probe.Run) {
	c := r.Shared()
	all, _ := appsOf(r)
	for _, uri := range all[:min(len(all), maxAppsRead)] {
		r.Ask(c, "resources/read of "+uri, read(c, uri))
	}
}

// maxNamed is the number of tools that a finding names.
const maxNamed = 5

// appFallback compares the tools for the model with the tools that a client without the extension gets. A
// fallback may have another name, so only a smaller number is reported.
func appFallback(r *probe.Run) {
	c := r.Fresh(func(cfg *client.Config) { cfg.Apps = false })
	defer r.Close(c)
	without := r.Walk(c, client.Tools)
	if without.Problem != "" {
		return // the lists have probes of their own
	}
	names := map[string]bool{}
	left, all := 0, 0
	for _, raw := range without.Items {
		names[jsonrpc.Text(raw, "name")] = true
		if t, _ := declared.OfTool(raw); t.ForModel {
			left++
		}
	}
	var missing []string
	for _, raw := range r.Server.Items(client.Tools) {
		if t, _ := declared.OfTool(raw); !t.ForModel {
			continue
		}
		all++
		if name := jsonrpc.Text(raw, "name"); !names[name] {
			missing = append(missing, name)
		}
	}
	if left < all && len(missing) > 0 {
		r.Case("tools/list without MCP Apps", without.Pages...).Info("A client that does not declare MCP Apps may get fewer tools for the model (%d of %d); not listed: %s.",
			left, all, strings.Join(missing[:min(len(missing), maxNamed)], ", "))
	}
}

// callableApps returns the callable tools that have an app.
func callableApps(r *probe.Run) []probe.Subject {
	_, apps := appsOf(r)
	return slices.DeleteFunc(slices.Clone(r.Callables()), func(s probe.Subject) bool { return !apps[s.Name] })
}

// appResultText calls the tools; a lint rule judges the results.
func appResultText(r *probe.Run) {
	c := r.Shared()
	for _, s := range callableApps(r) {
		r.Call(c, "call of "+s.Name, s.Name, s.Arguments)
	}
}

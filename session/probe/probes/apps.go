package probes

import (
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/apps/declared"
	"mcptea/session/probe"
)

// appsOf are the URIs of the apps of the tools, each once, in the order of the tools.
func appsOf(r *probe.Run) []string {
	var all []string
	for _, raw := range r.Server.Items(client.Tools) {
		if t, _ := declared.OfTool(raw); t.URI != "" && !slices.Contains(all, t.URI) {
			all = append(all, t.URI)
		}
	}
	return all
}

// maxAppsRead is how many apps are read.
const maxAppsRead = 10

// appReadable reads the documents, which lint rules judge.
func appReadable(r *probe.Run) {
	c, all := r.Shared(), appsOf(r)
	for _, uri := range all[:min(len(all), maxAppsRead)] {
		r.Ask(c, "resources/read of "+uri, read(c, uri))
	}
}

// maxNamed is how many tools a finding names.
const maxNamed = 5

// appFallback compares the tools for the model with those that a client without the
// extension gets. A variant may have another name: less of them is what is reported.
func appFallback(r *probe.Run) {
	c := r.Fresh(func(cfg *client.Config) { cfg.Apps = false })
	defer r.Close(c)
	without := r.Walk(c, client.Tools)
	if without.Problem != "" {
		return // the lists have probes of their own
	}
	var all, missing []string
	for _, raw := range r.Server.Items(client.Tools) {
		if t, _ := declared.OfTool(raw); !t.ForModel {
			continue
		}
		name := jsonrpc.Text(raw, "name")
		all = append(all, name)
		if !slices.ContainsFunc(without.Items, func(other []byte) bool { return jsonrpc.Text(other, "name") == name }) {
			missing = append(missing, name)
		}
	}
	left := 0
	for _, raw := range without.Items {
		if t, _ := declared.OfTool(raw); t.ForModel {
			left++
		}
	}
	if left < len(all) && len(missing) > 0 {
		r.Warn("A client that does not declare MCP Apps gets fewer tools for the model (%d of %d); not listed: %s.",
			left, len(all), strings.Join(missing[:min(len(missing), maxNamed)], ", "))
	}
}

// callableApps are the tools with an app that may be called.
func callableApps(r *probe.Run) (all []probe.Subject) {
	for _, raw := range r.Server.Items(client.Tools) {
		t, _ := declared.OfTool(raw)
		for _, s := range r.Callables() {
			if t.URI != "" && s.Name == jsonrpc.Text(raw, "name") {
				all = append(all, s)
			}
		}
	}
	return all
}

// appResultText calls the tools; a lint rule judges the results.
func appResultText(r *probe.Run) {
	c := r.Shared()
	for _, s := range callableApps(r) {
		r.Call(c, "call of "+s.Name, s.Name, s.Arguments)
	}
}

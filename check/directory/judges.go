package directory

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// judges maps the names in requirements to functions.
var judges = map[string]func(Subject) verdict{
	"titles":         titles,
	"hints":          hints,
	"all-hints":      allHints,
	"names":          names,
	"purposes":       purposes,
	"descriptions":   descriptions,
	"output-schemas": outputSchemas,
	"https":          https,
	"authorization":  authorization,
	"apps":           apps,
	"server-json":    serverJSON,
	"challenge":      challenge,
	"result-sizes":   resultSizes,
	"app-domains":    appDomains,
	"skill-sizes":    skillSizes,
}

func text(t probe.Tool, name string, more ...string) string {
	return strings.TrimSpace(jsonrpc.Text(t.Raw, name, more...))
}

func titles(s Subject) verdict {
	return tools(s, func(t probe.Tool) bool {
		return text(t, "title") != "" || text(t, "annotations", "title") != ""
	}, "without a title")
}

// hintNames lists the annotations that describe the effect of a tool.
var hintNames = []string{"readOnlyHint", "openWorldHint", "destructiveHint"}

// hint returns an annotation of a tool as sent. declared is false if it is not a boolean.
func hint(t probe.Tool, name string) (value, declared bool) {
	raw, _ := jsonrpc.Member(t.Raw, "annotations", name)
	return string(raw) == "true", string(raw) == "true" || string(raw) == "false"
}

func hints(s Subject) verdict {
	both := tools(s, func(t probe.Tool) bool {
		reads, _ := hint(t, "readOnlyHint")
		destroys, _ := hint(t, "destructiveHint")
		return !reads || !destroys
	}, "with both readOnlyHint and destructiveHint true")
	if both.problem != "" {
		return both
	}
	return tools(s, func(t probe.Tool) bool {
		_, reads := hint(t, "readOnlyHint")
		_, destroys := hint(t, "destructiveHint")
		return reads || destroys
	}, "without readOnlyHint and destructiveHint on the wire")
}

// assumed explains the values that MCP assumes for undeclared hints.
const assumed = "(MCP assumes readOnlyHint false, destructiveHint and openWorldHint true, which is no declaration)"

func allHints(s Subject) verdict {
	return tools(s, func(t probe.Tool) bool {
		for _, name := range hintNames {
			if _, declared := hint(t, name); !declared {
				return false
			}
		}
		return true
	}, "without all three hints on the wire "+assumed)
}

// maxNameLength is in characters.
const maxNameLength = 64

func names(s Subject) verdict {
	return tools(s, func(t probe.Tool) bool { return utf8.RuneCountInString(t.Name) <= maxNameLength }, "with a name of more than 64 characters")
}

func descriptions(s Subject) verdict {
	return tools(s, func(t probe.Tool) bool { return text(t, "description") != "" }, "without a description")
}

func outputSchemas(s Subject) verdict {
	return tools(s, func(t probe.Tool) bool { return len(t.Output) > 0 }, "without an output schema")
}

// verbs in values that read, and in values that write
var (
	readVerbs  = []string{"get", "list", "read", "search", "find", "fetch", "query", "view", "show", "describe"}
	writeVerbs = []string{"create", "update", "delete", "send", "remove", "write", "insert", "edit", "move", "post", "put", "patch", "set", "add"}
)

// purposes searches for an enum whose values begin with verbs of both kinds. A free text named method or action
// is only a reason for advice.
func purposes(s Subject) verdict {
	v := tools(s, func(t probe.Tool) bool {
		return !anyProperty(t, func(_ string, schema []byte) bool {
			var reads, writes bool
			values, _ := jsonrpc.Member(schema, "enum")
			for value := range jsonrpc.Elements(values) {
				word, _ := jsonrpc.Unquote(value)
				verb := firstWord(word)
				reads, writes = reads || slices.Contains(readVerbs, verb), writes || slices.Contains(writeVerbs, verb)
			}
			return reads && writes
		})
	}, "with an argument that selects both reading and writing")
	if v.problem != "" || v.not != "" || v.unseen != "" {
		return v
	}
	v = tools(s, func(t probe.Tool) bool {
		return !anyProperty(t, func(name string, schema []byte) bool {
			_, enum := jsonrpc.Member(schema, "enum")
			return slices.Contains([]string{"method", "action", "operation"}, name) && !enum && jsonrpc.Text(schema, "type") == "string"
		})
	}, "with a free text that may select reading or writing")
	v.advice = true
	return v
}

// anyProperty reports whether a property of the input schema has a property.
func anyProperty(t probe.Tool, is func(name string, schema []byte) bool) bool {
	properties, _ := jsonrpc.Member(t.Input, "properties")
	for name, schema := range jsonrpc.Members(properties) {
		if is(string(name), schema) {
			return true
		}
	}
	return false
}

// firstWord returns the first word of a value such as get_note, get-note or getNote, in lower case.
func firstWord(value string) string {
	for i, c := range value {
		if !unicode.IsLetter(c) || i > 0 && unicode.IsUpper(c) {
			value = value[:i]
			break
		}
	}
	return strings.ToLower(value)
}

func https(s Subject) verdict {
	if s.URL == "" {
		return verdict{not: "the server is a command"}
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme == "https":
		return verdict{}
	case mcphttp.IsLoopback(u.Hostname()):
		return verdict{not: "not checked: the server is on this machine"}
	}
	return verdict{problem: "The URL of the server is not https"}
}

// authorization judges by the findings of the authorization probes.
func authorization(s Subject) verdict {
	if s.URL == "" {
		return verdict{not: "the server is a command"}
	}
	var failed, unseen []string
	ran, selected := false, false
	for _, r := range s.Reports {
		if r.Entry.Group != Probes || r.Reason == probe.NotSelected {
			continue
		}
		selected = true
		switch r.Verdict {
		case probe.Fail:
			failed = append(failed, r.Entry.ID)
		case probe.Failure:
			unseen = append(unseen, r.Entry.ID)
		}
		ran = ran || r.Verdict != probe.Skipped
	}
	switch {
	case len(failed) > 0:
		return verdict{problem: "Probes of authorization failed", about: failed}
	case len(unseen) > 0:
		return verdict{unseen: "probes of authorization could not be judged: " + strings.Join(unseen, ", ")}
	case !selected:
		return verdict{unseen: "the probes of authorization have not run"}
	case !ran:
		return verdict{not: "no probe of authorization applies"}
	}
	return verdict{}
}

// appType is the MIME type of the document of an app.
const appType = "text/html;profile=mcp-app"

func apps(s Subject) verdict {
	if v, ok := noTools(s); ok {
		return v
	}
	types := map[string]string{}
	list := s.Server.Lists["resources"]
	if list != nil {
		for _, raw := range list.Items {
			types[jsonrpc.Text(raw, "uri")] = strings.ReplaceAll(jsonrpc.Text(raw, "mimeType"), " ", "")
		}
	}
	var wrong []string
	found := false
	for _, t := range s.Server.Tools {
		uri := text(t, "_meta", "ui", "resourceUri")
		if uri == "" {
			continue
		}
		found = true
		if kind, listed := types[uri]; listed && kind != appType && !slices.Contains(wrong, uri) {
			wrong = append(wrong, uri)
		}
	}
	switch {
	case !found:
		return verdict{not: "no tool has an app"}
	case len(wrong) == 0 && list != nil && list.Problem != "":
		return verdict{unseen: "the list of resources is incomplete: " + list.Problem}
	case len(wrong) > 0:
		return verdict{problem: fmt.Sprintf("%d resources of apps without the MIME type %s", len(wrong), appType), about: wrong}
	}
	return verdict{}
}

// registries maps package types to the hosts that the MCP registry accepts. The host comes from the base
// URL, or from the identifier for images and bundles. A leading dot matches any subdomain.
var registries = map[string][]string{
	"npm":   {"registry.npmjs.org", "npmjs.org"},
	"pypi":  {"pypi.org"},
	"nuget": {"api.nuget.org"},
	"oci":   {"docker.io", "ghcr.io", ".pkg.dev", ".azurecr.io", "mcr.microsoft.com"},
	"mcpb":  {"github.com", "gitlab.com"},
}

const (
	publisherMeta = "io.modelcontextprotocol.registry/publisher-provided"
	maxMeta       = 4096 // bytes of _meta
)

func serverJSON(s Subject) verdict {
	switch {
	case s.InSession:
		return verdict{unseen: "mcptea check --directory registry FILE reads the server.json"}
	case s.File == nil:
		return verdict{not: "the target is not in a server.json"}
	}
	var wrong []string
	packages, _ := jsonrpc.Member(s.File, "packages")
	for p := range jsonrpc.Elements(packages) {
		if problem := packageProblem(p); problem != "" {
			wrong = append(wrong, problem)
		}
	}
	meta, _ := jsonrpc.Member(s.File, "_meta")
	for raw, value := range jsonrpc.Members(meta) {
		switch name := phrase.Clip(raw, maxName); {
		case name != publisherMeta:
			wrong = append(wrong, "_meta."+name+" is dropped")
		case len(value) > maxMeta:
			wrong = append(wrong, fmt.Sprintf("_meta.%s has %d bytes, at most %d are accepted", name, len(value), maxMeta))
		}
	}
	if len(wrong) == 0 {
		return verdict{}
	}
	return verdict{problem: "server.json is not as the registry requires", about: wrong}
}

// packageProblem returns why a package of server.json is not acceptable, or "".
func packageProblem(p []byte) string {
	kind, identifier, base := jsonrpc.Text(p, "registryType"), jsonrpc.Text(p, "identifier"), jsonrpc.Text(p, "registryBaseUrl")
	hosts, known := registries[kind]
	if !known {
		return fmt.Sprintf("the registry type %q is not accepted", kind)
	}
	host := ""
	switch {
	case base != "":
		host = hostOf(base)
	case kind == "oci" || kind == "mcpb":
		host = hostOf(identifier)
	default:
		return "" // the default registry of its type
	}
	if slices.ContainsFunc(hosts, func(h string) bool { return host == h || strings.HasPrefix(h, ".") && strings.HasSuffix(host, h) }) {
		return ""
	}
	return fmt.Sprintf("%s is not an accepted %s registry (%s)", host, kind, strings.Join(hosts, " or "))
}

// hostOf returns the host of a URL, or of a name such as ghcr.io/owner/image:1.
func hostOf(name string) string {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		return u.Hostname()
	}
	host, _, found := strings.Cut(name, "/")
	if !found || !strings.ContainsAny(host, ".:") {
		return "docker.io" // default registry, for an image without a host
	}
	return host
}

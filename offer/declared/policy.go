package declared

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// CSP is the origins that an app declares (_meta.ui.csp), at most the first 100 of each of
// [Lists]; nil if it declares none. Entries are as the server wrote them; elements that are not
// strings are left out.
type CSP map[string][]string

// Lists lists the members of csp.
var Lists = []string{connect, resource, frame, baseURI}

const (
	connect  = "connectDomains"
	resource = "resourceDomains"
	frame    = "frameDomains"
	baseURI  = "baseUriDomains"
)

// absent is the policy of a document that declares no csp.
const absent = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

// The bounds of a policy, far below what browsers accept in a header.
const (
	maxOrigins = 100
	maxOrigin  = 300 // bytes
)

// cspOf parses a raw csp. A value that is not an object counts as absent, which makes the policy stricter.
func cspOf(raw []byte) CSP {
	if jsonrpc.TypeOf(raw) != "object" {
		return nil
	}
	c := CSP{}
	for _, list := range Lists {
		all := jsonrpc.Strings(jsonrpc.Get(raw, list))
		c[list] = all[:min(len(all), maxOrigins)]
	}
	return c
}

// Policy returns the value of the Content-Security-Policy header that a host must set, or a
// stricter one. Entries with an [OriginReason] are left out. A nil CSP has the policy of a
// document without csp. A loose one also permits eval, WebAssembly, workers and blob: and data:
// URLs, which cannot be declared, as the example host of the specification does.
func (c CSP) Policy(loose bool) string {
	if c == nil && !loose {
		return absent
	}
	loaded := sources(c[resource])
	script, font, workers := "", "", ""
	if loose {
		script, font, loaded = " 'unsafe-eval' data:", " data:", " blob:"+loaded
		workers = "; worker-src 'self'" + loaded
	}
	return "default-src 'none'; script-src 'self' 'unsafe-inline'" + script + loaded + workers +
		"; style-src 'self' 'unsafe-inline'" + loaded +
		"; connect-src 'self'" + sources(c[connect]) +
		"; img-src 'self' data:" + loaded +
		"; font-src 'self'" + font + loaded +
		"; media-src 'self' data:" + loaded +
		"; frame-src" + orDefault(sources(c[frame]), " 'none'") +
		"; object-src 'none'; base-uri" + orDefault(sources(c[baseURI]), " 'self'")
}

// Granted returns the entries of each list that are in the policy. A list without such entries is left out.
func (c CSP) Granted() CSP {
	granted := CSP{}
	for list, entries := range c {
		if some := origins(entries); len(some) > 0 {
			granted[list] = some
		}
	}
	return granted
}

// origins returns the entries without an [OriginReason].
func origins(entries []string) (some []string) {
	for _, entry := range entries {
		if OriginReason(entry) == "" {
			some = append(some, entry)
		}
	}
	return some
}

// sources returns the entries that are in the policy, each after a space.
func sources(entries []string) string {
	var b strings.Builder
	for _, entry := range origins(entries) {
		b.WriteString(" " + entry)
	}
	return b.String()
}

func orDefault(sources, other string) string {
	if sources == "" {
		return other
	}
	return sources
}

// schemes lists the schemes of the origins that an app may declare.
var schemes = []string{"http", "https", "ws", "wss"}

// OriginReason returns why an entry of a csp is not a part of the policy, or "": it may end a source or a directive,
// is not an origin, such as data: and file:, or permits all origins.
func OriginReason(entry string) string {
	switch {
	case strings.ContainsAny(entry, `'"`):
		return "has quotes: keywords such as 'unsafe-eval' cannot be declared"
	case !isToken(entry):
		return "has characters that a policy cannot contain"
	}
	scheme, rest, hasScheme := strings.Cut(entry, "://")
	if !hasScheme {
		scheme, rest = "", entry
	}
	authority, _, _ := strings.Cut(rest, "/")
	host, port, hasPort := strings.Cut(authority, ":")
	switch {
	case hasScheme:
	case hasPort && port == "": // the entry is only a scheme
		scheme, hasScheme = host, true
	case hasPort && port != "*" && strings.Trim(port, "0123456789") != "":
		return "is not an origin"
	}
	switch {
	case hasScheme && !slices.Contains(schemes, strings.ToLower(scheme)):
		return "is not an origin"
	case host == "*":
		return "permits all origins"
	}
	return ""
}

// isToken reports whether a text is visible ASCII without the characters that end a source or a directive.
func isToken(entry string) bool {
	for i := range len(entry) {
		if c := entry[i]; c <= ' ' || c >= 0x7f || c == ';' || c == ',' {
			return false
		}
	}
	return entry != "" && len(entry) <= maxOrigin
}

// features maps the existing permissions to their names in a permissions policy.
var features = map[string]string{
	"camera":         "camera",
	"microphone":     "microphone",
	"geolocation":    "geolocation",
	"clipboardWrite": "clipboard-write",
}

// IsPermission reports whether the extension defines a permission.
func IsPermission(name string) bool { return features[name] != "" }

// Allow returns the value of the allow attribute of an iframe: the features of the existing permissions, in
// order.
func Allow(permissions []string) string {
	var all []string
	for _, name := range permissions {
		if feature := features[name]; feature != "" {
			all = append(all, feature)
		}
	}
	return strings.Join(all, "; ")
}

// ViolationEvent is the name of the event that records a [Violation].
const ViolationEvent = "csp-violation"

// Violation is a report of the browser that a policy has blocked something (CSP level 3,
// section 5.3). The app can forge it.
type Violation struct {
	Directive string
	URI       string // blocked URI, or a word such as eval or inline
}

// OfViolation parses a raw report. It returns false for a report of another kind.
func OfViolation(raw []byte) (Violation, bool) {
	report := jsonrpc.Get(raw, "csp-report")
	v := Violation{jsonrpc.Text(report, "effective-directive"), jsonrpc.Text(report, "blocked-uri")}
	return v, v != Violation{}
}

// IsEval reports that eval or new Function was blocked. Libraries try whether they may use
// them, and do without.
func (v Violation) IsEval() bool { return v.URI == "eval" }

// Package report writes the outcome of a check in the formats of other programs: JSON
// lines, JUnit, SARIF, Markdown and GitHub annotations; and compares it with a baseline,
// an earlier outcome that was accepted.
package report

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/revision"
	"mcptea/record"
)

// specification is the base URL of the specification.
const specification = "https://modelcontextprotocol.io/specification/"

// SpecURL returns the URL of a section that a rule or probe is based on, or "". The section may start with a
// protocol version, which replaces version.
func SpecURL(spec, version string) string {
	spec, _, _ = strings.Cut(spec, ";")
	if named, section, ok := strings.Cut(spec, " "); ok && slices.Contains(revision.All(), revision.Revision(named)) {
		spec, version = section, named
	}
	switch page, _, _ := strings.Cut(spec, "#"); {
	case strings.HasPrefix(spec, "https://"):
		return spec
	case strings.HasPrefix(spec, "GHSA-"):
		return "https://github.com/advisories/" + spec
	case strings.HasPrefix(spec, "JSON-RPC 2.0"):
		return "https://www.jsonrpc.org/specification"
	case strings.HasPrefix(spec, "RFC "):
		number, _, _ := strings.Cut(strings.TrimPrefix(spec, "RFC "), " ")
		return "https://www.rfc-editor.org/rfc/rfc" + number
	case strings.Contains(page, " "), page == "":
		return ""
	}
	return specification + sectionIn(spec, version)
}

// fingerprint identifies a finding across runs: by probe, case, rule and subject, but not by its text. It has
// 16 hexadecimal digits.
func fingerprint(e *probe.Entry, f probe.Finding) string {
	rule := ""
	if f.Rule != nil {
		rule = f.Rule.ID
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{e.ID, f.Case, rule, f.Subject, f.Severity.String()}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// level returns the name of a severity as used for exit codes: error, warning or note.
func level(s record.Severity) string {
	return [...]string{"error", "warning", "note"}[s]
}

package failure

import (
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
)

var (
	date = lazyregexp.New(`\b20\d\d-\d\d-\d\d\b`)
	// versionRefused matches words with which a server rejects a protocol version.
	versionRefused = lazyregexp.New(`(?i)(?:\b(?:un|not )?supported\b|\bunknown\b|\binvalid\b|\bbad\b|\bin ?compatible\b|\bmismatch|\bexpected\b|\bmust be\b|\brequires?\b|\bnot (?:allowed|accepted|recognized|available)\b|\bdoes not (?:support|match)\b|\btoo (?:new|old)\b|\breject).{0,60}\b(?:protocol|mcp)[ _-]?version|\b(?:protocol|mcp)[ _-]?(?:protocol[ _-]?)?version.{0,60}(?:\bunsupported\b|\bnot supported\b|\bunknown\b|\binvalid\b|\bincompatible\b|\bmismatch|\bexpected\b|\bmust be\b|\bsupported\b|\bnot (?:allowed|accepted|recognized|available|implemented|valid)\b|\btoo (?:new|old)\b|\breject|\bdoes not)|\bversion\W{0,3}20\d\d-\d\d-\d\d\W{0,3}.{0,20}(?:\bunsupported\b|\bnot supported\b|\bunknown\b|\binvalid\b|\bincompatible\b)|\b(?:unsupported|unknown|invalid|incompatible)\b.{0,20}\bversion\W{0,3}20\d\d-\d\d-\d\d`)
)

// addVersions adds whether texts of the server reject the protocol version, and the version to offer: the
// newest handshake version that they name, or else the version before the requested one.
func (f Facts) addVersions(s situation, texts ...string) {
	offered := f.offered()
	for _, r := range revision.WithHandshake() {
		if r.Before(offered) {
			s["older"] = string(r)
		}
	}
	all := strings.NewReplacer("_", " ", "\n", " ").Replace(strings.Join(texts, " "))
	var usable revision.Revision
	for _, name := range date().FindAllString(all, -1) {
		if r := revision.Revision(name); r.HasHandshake() && r != offered && (usable == "" || usable.Before(r)) {
			usable = r
		}
	}
	// Before a session, a text with the offered version and another one is about versions, in any language.
	compares := !f.Connected && usable != "" && strings.Contains(all, string(offered))
	if !compares && !versionRefused().MatchString(all) {
		return
	}
	s["version_refused"], s["usable"] = true, string(usable)
}

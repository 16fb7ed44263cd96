package revision

import (
	"strings"

	"mcptea/internal/words/phrase"
)

// extension is an official extension of the protocol, which a side declares by its id in the
// capability extensions (2026-07-28, basic / versioning, "Extensions").
type extension struct {
	id      string
	summary string // a few words for a row
	// spoken reports that mcptea speaks it, and does not only show its messages.
	spoken bool
}

// extensionsDate is the date on which the list of extensions was last compared with the published extensions.
const extensionsDate = "2026-11-27"

// reservedPrefix is the prefix of official extensions.
const reservedPrefix = "io.modelcontextprotocol/"

var extensions = [...]extension{
	{TasksExtension, "long calls that run as tasks", true},
	{AppsExtension, "tools with a user interface", true},
	{SkillsExtension, "instructions that a model loads when it needs them", true},
	{EventsExtension, "events of upstream systems, by polls, streams and webhooks", true},
	{reservedPrefix + "oauth-client-credentials", "tokens without a user", true},
	{reservedPrefix + "enterprise-managed-authorization", "tokens by an identity provider", true},
}

// unknownExtension describes an id with the reserved prefix that is not in the list.
const unknownExtension = "not known to this mcptea (its list is of " + extensionsDate + ")"

// extensionOf returns the official extension with an id.
func extensionOf(id string) (extension, bool) {
	for _, e := range extensions {
		if e.id == id {
			return e, true
		}
	}
	return extension{}, false
}

// meantExtension returns the official extension with an id similar to an unknown id with the reserved prefix.
// It returns "" for other ids, and if no id is similar.
func meantExtension(id string) string {
	if _, known := extensionOf(id); known || !strings.HasPrefix(id, reservedPrefix) {
		return ""
	}
	all := make([]string, 0, len(extensions))
	for _, e := range extensions {
		all = append(all, strings.TrimPrefix(e.id, reservedPrefix))
	}
	if near := phrase.Nearest(strings.TrimPrefix(id, reservedPrefix), all); len(near) > 0 {
		return reservedPrefix + near[0]
	}
	return ""
}

// IsSpoken reports whether mcptea knows the messages of an extension.
func IsSpoken(id string) bool {
	e, known := extensionOf(id)
	return known && e.spoken
}

// ExtensionText describes an id in the capability extensions. doubtful reports whether it may be a misspelling
// of another id. New extensions appear after a release of mcptea, so an unknown id may be valid.
func ExtensionText(id string) (text string, doubtful bool) {
	switch e, known := extensionOf(id); {
	case known && e.spoken:
		return e.summary, false
	case known:
		return e.summary + "; mcptea shows its messages, and does not use them", false
	case !strings.HasPrefix(id, reservedPrefix):
		return "not official, and unknown to mcptea", false
	}
	if meant := meantExtension(id); meant != "" {
		return unknownExtension + "; " + meant + " may be meant", true
	}
	return unknownExtension, false
}

package facts

import (
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
)

// URI holds the facts about the URI of a request that was answered with a failure.
type URI struct {
	Undecoded string // segment that the failure repeats with its percent-encoding, without the rest of the URI
	Deep      bool   // more than one segment follows the scheme
	Changed   string // form in which the failure repeats the URI, if it differs from the sent one
}

func uriOf(r Request) (u URI) {
	sent := jsonrpc.Text(r.Params, "uri")
	_, path, _ := strings.Cut(sent, "://")
	u.Deep = strings.Contains(strings.Trim(path, "/"), "/")
	if sent == "" || strings.Contains(r.Failure, sent) {
		return u
	}
	for segment := range strings.FieldsFuncSeq(sent, func(r rune) bool { return strings.ContainsRune("/?&=#:", r) }) {
		if strings.Contains(segment, "%") && strings.Contains(r.Failure, segment) {
			u.Undecoded = segment
		}
	}
	if parsed, err := url.Parse(sent); err == nil {
		decoded, _ := url.PathUnescape(sent)
		for _, form := range [...]string{parsed.String(), decoded} {
			if form != sent && strings.Contains(r.Failure, form) {
				u.Changed = form
			}
		}
	}
	return u
}

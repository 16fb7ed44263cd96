package failure

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// saidLines returns the message of a body for the rows: in lower case, with the words of member names and codes
// separated.
func saidLines(said string) []string {
	lower := strings.ToLower(said)
	words := strings.Join(strings.FieldsFunc(lower, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")
	words = strings.ReplaceAll(words, "sessionid", "session id")
	return []string{lower, words}
}

var (
	loginWords = lazyregexp.New(`(?i)\b(?:log ?in|logged|sign ?in|re-?authenticat\w*|authentication required|credentials?|password|token|api[ _-]?key|jwt|cookie)\b`)
	hostInText = lazyregexp.New(`(?i)\bhosts?\b[^\w\[]{0,4}(?:header|name)?[^\w\[]{0,12}(?:(?:is|was|of|got|received|value|not allowed|not permitted|invalid)[^\w\[]{1,4})*(\[[0-9a-f:]+\](?::\d+)?|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::\d+)?|localhost(?::\d+)?|[a-z0-9][a-z0-9-]*:\d+)`)
)

// addHost adds the host that a message names, if it differs from the host of the URL, and another name of this
// machine for a loopback URL.
func (f Facts) addHost(s situation, said string) {
	own, err := url.Parse(f.target.URL)
	if err != nil {
		return
	}
	if m := hostInText().FindStringSubmatch(said); m != nil {
		if named := strings.ToLower(m[1]); named != strings.ToLower(own.Host) && named != strings.ToLower(own.Hostname()) {
			s["other_host"] = phrase.Quote(named, knownName)
		}
	}
	other := map[string]string{"127.0.0.1": "localhost", "localhost": "127.0.0.1"}[strings.ToLower(own.Hostname())]
	if other == "" {
		return
	}
	if port := own.Port(); port != "" {
		other += ":" + port
	}
	s["other_name"] = other
	own.Host = other
	s["other_name_url"] = own.String()
}

// addEndpoint adds the path in the endpoint event, if a request to it failed, and the prefix of the stream's
// URL that it lacks.
func (f Facts) addEndpoint(s situation, err *transport.StatusError) {
	stream, bad := url.Parse(f.target.URL)
	to, bad2 := url.Parse(err.URL)
	if bad != nil || bad2 != nil || err.Method != http.MethodPost || !f.streamOpened() || !mcphttp.SameOrigin(stream, to) || stream.Path == to.Path {
		return
	}
	s["endpoint"] = escape(cut(to.Path))
	if parts := strings.Split(strings.Trim(to.Path, "/"), "/"); len(parts) > 1 && parts[0] == parts[1] {
		s["endpoint_twice"] = "/" + escape(cut(parts[0]))
	}
	if prefix := path.Dir(strings.TrimRight(stream.Path, "/")); prefix != "/" && prefix != "." && !strings.HasPrefix(to.Path, prefix+"/") {
		s["prefix"] = escape(cut(prefix))
	}
}

// listens reports whether the GET stream was open.
func (f Facts) listens() bool {
	return slices.ContainsFunc(f.wire.exchanges, func(x transport.Exchange) bool {
		return x.Purpose == transport.PurposeListen && x.Status == http.StatusOK
	})
}

// packedAs returns the compression of bytes by their first bytes, or "".
func packedAs(text string) string {
	for _, c := range [...]struct{ begin, name string }{{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\x78\x9c", "deflate"}, {"\x78\xda", "deflate"}, {"\x78\x01", "deflate"}} {
		if strings.HasPrefix(text, c.begin) {
			return c.name
		}
	}
	return ""
}

package diff

import (
	"cmp"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// An Ignore is a rule about values that do not count in a comparison. It is a JSON Pointer (RFC
// 6901) in which "*" matches one member or element, and "**" any number of them, such as
// /result/content/*/text, /**/timestamp or /result/_meta/**. Values below a match do not count
// either.
type Ignore struct {
	parts []string
}

// ParseIgnore parses a rule. A name without a slash is short for the members of this
// name anywhere: timestamp is /**/timestamp.
func ParseIgnore(text string) (Ignore, error) {
	switch {
	case text == "" || text == "/":
		return Ignore{}, fmt.Errorf("the path is empty; write a JSON Pointer such as /result/_meta or /**/timestamp")
	case !strings.HasPrefix(text, "/"):
		if strings.Contains(text, "/") {
			return Ignore{}, fmt.Errorf("the path %q does not begin with a slash; write a JSON Pointer such as /result/_meta or /**/timestamp", text)
		}
		return Ignore{parts: []string{"**", text}}, nil
	}
	parts := strings.Split(text[1:], "/")
	for i, p := range parts {
		if p != "*" && p != "**" {
			parts[i] = jsonrpc.UnescapePointer(p)
		}
	}
	return Ignore{parts: parts}, nil
}

// OptionsOf returns the options for comparing two values, or two frames, with the given rules. The ids of
// frames are ignored. If strict is set, ids and volatile values count. The error is about the first invalid
// rule; the others still apply.
func OptionsOf(rules []string, isFrames, strict bool) (o Options, err error) {
	o.IgnoreVolatile = !strict
	if isFrames && !strict {
		rules = append([]string{"/id"}, rules...)
	}
	for _, text := range rules {
		rule, wrong := ParseIgnore(text)
		if wrong == nil {
			o.Ignore = append(o.Ignore, rule)
		}
		err = cmp.Or(err, wrong)
	}
	return o, err
}

// matches reports whether the rule matches a place exactly.
func (g Ignore) matches(place []string) bool { return matchParts(g.parts, place) }

func matchParts(parts, place []string) bool {
	for len(parts) > 0 {
		if parts[0] == "**" {
			if len(parts) == 1 {
				return true
			}
			for skip := 0; skip <= len(place); skip++ {
				if matchParts(parts[1:], place[skip:]) {
					return true
				}
			}
			return false
		}
		if len(place) == 0 || parts[0] != "*" && parts[0] != place[0] {
			return false
		}
		parts, place = parts[1:], place[1:]
	}
	return len(place) == 0
}

// Names of members whose values differ from run to run, in lower case and without separators. Some
// are values that the server makes up. Others are times, as numbers or dates.
var (
	volatileIDs = map[string]bool{
		"nextcursor": true, "cursor": true, "progresstoken": true, "taskid": true, "sessionid": true, "requestid": true, "traceid": true,
		"traceparent": true, "tracestate": true, "elicitationid": true, "requeststate": true,
		"io.modelcontextprotocol/relatedtask": true, "io.modelcontextprotocol/subscriptionid": true,
	}
	volatileTimes = map[string]bool{
		"timestamp": true, "time": true, "date": true, "createdat": true, "updatedat": true, "lastupdatedat": true, "lastmodified": true,
		"expiresat": true, "startedat": true, "finishedat": true, "duration": true, "durationms": true, "elapsed": true, "uptime": true, "pid": true,
	}
	separators = strings.NewReplacer("_", "", "-", "")
)

// isVolatile reports whether a value differs from run to run although the server
// behaves the same: by the name of its member, or because it is a time or a UUID as
// a whole; see [Options.IgnoreVolatile].
func isVolatile(name string, value []byte) bool {
	name = separators.Replace(strings.ToLower(name))
	return volatileIDs[name] || timeForm().Match(value) || uuidForm().Match(value) || volatileTimes[name] && len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// The forms of values that a server makes up: a date and time of RFC 3339, and a UUID.
var (
	timeForm = lazyregexp.New(`^"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d`)
	uuidForm = lazyregexp.New(`^"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}"$`)
)

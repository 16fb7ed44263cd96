package check

import (
	"errors"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// problemOf says why a schema could not be read.
func problemOf(err error, l *survey) *Problem {
	var wrong *jsonschema.SchemaValidationError
	if errors.As(err, &wrong) {
		m := first(wrong.Err)
		if m == nil {
			return &Problem{Fault: Unclear, Reason: "it could not be judged"}
		}
		_, at, _ := strings.Cut(wrong.URL, "#")
		about := decoded(at) + m.About
		if about == "" {
			return &Problem{Fault: Invalid, Reason: "it " + m.Reason}
		}
		return &Problem{Fault: Invalid, Path: decoded(at) + m.Path, Reason: shorten(about) + " " + m.Reason}
	}
	var unloaded *jsonschema.LoadURLError
	if errors.As(err, &unloaded) {
		return notLoaded(unloaded.URL, l)
	}
	var noPointer *jsonschema.JSONPointerNotFoundError
	var noAnchor *jsonschema.AnchorNotFoundError
	switch {
	case errors.As(err, &noPointer):
		return l.nowhere(noPointer.URL)
	case errors.As(err, &noAnchor):
		return l.nowhere(noAnchor.Reference)
	}
	return &Problem{Fault: Unclear, Reason: "its references could not be followed"}
}

func (l *survey) nowhere(ref string) *Problem {
	ref = strings.TrimPrefix(ref, self)
	return &Problem{Fault: Invalid, Path: l.refTo(ref), Reason: "the reference " + short(ref) + " leads nowhere"}
}

func notLoaded(uri string, l *survey) *Problem {
	for dialect := range l.dialects {
		if strings.TrimSuffix(dialect, "#") == strings.TrimSuffix(uri, "#") {
			return &Problem{Fault: Dialect, Reason: uri}
		}
	}
	if u, err := url.Parse(uri); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return &Problem{Fault: Remote, Path: l.refTo(uri), Reason: uri}
	}
	return l.nowhere(strings.TrimPrefix(uri, strings.TrimSuffix(self, "schema")))
}

package probes

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// judge reports the first verdict that applies.
func (s *sample) judge(verdicts []row) {
	for _, v := range verdicts {
		if !s.holds(v.When) {
			continue
		}
		subject := s.subject
		if v.All {
			subject = ""
		}
		for severity, text := range []string{v.Error, v.Warn, v.Info} {
			if text != "" {
				claims[v.Claim](s.Of(s.o)).Named(cmp.Or(catalog.Fill(v.Verdict, s.value), s.verdict)).Advise(v.Fix).Says(lint.Severity(severity), subject, text, catalog.Fill(text, s.value))
			}
		}
		return
	}
}

// claims maps names to the claims that verdicts make about a result.
var claims = map[string]func(probe.Judgment) probe.Judgment{
	"":         func(j probe.Judgment) probe.Judgment { return j },
	"executes": probe.Judgment.Executes,
	"itself":   probe.Judgment.Itself,
}

// absent maps placeholders to the words used if their value is empty.
var absent = map[string]string{"what": "(no name)", "message": "(no message)", "media": "(no media type)", "case": "(no case)", "version": "(no version)"}

// value returns the value of a placeholder in a message. It is never empty.
func (s *sample) value(name string) string {
	if v := s.filled(name); v != "" {
		return v
	}
	return cmp.Or(absent[name], "(no "+strings.ReplaceAll(name, "_", " ")+")")
}

// filled returns the value of a placeholder. It may be empty.
func (s *sample) filled(name string) string {
	switch name {
	case "case":
		return s.name
	case "what":
		return s.what
	case "outcome":
		return probe.Describe(s.o)
	case "code":
		return s.o.ShownCode()
	case "message":
		return firstLine(s.o.Message)
	case "id":
		return s.o.ID.String()
	case "status":
		return strconv.Itoa(s.o.Status)
	case "media":
		return mediaType(s.o)
	case "version":
		return strings.Trim(strconv.Quote(versionOf(s.o)), `"`)
	case "took":
		return shown(s.o.Took).String()
	case "list":
		return listMethod(s.Run)
	case "ping":
		return pingMethod(s.Run)
	}
	return valueIn(s.values)(name)
}

// firstLine returns the first line of a server's message and the number of later lines, such as a stack trace.
// The frame in the finding contains them all.
func firstLine(message string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(message), "\n")
	if !more {
		return first
	}
	return strings.TrimSpace(first) + " (and " + phrase.Count(strings.Count(rest, "\n")+1, "more line") + ")"
}

// valueIn returns a function for the values of placeholders. A placeholder without a value stays.
func valueIn(values map[string]string) func(name string) string {
	return func(name string) string {
		if v, ok := values[name]; ok {
			return v
		}
		return "{" + name + "}"
	}
}

// holds reports whether all words of a condition do; ! negates one.
func (s *sample) holds(when string) bool {
	for word := range strings.FieldsSeq(when) {
		word, negated := strings.CutPrefix(word, "!")
		if s.knows(word) == negated {
			return false
		}
	}
	return true
}

// knows reports whether a condition is true.
func (s *sample) knows(word string) bool {
	name, value, _ := strings.Cut(word, "=")
	if is := conditions[name]; is != nil {
		return is(s, value)
	}
	if given := builtin[word]; given != nil {
		return given(s.Run) != ""
	}
	return slices.Contains(s.is, word) || s.values[word] != ""
}

// conditions maps the words of conditions to functions.
var conditions = map[string]func(s *sample, value string) bool{
	"always":     func(*sample, string) bool { return true },
	"result":     func(s *sample, _ string) bool { return s.o.Kind == probe.Result },
	"error":      func(s *sample, _ string) bool { return s.o.Kind == probe.Error },
	"silent":     func(s *sample, _ string) bool { return s.o.Kind == probe.Silent },
	"cut":        func(s *sample, _ string) bool { return s.o.EndsEmpty() },
	"refused":    func(s *sample, _ string) bool { return s.o.Kind == probe.Refused },
	"dead":       func(s *sample, _ string) bool { return s.o.Kind == probe.Dead },
	"refusal":    func(s *sample, _ string) bool { return s.o.IsRefusal() },
	"ok":         func(s *sample, _ string) bool { return s.o.Accepted() },
	"rejected":   func(s *sample, _ string) bool { return s.o.Refused() || s.o.Kind == probe.Error },
	"failed":     func(s *sample, _ string) bool { return s.o.Err != nil },
	"executed":   func(s *sample, _ string) bool { return executed(s.o) },
	"asks":       func(s *sample, _ string) bool { return asks(s.o) },
	"tool_error": func(s *sample, _ string) bool { return s.o.ToolError() },
	"http":       func(s *sample, _ string) bool { return s.IsHTTP() },
	"stateless":  func(s *sample, _ string) bool { return s.IsStateless() },
	"both":       func(s *sample, _ string) bool { return hasSessions(s.Run) },
	"code": func(s *sample, value string) bool {
		return slices.ContainsFunc(strings.Split(value, ","), func(code string) bool {
			n, err := strconv.ParseInt(code, 10, 64)
			return err == nil && s.o.IsError(n)
		})
	},
	"status": func(s *sample, value string) bool { return strconv.Itoa(s.o.Status) == value },
	"from": func(s *sample, value string) bool { // an HTTP status
		n, err := strconv.Atoi(value)
		return err == nil && s.o.Status >= n
	},
	"header": func(s *sample, value string) bool {
		name, text, _ := strings.Cut(value, ":")
		got := s.o.Header.Get(name)
		return got != "" && strings.Contains(got, text)
	},
	"slow":  func(s *sample, _ string) bool { return s.IsSlow(probe.SlowLoad, s.o.Took) },
	"tardy": func(s *sample, _ string) bool { return s.IsSlow(probe.SlowPing, s.o.Took) },
	"has":   func(s *sample, value string) bool { return s.o.Member(value) != nil },
	"some": func(s *sample, value string) bool {
		path := strings.Split(value, "/")
		return hasElements(s.o.Member(path[0], path[1:]...))
	},
	"frame":      func(s *sample, value string) bool { return bytes.Contains(s.o.Frame, []byte(value)) },
	"body":       func(s *sample, value string) bool { return bytes.Contains(s.o.Body, []byte(value)) },
	"since":      func(s *sample, value string) bool { return s.Since(revision.Revision(value)) },
	"capability": func(s *sample, value string) bool { return s.Server.Has(value) },
	"life":       func(s *sample, value string) bool { return s.SignOfLife() == value },
	"lists": func(s *sample, _ string) bool {
		_, ok := s.Server.FirstList()
		return ok
	},
	"responds": func(s *sample, _ string) bool { // the server responded although no response was due
		return s.o.Kind == probe.Result || s.o.Kind == probe.Error && s.o.Status < http.StatusBadRequest
	},
	"released": func(s *sample, _ string) bool { return isReleased(versionOf(s.o)) },
	"selected": func(s *sample, _ string) bool { return versionOf(s.o) == s.values["each"] },
	"other_id": func(s *sample, _ string) bool {
		return s.o.Kind <= probe.Error && !s.o.ID.Same(jsonrpc.IDOf(s.values["each"]))
	},
	"bearer": func(s *sample, _ string) bool {
		return strings.HasPrefix(strings.ToLower(s.o.Header.Get("WWW-Authenticate")), "bearer")
	},
	"metadata": func(s *sample, _ string) bool { return metadataURL().MatchString(s.o.Header.Get("WWW-Authenticate")) },
	"absolute": func(s *sample, _ string) bool {
		m := metadataURL().FindStringSubmatch(s.o.Header.Get("WWW-Authenticate"))
		if m == nil {
			return false
		}
		u, err := url.Parse(m[1])
		return err == nil && u.Scheme != "" && u.Host != ""
	},
	"same_type": func(s *sample, _ string) bool { return s.o.Frame == nil || strings.Contains(s.what, mediaType(s.o)) },
	"named_version": func(s *sample, _ string) bool {
		return slices.ContainsFunc(revision.All(), func(v revision.Revision) bool { return strings.Contains(string(s.o.Frame), string(v)) })
	},
}

// needs maps the reasons for skipping a probe to the condition that the server must meet.
var needs = map[string]func(r *probe.Run) bool{
	"capability with a list":                   func(r *probe.Run) bool { _, ok := r.Server.FirstList(); return ok },
	"capability tools":                         func(r *probe.Run) bool { return r.Server.Has("tools") },
	"capability tasks":                         hasTasks,
	"capability tasks.requests.tools.call":     func(r *probe.Run) bool { return r.Server.Has("tasks.requests.tools.call") },
	"no callable tool":                         func(r *probe.Run) bool { return len(r.Callables()) > 0 },
	"no resources":                             func(r *probe.Run) bool { return len(r.Server.Items(client.Resources)) > 0 },
	"no templates":                             func(r *probe.Run) bool { return len(r.Server.Items(client.Templates)) > 0 },
	"no tool with an app":                      func(r *probe.Run) bool { all, _ := appsOf(r); return len(all) > 0 },
	"no callable tool with an app":             func(r *probe.Run) bool { return len(callableApps(r)) > 0 },
	"no prompts":                               func(r *probe.Run) bool { return len(r.Server.Items(client.Prompts)) > 0 },
	"no declared skills":                       hasSkills,
	"no declared events":                       hasEvents,
	"no directoryRead of skills":               readsDirectories,
	"no authorization":                         (*probe.Run).Authorized,
	"needs --baseline":                         func(*probe.Run) bool { return false }, // package report judges it
	"needs --fuzz":                             (*probe.Run).Fuzzing,
	"needs --token-second":                     func(r *probe.Run) bool { return r.Tokens().Second != "" },
	"needs --token-lowscope":                   func(r *probe.Run) bool { return r.Tokens().LowScope != "" },
	"needs --token-expired or --token-foreign": func(r *probe.Run) bool { return r.Tokens().Expired+r.Tokens().Foreign != "" },
}

package probe

import (
	"cmp"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// Mistakes of the server that can cause findings of several probes. A method follows a colon.
const (
	rootLine         = "ends at a line that it cannot read"
	rootLost         = "loses the line after one that it cannot read"
	rootSilent       = "does not respond where an error is due"
	rootNotification = "responds to notifications"
	rootMethod       = "declares a method that it does not know: "
	rootStatus       = "returns another status than 404 for an unknown method"
)

// rootsOfVerdicts maps the names of verdicts to their root causes.
var rootsOfVerdicts = map[string]string{
	"foreign-origin": "does not check Origin", "unknown-session": "returns another status than 404 for an unknown session", "not-404": rootStatus,
}

// rootOf returns the probable underlying mistake of a finding, or "".
func (j Judgment) rootOf(f *Finding, c claim) string {
	sent := jsonrpc.Scan(j.of.Sent)
	switch o := j.of; {
	case f.Severity == lint.Info:
	case rootsOfVerdicts[j.verdict] != "":
		return rootsOfVerdicts[j.verdict]
	case f.Rule != nil && f.Rule.ID == "H019" && f.isAboutUnknownMethod():
		return rootStatus
	case f.Rule != nil && f.Rule.ID == "C005":
		if method := j.r.runner.journal.methodOf(f.Frames); method != "" {
			return rootMethod + method
		}
	case f.Rule != nil && f.Rule.ID == "J033", isWithoutID(f.Frames) && (len(j.of.Sent) == 0 || sent.Kind == jsonrpc.Notification):
		return rootNotification
	case f.Rule != nil:
	case c == claimEnds && j.generic && f.Severity == lint.Warn:
		return rootLine
	case c == claimSilent && o.Kind == Mute:
		return rootLost
	case c == claimSilent && o.Kind <= Refused: // responses are lost occasionally
	case c == claimSilent:
		return rootSilent
	case c == claimRefuses && o.IsError(jsonrpc.CodeMethodNotFound):
		return rootMethod + sent.MethodName(o.Sent)
	case sent.Kind == jsonrpc.Notification && o.Kind <= Error:
		return rootNotification
	}
	return ""
}

// isAboutUnknownMethod reports whether the evidence of a finding is an error response with the code
// for an unknown method.
func (f *Finding) isAboutUnknownMethod() bool {
	return slices.ContainsFunc(f.Frames, func(of Frame) bool {
		code, isError := codeOf(of)
		return isError && code.Is(jsonrpc.CodeMethodNotFound)
	})
}

// isWithoutID reports whether the evidence is a single response without an id. The server had no id
// to copy.
func isWithoutID(frames []Frame) bool {
	if len(frames) != 1 || frames[0].Dir != transport.In {
		return false
	}
	e := jsonrpc.Scan(frames[0].Bytes)
	return e.Kind.IsResponse() && !e.ID.Of(frames[0].Bytes).Present()
}

// methodOf returns the method of the request that the first frame responds to, or "".
func (j *journal) methodOf(frames []Frame) string {
	if len(frames) == 0 || frames[0].Dir != transport.In {
		return ""
	}
	response, ok := j.frame(frames[0].Seq) // the frame in the finding may be cut
	if !ok {
		return ""
	}
	id := jsonrpc.Scan(response.Bytes).ID.Of(response.Bytes).Key()
	for seq := frames[0].Seq - 1; seq > 0; seq-- {
		f, ok := j.frame(seq)
		if e := jsonrpc.Scan(f.Bytes); ok && f.Dir == transport.Out && f.Conn == response.Conn && e.Kind == jsonrpc.Request && e.ID.Of(f.Bytes).Key() == id {
			return e.MethodName(f.Bytes)
		}
	}
	return ""
}

// LinkRoots links the findings that probably have the same cause: the most severe finding of the first probe
// leads to the others. It modifies the findings. It skips infos and findings caused by a library.
func LinkRoots(reports []Report) {
	type member struct {
		probe string
		*Finding
	}
	roots, order := map[string][]member{}, []string{}
	for i := range reports {
		for k := range reports[i].Findings {
			f := &reports[i].Findings[k]
			if f.LeadsTo, f.Follows = nil, ""; f.root == "" || f.Library != nil || f.Severity == lint.Info {
				continue
			}
			if roots[f.root] == nil {
				order = append(order, f.root)
			}
			roots[f.root] = append(roots[f.root], member{reports[i].Entry.ID, f})
		}
	}
	for _, root := range order {
		all := roots[root]
		first := slices.MinFunc(all, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Severity, b.Severity))
		})
		for _, m := range all {
			if m.Finding == first.Finding {
				continue
			}
			m.Follows = first.probe
			if !slices.Contains(first.LeadsTo, m.probe) {
				first.LeadsTo = append(first.LeadsTo, m.probe)
			}
		}
	}
}

// rank sorts findings of rules after those of probes.
func (f *Finding) rank() int {
	if f.Rule != nil {
		return 1
	}
	return 0
}

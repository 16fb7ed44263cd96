package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/checks/lint"
	"mcptea/session/checks/probe"
)

// Cause is why probes were not judged.
type Cause struct {
	// Probe is the id of the one that has a finding about it; empty where none has.
	Probe string `json:"probe,omitempty"`
	Cause string `json:"cause"` // in a few words
	// NotJudged are the ids of the probes, sorted.
	NotJudged []string `json:"not_judged"`
}

// String is the cause as a sentence about the probes.
func (c Cause) String() string {
	text := fmt.Sprintf("%d not judged: %s", len(c.NotJudged), c.Cause)
	if c.Probe != "" {
		text += ", see " + c.Probe
	}
	return text
}

// A line has room for the names of mostNamed probes; of more it has firstNamed.
const mostNamed, firstNamed = 6, 4

// Range names the probes: all of a few, else the first ones and how many more.
func (c Cause) Range() string {
	ids := c.NotJudged
	if len(ids) > mostNamed {
		return strings.Join(ids[:firstNamed], ", ") + " and " + strconv.Itoa(len(ids)-firstNamed) + " more"
	}
	return strings.Join(ids, ", ")
}

// Causes are why probes of a run were not judged, that of most first.
func Causes(reports []probe.Report) []Cause {
	var all []Cause
	for i := range reports {
		r := &reports[i]
		if r.Verdict != probe.Failure {
			continue
		}
		of := causeOf(r, reports)
		at := slices.IndexFunc(all, func(c Cause) bool {
			return c.Probe == of.Probe && (c.Probe != "" || c.Cause == of.Cause)
		})
		if at < 0 {
			at = len(all)
			all = append(all, of)
		}
		all[at].NotJudged = append(all[at].NotJudged, r.Entry.ID)
	}
	for _, c := range all {
		slices.Sort(c.NotJudged)
	}
	slices.SortStableFunc(all, func(a, b Cause) int { return cmp.Compare(len(b.NotJudged), len(a.NotJudged)) })
	return all
}

// causeOf is the cause of one probe. A probe that has found nothing is no cause.
func causeOf(r *probe.Report, reports []probe.Report) Cause {
	b := r.Because
	if b == nil {
		return Cause{Cause: r.Why()}
	}
	c := Cause{Cause: cmp.Or(b.Cause, b.Why)}
	if found := finding(b.Probe, reports); found != nil && b.Probe != r.Entry.ID {
		c.Probe, c.Cause = b.Probe, strings.TrimSuffix(found.Message, ".")
	}
	return c
}

// finding is the worst finding of a probe that is more than an info; nil without one.
func finding(id string, reports []probe.Report) *probe.Finding {
	var worst *probe.Finding
	for i := range reports {
		if reports[i].Entry.ID != id {
			continue
		}
		for k := range reports[i].Findings {
			if f := &reports[i].Findings[k]; f.Severity != lint.Info && (worst == nil || f.Severity < worst.Severity) {
				worst = f
			}
		}
	}
	return worst
}

// Entry is a finding with the report that it belongs to.
type Entry struct {
	Report *probe.Report
	probe.Finding
	// First reports that the findings of the report before it had other advice.
	First bool
}

// ByCause are the findings of a run in the order in which they are read: those that others
// follow from, then errors and warnings of what the server does, those that likely follow from one of them,
// those of what a library does for it, and infos. of is the cause of most; nil where no finding is one.
func ByCause(reports []probe.Report) (of *Cause, cause, errors, warnings, follow, library, infos []Entry) {
	for _, c := range Causes(reports) {
		if c.Probe != "" && len(c.NotJudged) > 1 {
			of = &c
			break
		}
	}
	for i := range reports {
		r := &reports[i]
		for k, f := range r.Findings {
			e := Entry{Report: r, Finding: f, First: k == 0}
			switch {
			case of != nil && r.Entry.ID == of.Probe && f.Severity != lint.Info:
				cause = append(cause, e)
			case f.Follows != "":
				follow = append(follow, e)
			case f.Library != nil && f.Severity != lint.Info:
				library = append(library, e)
			case f.Severity == lint.Error:
				errors = append(errors, e)
			case f.Severity == lint.Warn:
				warnings = append(warnings, e)
			default:
				infos = append(infos, e)
			}
		}
	}
	return of, cause, errors, warnings, follow, library, infos
}

// maxReason is how many lines of stderr a finding shows.
const maxReason = 4

// reasonOf are the lines of stderr that say why a process has ended: those from the last one
// that begins an error, since runtimes write the reason before the place; else the last ones.
func reasonOf(stderr []string) []string {
	said := make([]string, len(stderr))
	for i, line := range stderr {
		said[i] = logged(line)
	}
	if i := probe.ReasonAt(said); i >= 0 {
		return said[i:min(len(said), i+maxReason)]
	}
	return said[max(0, len(said)-maxReason):]
}

// logged is a line of a log that is written as JSON as its level and its message; another line as it is. What it says
// would be cut behind its time.
func logged(line string) string {
	raw := []byte(strings.TrimSpace(line))
	if len(raw) == 0 || raw[0] != '{' || !jsonrpc.Valid(raw) {
		return line
	}
	message := ""
	for _, path := range [][]string{{"message"}, {"msg"}, {"fields", "message"}, {"error", "message"}, {"err", "message"}, {"error"}, {"err"}, {"event"}, {"text"}} {
		if message = jsonrpc.Text(raw, path[0], path[1:]...); message != "" {
			break
		}
	}
	if message == "" {
		return line
	}
	for _, name := range []string{"level", "severity", "lvl"} {
		if level := jsonrpc.Text(raw, name); level != "" {
			return level + ": " + message
		}
	}
	return message
}

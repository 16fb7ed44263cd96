package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// A Cause is the reason why probes were not judged.
type Cause struct {
	// Probe is the id of the probe that reports the cause, or "".
	Probe     string   `json:"probe,omitempty"`
	Cause     string   `json:"cause"`      // the cause in a few words
	NotJudged []string `json:"not_judged"` // ids of the probes, sorted
}

// String returns the cause as a sentence about the probes.
func (c Cause) String() string {
	text := fmt.Sprintf("%d not judged: %s", len(c.NotJudged), c.Cause)
	if c.Probe != "" {
		text += ", see " + c.Probe
	}
	return text
}

// A line names all probes if there are at most mostNamed, otherwise the first firstNamed.
const mostNamed, firstNamed = 6, 4

// Range names the probes: all of a few, otherwise the first ones and the number of the others.
func (c Cause) Range() string {
	ids := c.NotJudged
	if len(ids) > mostNamed {
		return strings.Join(ids[:firstNamed], ", ") + " and " + strconv.Itoa(len(ids)-firstNamed) + " more"
	}
	return strings.Join(ids, ", ")
}

// Causes returns why probes of a run were not judged, the most frequent cause first.
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

// causeOf returns the cause for one probe. A probe without a finding is not a cause.
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

// finding returns the worst finding of a probe, or nil if it has at most infos.
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

// ByCause returns the findings of a run in reading order: those with consequences first, then errors and
// warnings about the server, their likely consequences, faults of a library, and infos. of is the cause of most
// of them, or nil if no finding is a cause.
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

// maxReason bounds the stderr lines that a finding shows.
const maxReason = 4

// reasonOf returns the stderr lines that explain why a process ended: from the last line that starts an error,
// because runtimes print the reason before the place. If there is no such line, it returns the last lines.
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

// logged returns the level and the message of a JSON log line, which would otherwise be cut after the time. It
// returns other lines unchanged.
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

package report

import (
	"cmp"
	_ "embed"
	"time"

	"mcptea/check/probe"
)

// Schema is the JSON Schema (2020-12) of each line of the report. There is one line for each probe, and a last
// one with the member summary.
//
//go:embed schema.json
var Schema string

// Line is the outcome of a probe, as check --json prints it.
type Line struct {
	Version   int                `json:"v"`                           // version of the format: 1
	Probe     string             `json:"probe"`                       // id, such as P-050
	Name      string             `json:"name"`                        // name of the probe
	Group     string             `json:"group"`                       // topic that the probe shares with others
	Verdict   probe.Verdict      `json:"verdict"`                     // "pass", "warning", "fail", "skipped", or "error" for one that could not be judged
	Level     probe.Level        `json:"level"`                       // "MUST", "SHOULD", "ROB" or "SEC"
	Revision  string             `json:"protocol_version"`            // protocol version that the probe ran with; the first of several
	Versions  []string           `json:"protocol_versions,omitempty"` // protocol versions that the probe ran with, if the server was checked with several
	Transport string             `json:"transport"`                   // "stdio", "http" or "sse"
	Spec      string             `json:"spec,omitempty"`              // URL of the section of the specification
	Skip      string             `json:"skip,omitempty"`              // why it was skipped or not judged
	Because   *BecauseLine       `json:"because,omitempty"`           // the cause, if the probe was not judged for a reason that another probe reports or that several probes share
	Findings  []FindingLine      `json:"findings"`                    // findings of the probe
	Measure   map[string]float64 `json:"measure,omitempty"`           // measured values by name
	Sent      int                `json:"sent,omitempty"`              // number of frames that were sent
	Millis    float64            `json:"ms"`                          // duration of the probe, in milliseconds
}

// FindingLine is a finding of a probe.
type FindingLine struct {
	Severity    string      `json:"severity"`                    // "error", "warning" or "info"
	Case        string      `json:"case"`                        // case that the probe tried
	Rule        string      `json:"rule,omitempty"`              // id of the lint rule that found it
	Subject     string      `json:"subject,omitempty"`           // the tool, prompt or resource that it is about
	Message     string      `json:"message"`                     // description of the problem
	Fix         string      `json:"fix,omitempty"`               // advice
	Fingerprint string      `json:"fingerprint"`                 // fingerprint for --baseline, equal in each run
	Versions    []string    `json:"protocol_versions,omitempty"` // protocol versions that it holds for, if the server was checked with several
	Accepted    bool        `json:"accepted,omitempty"`          // the baseline accepts it
	LeadsTo     []string    `json:"leads_to,omitempty"`          // probes with findings that likely have the same cause
	Follows     string      `json:"follows,omitempty"`           // the probe whose finding likely has the same cause: mend that first
	Library     string      `json:"library,omitempty"`           // name of the library that is probably the cause, rather than the server's own code
	Frames      []FrameLine `json:"frames,omitempty"`            // the evidence
	Exit        *probe.Exit `json:"exit,omitempty"`              // end of the server process
	Ground      *GroundLine `json:"ground,omitempty"`            // the sentence of the specification that it rests on
	Control     string      `json:"control,omitempty"`           // the plain form of the request, and its outcome
	Acts        []string    `json:"acts,omitempty"`              // acts of mcptea on the connection in the meantime
	Also        []string    `json:"also,omitempty"`              // other cases of the same mistake
	Script      string      `json:"script,omitempty"`            // script for mcptea run that repeats it
}

// GroundLine is a sentence of the specification.
type GroundLine struct {
	Level   probe.Level `json:"level"`             // "MUST" or "SHOULD"; "SEC" for an attack that worked
	Section string      `json:"section,omitempty"` // section for the protocol version
	Says    string      `json:"says,omitempty"`    // the sentence of the specification, or the result of the attack
}

// A BecauseLine is the reason why a probe was not judged.
type BecauseLine struct {
	Probe string `json:"probe,omitempty"` // id of the probe that reports the cause
	Cause string `json:"cause"`           // the cause in a few words
}

// FrameLine is a frame that shows a finding.
type FrameLine struct {
	Frame      int    `json:"frame"`           // number in the recording of --record
	Connection int    `json:"connection"`      // number of the connection, from 1
	Direction  string `json:"direction"`       // "out" to the server or "in" from it
	Text       string `json:"text"`            // redacted; of a long frame the part from the place on, or the start
	Place      string `json:"place,omitempty"` // place of the finding: a JSON Pointer, or "byte N"
	Size       int    `json:"size,omitempty"`  // bytes of the whole frame, if the text is cut
}

// LineOf returns the line of a probe.
func LineOf(r *probe.Report) Line {
	line := Line{
		Version: 1, Probe: r.Entry.ID, Name: r.Entry.Slug, Group: r.Entry.Group, Verdict: r.Verdict, Level: r.Entry.Level,
		Revision: r.Revision, Versions: r.Versions, Transport: r.Transport, Spec: SpecURL(r.Entry.Spec, r.Revision), Skip: r.Why(),
		Findings: []FindingLine{}, Measure: r.Measure, Sent: r.Sent, Millis: milliseconds(r.Took),
	}
	if b := r.Because; b != nil {
		line.Because = &BecauseLine{Probe: b.Probe, Cause: cmp.Or(b.Cause, b.Why)}
	}
	for _, f := range r.Findings {
		out := FindingLine{
			Severity: f.Severity.String(), Case: f.Case, Subject: f.Subject, Message: f.Message, Fix: f.Hint,
			Fingerprint: fingerprint(r.Entry, f), Versions: f.Versions, Accepted: f.Accepted, Exit: f.Exit, Script: f.Script,
		}
		if f.Rule != nil {
			out.Rule = f.Rule.ID
		}
		if f.Library != nil {
			out.Library = f.Library.Name
		}
		out.LeadsTo, out.Follows = f.LeadsTo, f.Follows
		if g := f.Ground; g != nil {
			out.Ground = &GroundLine{Level: g.Level(), Section: g.Section, Says: cmp.Or(g.Says, g.Effect)}
		}
		if f.Control != nil {
			out.Control = f.Control.String()
		}
		for _, act := range f.Acts {
			out.Acts = append(out.Acts, act.What)
		}
		out.Also = f.Also
		for _, frame := range f.Frames {
			out.Frames = append(out.Frames, frameOf(frame))
		}
		line.Findings = append(line.Findings, out)
	}
	return line
}

func frameOf(f probe.Frame) FrameLine {
	line := FrameLine{Frame: f.Seq, Connection: f.Conn, Direction: f.Dir.String(), Text: string(f.Bytes), Place: f.Place}
	if f.Before || f.After {
		line.Size = f.Size
	}
	return line
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Counts holds the number of probes with each verdict.
type Counts struct {
	Probes  int `json:"probes"`  // number of probes
	Pass    int `json:"pass"`    // probes that passed
	Warn    int `json:"warning"` // probes with a warning
	Fail    int `json:"fail"`    // probes that failed
	Skipped int `json:"skipped"` // probes that were skipped
	Error   int `json:"error"`   // probes that could not be judged
}

// CountOf counts the verdicts of reports.
func CountOf(reports []probe.Report) Counts {
	c := Counts{Probes: len(reports)}
	for _, r := range reports {
		switch r.Verdict {
		case probe.Pass:
			c.Pass++
		case probe.Warn:
			c.Warn++
		case probe.Fail:
			c.Fail++
		case probe.Skipped:
			c.Skipped++
		case probe.Failure:
			c.Error++
		}
	}
	return c
}

// LastLine is the last line of check --json.
type LastLine struct {
	Summary Summary `json:"summary"` // summary of the whole check
}

// Summary sums up a check.
type Summary struct {
	Counts
	Servers   []ServerLine     `json:"servers"`                     // one element for each protocol version
	Client    string           `json:"as_client,omitempty"`         // the client that mcptea impersonated with --as-client and the like; probes may have sent other values
	NotCalled []probe.Uncalled `json:"notCalled,omitempty"`         // tools that were not called
	Events    *Events          `json:"events,omitempty"`            // results about the events that the server declares
	Causes    []Cause          `json:"causes,omitempty"`            // why probes were not judged, most frequent first
	Seed      uint64           `json:"seed"`                        // value for --seed to repeat the check
	Sent      int              `json:"sent"`                        // number of frames that were sent
	Processes int              `json:"processes,omitempty"`         // number of processes of the server that were started; absent for a URL
	AtOnce    int              `json:"processes_at_once,omitempty"` // maximum number of processes that ran concurrently
	Millis    float64          `json:"ms"`                          // duration of the check, in milliseconds
	Waited    float64          `json:"waited_ms,omitempty"`         // part of the duration spent in pauses that the server requested with HTTP status 429
	Stopped   string           `json:"stopped,omitempty"`           // why the check ended early
}

// ServerLine is the server in one protocol version.
type ServerLine struct {
	Name      string `json:"name"`             // serverInfo.name
	Version   string `json:"version"`          // serverInfo.version
	Revision  string `json:"protocol_version"` // protocol version of the check
	Transport string `json:"transport"`        // "stdio", "http" or "sse"
}

// LastLineOf returns the last line.
func LastLineOf(s *probe.Summary) LastLine {
	s = Merge(s)
	out := Summary{Counts: CountOf(s.Reports), Servers: []ServerLine{}, Client: s.Client, NotCalled: Uncalled(s.Servers), Events: EventsOf(s), Causes: Causes(s.Reports), Seed: s.Seed, Sent: s.Sent, Processes: s.Processes, AtOnce: s.AtOnce, Millis: milliseconds(s.Took), Waited: milliseconds(s.Waited)}
	for _, v := range s.Servers {
		out.Servers = append(out.Servers, ServerLine{v.Handshake.Server.Name, v.Handshake.Server.Version, string(v.Revision), v.Transport})
	}
	if s.Stopped != nil {
		out.Stopped = s.Stopped.Error()
	}
	return LastLine{out}
}

package report

import (
	_ "embed"
	"encoding/json"
	"time"

	"mcptea/session/probe"
)

// Schema is the JSON Schema (2020-12) of each line: one for each probe, and last one
// with the member summary.
//
//go:embed schema.json
var Schema string

type probeLine struct {
	Version   int                `json:"v"`
	Probe     string             `json:"probe"`
	Name      string             `json:"name"`
	Group     string             `json:"group"`
	Verdict   probe.Verdict      `json:"verdict"`
	Level     probe.Level        `json:"level"`
	Revision  string             `json:"protocol_version"`
	Transport string             `json:"transport"`
	Spec      string             `json:"spec,omitempty"`
	Skip      string             `json:"skip,omitempty"`
	Findings  []findingLine      `json:"findings"`
	Measure   map[string]float64 `json:"measure,omitempty"`
	Sent      int                `json:"sent,omitempty"`
	Millis    float64            `json:"ms"`
}

type findingLine struct {
	Severity    string      `json:"severity"`
	Case        string      `json:"case"`
	Rule        string      `json:"rule,omitempty"`
	Subject     string      `json:"subject,omitempty"`
	Message     string      `json:"message"`
	Fix         string      `json:"fix,omitempty"`
	Fingerprint string      `json:"fingerprint"`
	Accepted    bool        `json:"accepted,omitempty"`
	Frames      []frameLine `json:"frames,omitempty"`
	Exit        *probe.Exit `json:"exit,omitempty"`
	Script      string      `json:"script,omitempty"`
}

type frameLine struct {
	Frame      int    `json:"frame"`
	Connection int    `json:"connection"`
	Direction  string `json:"direction"`
	Text       string `json:"text"`
	Size       int    `json:"size,omitempty"` // of the whole frame, when the text is cut
}

// JSON is the line of a probe, without a line break.
func JSON(r *probe.Report) ([]byte, error) {
	line := probeLine{
		Version: 1, Probe: r.Entry.ID, Name: r.Entry.Slug, Group: r.Entry.Group, Verdict: r.Verdict, Level: r.Entry.Level,
		Revision: r.Revision, Transport: r.Transport, Spec: SpecURL(r.Entry.Spec, r.Revision), Skip: r.Skip,
		Findings: []findingLine{}, Measure: r.Measure, Sent: r.Sent, Millis: milliseconds(r.Took),
	}
	for _, f := range r.Findings {
		out := findingLine{
			Severity: f.Severity.String(), Case: f.Case, Subject: f.Subject, Message: f.Message, Fix: f.Hint,
			Fingerprint: fingerprint(r.Entry, f), Accepted: f.Accepted, Exit: f.Exit, Script: f.Script,
		}
		if f.Rule != nil {
			out.Rule = f.Rule.ID
		}
		for _, frame := range f.Frames {
			out.Frames = append(out.Frames, frameOf(frame))
		}
		line.Findings = append(line.Findings, out)
	}
	return json.Marshal(line)
}

func frameOf(f probe.Frame) frameLine {
	line := frameLine{Frame: f.Seq, Connection: f.Conn, Direction: f.Dir.String(), Text: string(f.Bytes)}
	if f.Size > len(f.Bytes) {
		line.Size = f.Size
	}
	return line
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Counts is how many probes have each verdict.
type Counts struct {
	Probes  int `json:"probes"`
	Pass    int `json:"pass"`
	Warn    int `json:"warn"`
	Fail    int `json:"fail"`
	Skipped int `json:"skipped"`
	Error   int `json:"error"`
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

// SummaryJSON is the last line.
func SummaryJSON(s *probe.Summary) ([]byte, error) {
	type server struct {
		Name      string `json:"name"`
		Version   string `json:"version"`
		Revision  string `json:"protocol_version"`
		Transport string `json:"transport"`
	}
	out := struct {
		Counts
		Servers   []server         `json:"servers"`
		NotCalled []probe.Uncalled `json:"notCalled,omitempty"`
		Seed      uint64           `json:"seed"`
		Sent      int              `json:"sent"`
		Millis    float64          `json:"ms"`
		Stopped   string           `json:"stopped,omitempty"`
	}{Counts: CountOf(s.Reports), Servers: []server{}, NotCalled: Uncalled(s.Servers), Seed: s.Seed, Sent: s.Sent, Millis: milliseconds(s.Took)}
	for _, v := range s.Servers {
		out.Servers = append(out.Servers, server{v.Handshake.Server.Name, v.Handshake.Server.Version, string(v.Revision), v.Transport})
	}
	if s.Stopped != nil {
		out.Stopped = s.Stopped.Error()
	}
	return json.Marshal(map[string]any{"summary": out})
}

// EntryJSON is a probe of the catalog as JSON.
func EntryJSON(e *probe.Entry) ([]byte, error) { return json.Marshal(e) }

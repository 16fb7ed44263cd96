package appcheck

import (
	_ "embed"
	"time"

	"mcptea/internal/catalog"
	"mcptea/internal/words/phrase"
)

// Entry is one check.
type Entry struct {
	ID   string `json:"id"`   // id, such as A-01
	Slug string `json:"slug"` // name
	Pass string `json:"pass"` // what a correct app does
	Fix  string `json:"fix"`  // advice for fixing a failure
}

//go:embed checks.jsonl
var checks []byte

var catalogue = catalog.Lazy[Entry](checks)

// Catalogue lists the checks. The caller must not change it.
func Catalogue() []Entry { return catalogue() }

// Verdict is the outcome of a check.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Pass    Verdict = "pass"
	Skipped Verdict = "skipped"
	Warn    Verdict = "warning"
	Fail    Verdict = "fail"
)

// Result is the outcome of one check. Texts may have words of the app, which are untrusted.
type Result struct {
	Entry
	Verdict  Verdict   `json:"verdict"`            // pass, warning, fail or skipped
	Findings []Finding `json:"findings,omitempty"` // findings; absent if the check passed
	Skip     string    `json:"skip,omitempty"`     // why it was skipped
}

// Finding is something that an app does.
type Finding struct {
	Severity string `json:"severity"`           // error or warning
	Message  string `json:"message"`            // a sentence
	Evidence string `json:"evidence,omitempty"` // message of the app or the browser, cut
	Frame    int    `json:"frame,omitempty"`    // number of the frame in the recording, from 1
}

// Report is the outcome of all checks.
type Report struct {
	Tool          string
	Resource      string // URI of the document
	Name, Version string // name and version of the app, or "" if it was not initialized
	Took          time.Duration
	Results       []Result // results in the order of the catalog
	Screenshot    []byte   // PNG, or nil
	Refused       []string // tools that the app has called, and that are not read-only
}

// The bounds of the findings of a check, which have words of the app.
const (
	maxFindings = 20
	maxMessage  = 300 // bytes
	maxEvidence = 500 // bytes
)

// skip records why the remaining checks are skipped.
func (r *Result) skip(why string) {
	if r.Verdict != Fail {
		r.Verdict, r.Skip = Skipped, why
	}
}

// add adds a finding, each message once.
func (r *Result) add(severity, message, evidence string, frame int) {
	message = phrase.Clip(message, maxMessage)
	for _, f := range r.Findings {
		if f.Message == message {
			return
		}
	}
	if severity == "error" {
		r.Verdict = Fail
	} else if r.Verdict != Fail {
		r.Verdict = Warn
	}
	if len(r.Findings) < maxFindings {
		r.Findings = append(r.Findings, Finding{severity, message, phrase.Clip(evidence, maxEvidence), frame})
	}
}

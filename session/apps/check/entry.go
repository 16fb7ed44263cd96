package check

import (
	"time"

	"mcptea/internal/words/phrase"
)

// Entry is one check.
type Entry struct {
	ID   string `json:"id"`   // such as A-01
	Slug string `json:"slug"` // name
	Pass string `json:"pass"` // what a correct app does
	Fix  string `json:"fix"`  // what to do when it fails
}

// The checks by their place in entries.
const (
	initialize = iota
	quiet
	visible
	changes
	results
	bare
	calls
	teardown
	sandbox
	windows
	count
)

// Catalogue lists the checks. The caller must not change it.
func Catalogue() []Entry { return entries[:] }

var entries = [count]Entry{
	{
		"A-01", "initialize", "sends ui/initialize first and once, with appInfo, appCapabilities and a known protocolVersion, and ui/notifications/initialized within 5 s",
		"Call connect() of the SDK when the document loads, or send ui/initialize and then ui/notifications/initialized.",
	},
	{
		"A-02", "quiet", "throws no exception, logs no error, stays inside its content security policy and loads what it needs while it shows the input and the result",
		"Declare the origins in _meta.ui.csp of the resource and check where they can be reached, or bundle what the document loads; handle the exception.",
	},
	{
		"A-03", "visible", "shows text or a picture, and reports a height that comes to rest",
		"Render something before the result is there; do not give html or body a height of 100vh with automatic resize.",
	},
	{
		"A-04", "host-changes", "survives another theme, width, display mode and locale, and does not scroll sideways",
		"Handle ui/notifications/host-context-changed, and use widths that adapt.",
	},
	{
		"A-05", "results", "throws no exception for a result with isError, for one without structuredContent, for tool-cancelled, and for an input without arguments",
		"Check that members of the result are there before they are used.",
	},
	{
		"A-06", "bare-host", "works with a host without capabilities that refuses links and calls, and calls nothing that is not declared",
		"Look at hostCapabilities before a request, and handle its error.",
	},
	{
		"A-07", "calls", "calls only tools whose visibility names app, with arguments that match the input schema, and reads only resources that the server has",
		"Add app to the visibility of the tool, or call another one.",
	},
	{
		"A-08", "teardown", "responds to ui/resource-teardown within 1 s, and sends nothing later",
		"Handle ui/resource-teardown; the SDK does it with onteardown.",
	},
	{
		"A-09", "sandbox", "does not navigate, open windows, download files, submit forms or reach the top window by itself",
		"Use ui/open-link and ui/download-file.",
	},
	{
		"A-10", "other-windows", "ignores messages that another window than its parent has sent",
		"Compare event.source with window.parent in the listener of messages; the SDK does it.",
	},
}

// Verdict is the outcome of a check.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Pass    Verdict = "pass"
	Skipped Verdict = "skipped"
	Warn    Verdict = "warn"
	Fail    Verdict = "fail"
)

// Result is the outcome of one check. Texts may have words of the app, which are untrusted.
type Result struct {
	Entry
	Verdict  Verdict   `json:"verdict"`            // pass, warn, fail or skipped
	Findings []Finding `json:"findings,omitempty"` // what was found; absent if it passed
	Skip     string    `json:"skip,omitempty"`     // why it was skipped
}

// Finding is something that an app does.
type Finding struct {
	Severity string `json:"severity"`           // error or warn
	Message  string `json:"message"`            // a sentence
	Evidence string `json:"evidence,omitempty"` // what the app or the browser has sent, cut
	Frame    int    `json:"frame,omitempty"`    // number of the frame in the recording, from 1
}

// Report is the outcome of all checks.
type Report struct {
	Tool          string
	Resource      string // URI of the document
	Name, Version string // of the app; empty if it was not initialized
	Took          time.Duration
	Results       []Result // in the order of the catalogue
	Screenshot    []byte   // PNG; nil without
	Refused       []string // tools that the app has called, and that are not read-only
}

// The bounds of the findings of a check, which have words of the app.
const (
	maxFindings = 20
	maxMessage  = 300 // bytes
	maxEvidence = 500 // bytes
)

// skip says why nothing more is checked.
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

package appcheck

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/offer/declared"
	"mcptea/session/apps/chromium"
)

// noise is an error that the browser reports.
type noise struct {
	kind    string // "exception", "console" or "network"
	message string
	text    string // text of the event, cut
}

// noiseOf reads an event of the browser. It returns nil if the event is not an error of the app. host is the
// origin of the host page.
func noiseOf(e chromium.Event, host string) *noise {
	var p struct {
		ExceptionDetails struct {
			Text, URL string
			Exception struct{ Description string }
		}
		Type string
		Args []struct {
			Value       json.RawMessage
			Description string
		}
		Entry struct{ Source, Level, Text, URL string }
	}
	if json.Unmarshal(e.Params, &p) != nil {
		return nil
	}
	switch e.Method {
	case "Runtime.exceptionThrown":
		text := p.ExceptionDetails.Text + " " + p.ExceptionDetails.Exception.Description
		first, _, _ := strings.Cut(text, "\n")
		return &noise{"exception", first, text}
	case "Runtime.consoleAPICalled":
		if p.Type != "error" && p.Type != "assert" {
			return nil
		}
		var words []string
		for _, a := range p.Args {
			text := a.Description
			if text == "" && json.Unmarshal(a.Value, &text) != nil {
				text = string(a.Value)
			}
			words = append(words, text)
		}
		first, _, _ := strings.Cut(strings.Join(words, " "), "\n")
		return &noise{"console", first, strings.Join(words, " ")}
	case "Log.entryAdded":
		if p.Entry.Level != "error" || p.Entry.URL != "" && strings.HasPrefix(p.Entry.URL, host) {
			return nil
		}
		if strings.Contains(p.Entry.Text, "Content Security Policy") {
			return nil // the report of the policy has more details
		}
		return &noise{"network", strings.TrimSpace(p.Entry.Text + " " + p.Entry.URL), p.Entry.Text}
	}
	return nil
}

// judgePolicy reports what the policy has blocked since the app was opened.
func (x *opening) judgePolicy(j *Result, when string) {
	st := x.s.Store()
	conn := x.app.State().Conn
	for i := x.firstRow; i < int32(st.Snapshot().Rows); i++ {
		row, _ := st.Row(i)
		if !row.App || row.Conn != conn || !row.IsEvent() {
			continue
		}
		b, err := st.Body(i)
		v, ok := declared.OfViolation(b)
		if err != nil || !ok || v.IsEval() {
			continue
		}
		why := ""
		if v.URI == "wasm-eval" || strings.HasPrefix(v.URI, "blob") {
			why = " No declaration permits it, but some hosts do, and so does --policy loose."
		}
		j.add("error", fmt.Sprintf("The policy has blocked %s (%s) %s.%s", v.URI, v.Directive, when, why), string(b), int(i)+1)
	}
}

// judgeNoise reports the browser's messages about the app. when describes the time.
func (x *opening) judgeNoise(j *Result, when string) {
	x.judgePolicy(j, when)
	x.judgeEvents(j, when, false)
}

// judgeExceptions is like judgeNoise, but only for exceptions.
func (x *opening) judgeExceptions(j *Result, when string) { x.judgeEvents(j, when, true) }

// judgeEvents reports errors, and a script that does not end.
func (x *opening) judgeEvents(j *Result, when string, exceptionsOnly bool) {
	j.hangs(x.b.Evaluate(x.ctx, "/app", "0", nil), when) // then all earlier events of the app have arrived
	url := x.app.URL()
	host := url[:strings.LastIndex(url, "/a/")]
	if x.b.Lost() {
		j.add("warning", "The browser has reported too much: later errors are not found.", "", 0)
	}
	severity, why := "error", ""
	if refused := x.app.State().Refused; len(refused) > 0 {
		severity, why = "warning", " (after the check had refused a call of "+phrase.Clip(strings.Join(refused, ", "), 100)+")"
	}
	for _, e := range x.b.Events()[x.from:] {
		n := noiseOf(e, host)
		switch {
		case n == nil || exceptionsOnly && n.kind != "exception":
		case n.kind == "exception":
			j.add(severity, fmt.Sprintf("Uncaught exception %s%s: %s", when, why, n.message), n.text, 0)
		case n.kind == "console":
			j.add(severity, fmt.Sprintf("Error in the console %s%s: %s", when, why, n.message), n.text, 0)
		case n.kind == "network":
			j.add("error", "A request has failed: "+n.message, n.text, 0)
		}
	}
}

// judgeSandbox reports what the sandbox has blocked.
func (x *opening) judgeSandbox() {
	j := x.judge("sandbox")
	// The sandbox permits its frame, the app, no other page.
	ownFrame := "frame-src http://127.0.0.1:" + x.app.State().Ports[1]
	for _, e := range x.b.Events() {
		text := string(e.Params)
		switch {
		case e.Method == "Page.downloadWillBegin" || e.Method == "Browser.downloadWillBegin":
			j.add("error", "The app has started a download.", text, 0)
		case e.Method == "Page.javascriptDialogOpening":
			j.add("error", "The app has opened a dialog.", text, 0)
		case e.Method != "Log.entryAdded":
		case strings.Contains(text, "sandboxed") && strings.Contains(text, "Blocked"):
			j.add("error", "The sandbox has blocked something: "+logText(e), text, 0)
		case strings.Contains(text, ownFrame), strings.Contains(text, "form-action"), strings.Contains(text, "Unsafe attempt to initiate navigation"):
			j.add("error", "The app tries to navigate: "+logText(e), text, 0)
		}
	}
}

func logText(e chromium.Event) string {
	var p struct{ Entry struct{ Text string } }
	_ = json.Unmarshal(e.Params, &p)
	return p.Entry.Text
}

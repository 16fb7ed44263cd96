package export

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record"
)

// The style and the script of the page. The page loads nothing: its policy allows only these two,
// identified by their hashes.
var (
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
)

// pageFrame is a frame in the data of the page.
type pageFrame struct {
	Number   int32         `json:"n"`
	Time     string        `json:"time"`
	Dir      string        `json:"dir,omitempty"`
	Label    string        `json:"label"`
	Method   string        `json:"method,omitempty"`
	Took     string        `json:"took,omitempty"`
	Request  int32         `json:"request,omitempty"`
	Failed   bool          `json:"failed,omitempty"`
	JSON     bool          `json:"json,omitempty"`
	Findings []pageFinding `json:"findings,omitempty"`
	Headers  [][2]string   `json:"headers,omitempty"` // headers of a delivery
	Body     string        `json:"body"`
	Change   string        `json:"change,omitempty"` // change of the frame by a breakpoint or a fault
	Received *string       `json:"received,omitempty"`
	Sent     []string      `json:"sent,omitempty"` // frames that were sent instead
}

type pageFinding struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
	Fault    string `json:"fault"`
}

// writeHTML writes a page that needs no other files. The texts of the session are in its data, as
// JSON. Its script displays them as text nodes.
func (s *session) writeHTML() error {
	sum, err := s.summarize()
	if err != nil {
		return err
	}
	if err := s.collectChanges(); err != nil {
		return err
	}
	found := map[int32][]pageFinding{}
	for _, f := range sum.Findings {
		found[f.Row+1] = append(found[f.Row+1], findingOnPage(f))
	}
	s.htmlHead(sum)
	s.print(`<script type="application/json" id="data">{"frames":[`)
	first := true
	for e, err := range s.matched() {
		if err != nil {
			return err
		}
		if e.Number == 0 {
			continue
		}
		f := frameOnPage(&e)
		f.Findings = found[e.Number]
		f.addOtherSide(s.changeOf(&e.Event))
		b, err := json.Marshal(f) // escapes <, > and &
		if err != nil {
			return err
		}
		if !first {
			s.print(",\n")
		}
		first = false
		if _, err := s.out.Write(b); err != nil {
			return err
		}
	}
	s.print("]}</script>\n<script>", pageScript, "</script>\n</body>\n</html>\n")
	return nil
}

func frameOnPage(e *matched) pageFrame {
	f := pageFrame{Number: e.Number, Time: e.Time.UTC().Format("15:04:05.000")}
	if e.Kind != record.KindFrame {
		f.Label = rowText(&e.Event)
		f.Body = f.Label
		f.Failed = e.Kind == record.KindHTTP
		if e.Kind == record.KindDelivery {
			f.delivery(e)
		}
		return f
	}
	m := *e.Message
	if m.Took > 0 { // the time has a separate column
		f.Took = phrase.Duration(m.Took.Round(100 * time.Microsecond))
		m.Took = 0
	}
	f.JSON = m.Kind != jsonrpc.Invalid
	f.Dir, f.Label, f.Method, f.Failed = m.Dir.String(), m.Label(), m.Method, m.Failed || !f.JSON
	if e.App {
		f.Label = "app  " + f.Label
	}
	if m.Request != m.Row {
		f.Request = m.Request + 1
	}
	if by := callerOf(e); by != "" {
		f.Label += "  [" + by + "]"
	}
	f.Body = pageText(e.Frame.Bytes)
	return f
}

// delivery adds a POST to a callback.
func (f *pageFrame) delivery(e *matched) {
	f.Dir, f.Method, f.Failed = transport.In.String(), e.Delivery.Name([]byte(e.Text)), e.Delivery.IsRefused()
	f.Headers, f.Request = e.Delivery.Fields(), e.Subscription
	f.JSON, f.Body = jsonrpc.Valid([]byte(e.Text)), pageText([]byte(e.Text))
}

// addOtherSide adds the other version of a frame, if there is one.
func (f *pageFrame) addOtherSide(c *record.Change) {
	if c == nil {
		return
	}
	f.Change = c.Text()
	f.Label += "  [" + c.Mark() + "]"
	f.Received, f.Sent = sidesOf(c, pageText)
}

func pageText(frame []byte) string {
	if !utf8.Valid(frame) {
		return visible(string(frame))
	}
	return string(frame)
}

func findingOnPage(f lint.Finding) pageFinding {
	return pageFinding{Severity: f.Severity.String(), Rule: f.Rule.ID, Path: f.Path, Message: f.Message, Fault: f.Fault.String()}
}

func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// htmlHead writes the part of the page above the frames.
func (s *session) htmlHead(sum *summary) {
	name := sum.name()
	s.printf(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>Session with %s</h1>
<dl class="facts">
`, policyHash(pageStyle), policyHash(pageScript), htmlText("Session with "+name), pageStyle, htmlText(name))
	fact := func(name, value string) {
		if value != "" {
			s.printf("<dt>%s</dt><dd>%s</dd>\n", name, htmlText(value))
		}
	}
	s.eachFact(sum, sum.Connection.Transport, fact)
	fact("Started", sum.Started.UTC().Format(time.RFC3339)+" for "+phrase.Duration(sum.Lasted))
	sum.end(fact)
	fact("Closed", strings.Join(sum.Closed, "; "))
	s.print("</dl>\n</header>\n<main>\n")
	if len(sum.Findings) > 0 {
		s.print("<h2>Findings</h2>\n<table>\n<tr><th>severity</th><th>rule</th><th>frame</th><th>finding</th></tr>\n")
		for _, f := range sum.Findings {
			place := ""
			if f.Row >= 0 {
				place = fmt.Sprintf(`<button type="button" data-frame="%d">%d</button>`, f.Row+1, f.Row+1)
			}
			s.printf("<tr><td class=\"%s\">%s</td><td>%s %s</td><td>%s</td><td>%s (%s)</td></tr>\n",
				f.Severity, f.Severity, f.Rule.ID, htmlText(f.Rule.Slug), place, htmlText(f.Message), f.Fault)
		}
		s.print("</table>\n")
		if sum.More > 0 {
			s.printf("<p>%d more.</p>\n", sum.More)
		}
	}
	if len(sum.Steps) > 0 {
		s.print("<details><summary><b>Connecting</b></summary>\n<table>\n")
		for _, st := range sum.Steps {
			s.printf("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", htmlText(st.Name), htmlText(st.State), phrase.Duration(st.Took), htmlText(st.Detail))
		}
		s.print("</table>\n</details>\n")
	}
	if len(sum.Stderr) > 0 {
		s.printf("<details><summary><b>Standard error</b> (%d of %d lines)</summary>\n<pre>%s</pre>\n</details>\n", len(sum.Stderr), sum.StderrTotal, htmlText(strings.Join(sum.Stderr, "\n")))
	}
	s.print(`<h2>Frames</h2>
<div class="bar"><input type="search" id="filter" placeholder="filter: words, -word, method:tools/*, dir:in, status:error" aria-label="filter" autofocus>
<button type="button" id="unfold">open or close all</button><span class="count" id="count"></span></div>
<div id="frames"></div>
</main>
`)
}

// htmlText escapes a text for an element or an attribute.
func htmlText(text string) string { return html.EscapeString(visible(text)) }

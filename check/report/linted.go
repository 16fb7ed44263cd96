package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/lint/contract"
)

// A Linted holds the findings of the rules and of the user's expectations for one file.
type Linted struct {
	File string // name as given on the command line, "-" for stdin
	// Expected lists the kinds of findings that the user's expectations can lead to.
	Expected []*lint.Entry
	// Findings is in the order of the file. The row of a finding is a line number.
	Findings []lint.Finding
	More     int // number of findings that are missing in Findings
	Unjudged []contract.Unjudged
}

// name returns the name of the file in a report.
func (l *Linted) name() string {
	if l.File == "-" {
		return "stdin"
	}
	return l.File
}

// uri returns the address of the file. It is relative if the name is.
func (l *Linted) uri() string {
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(l.name()))}
	if filepath.IsAbs(l.File) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}

// rules returns the rules listed in the report of the file: the expectations, and the rules with findings.
func (l *Linted) rules() []*lint.Entry {
	rules := append([]*lint.Entry(nil), l.Expected...)
	has := map[string]bool{}
	for _, e := range rules {
		has[e.ID] = true
	}
	for i := range l.Findings {
		if e := l.Findings[i].Rule; !has[e.ID] {
			has[e.ID] = true
			rules = append(rules, e)
		}
	}
	return rules
}

// moreText returns a sentence about findings that are missing in the report.
func (l *Linted) moreText() string {
	return fmt.Sprintf("%s: %s more, which are not in this report", l.name(), phrase.Count(l.More, "finding"))
}

// lineOf describes the place of a finding.
func lineOf(f *lint.Finding) string {
	if f.Row <= 0 {
		return "end of the session"
	}
	return "line " + strconv.Itoa(int(f.Row))
}

// passedRules is the name of the case for the rules that have found nothing.
const passedRules = "MCP rules"

// LintJUnit writes a report with a suite for each file, and in it a case for each rule that
// has found something and for each kind of expectation. Findings that failed selects make it a
// failure.
func LintJUnit(w io.Writer, files []Linted, failed func(*lint.Finding) bool) error {
	suites := make([]Suite, 0, len(files))
	for i := range files {
		l := &files[i]
		suite := Suite{Name: l.name()}
		rules := l.rules()
		if len(rules) == len(l.Expected) {
			suite.Cases = append(suite.Cases, Case{Name: passedRules, Class: "mcptea.lint"})
		}
		for _, e := range rules {
			c := Case{Name: e.ID + " " + e.Slug, Class: "mcptea.lint." + string(e.Basis)}
			unjudged := slices.ContainsFunc(l.Unjudged, func(u contract.Unjudged) bool { return u.Kind.ID == e.ID })
			var messages, texts []string
			for k := range l.Findings {
				if f := &l.Findings[k]; f.Rule.ID == e.ID && failed(f) {
					messages, texts = append(messages, f.Message), append(texts, LintText(f, lineOf(f), Lines))
				}
			}
			if len(messages) > 0 {
				c.Failure = &Problem{Type: e.DefaultSeverity.String(), Message: messages[0], Text: strings.Join(texts, "\n")}
			}
			if c.Failure != nil || !unjudged {
				suite.Cases = append(suite.Cases, c)
			}
		}
		for _, u := range l.Unjudged {
			suite.Cases = append(suite.Cases, Case{
				Name: u.Kind.ID + " " + u.Subject, Class: "mcptea.lint." + string(u.Kind.Basis), Error: &Problem{Type: "not judged", Message: u.Text},
			})
		}
		suites = append(suites, suite)
	}
	return WriteJUnit(w, suites)
}

// LintSARIF writes a log of SARIF 2.1.0, with each finding at its line of its file. tool is
// the version of mcptea.
func LintSARIF(w io.Writer, files []Linted, tool string) error {
	log := newSARIF()
	for i := range files {
		l := &files[i]
		for _, e := range l.rules() {
			log.rule(sarifRule{
				ID: e.ID, Name: e.Slug, ShortDescription: sarifText{e.Slug}, FullDescription: sarifText{"Fires: " + e.Condition},
				HelpURI: SpecURL(e.Spec, ""), Help: sarifText{e.Fix},
				Properties: map[string]any{"tags": []string{"mcp", string(e.Basis), e.DefaultSeverity.String()}},
			})
		}
		for k := range l.Findings {
			f := &l.Findings[k]
			log.result(f.Rule.ID, f.Severity, place{uri: l.uri(), line: int(f.Row), name: f.Fault.String()}, sarifResult{
				Message:             sarifText{f.Message},
				PartialFingerprints: map[string]string{"mcptea/v1": lintFingerprint(f)},
				Properties:          map[string]any{"evidence": LintText(f, lineOf(f), Lines)},
			})
		}
		if l.More > 0 {
			log.notify(l.moreText(), "")
		}
		for _, u := range l.Unjudged {
			log.incomplete = true
			log.notify(l.name()+": "+u.Text, u.Kind.ID)
		}
	}
	return log.write(w, tool)
}

// lintFingerprint identifies a finding across recordings: by rule, place, severity and the number of earlier
// findings of the rule there, but not by its text or line.
func lintFingerprint(f *lint.Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule.ID, f.Where(), f.Severity.String(), strconv.Itoa(f.Times)}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

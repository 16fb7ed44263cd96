package use

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/internal/words/display"
	"mcptea/session/apps/appcheck"
	"mcptea/session/apps/chromium"
	"mcptea/session/session"
)

// AppLastLine is the last line that app --check prints with --json.
type AppLastLine struct {
	Summary AppSummary `json:"summary"` // summary of all checks
}

// AppSummary is about all checks of an app.
type AppSummary struct {
	Tool     string `json:"tool"`              // tool that was called
	Resource string `json:"resource"`          // URI of the document
	Name     string `json:"name,omitempty"`    // name of the app
	Version  string `json:"version,omitempty"` // version of the app

	Pass    int     `json:"pass"`    // checks
	Warn    int     `json:"warning"` // checks
	Fail    int     `json:"fail"`    // checks
	Skipped int     `json:"skipped"` // checks
	Seconds float64 `json:"seconds"` // duration of all checks

	Refused []string `json:"refused,omitempty"` // tools whose calls were refused: they are not annotated as read-only
}

// checkApp checks the app of a tool in a headless browser.
func (p *commands) checkApp(s *session.Session, tool string, object []byte, f *appFlags) error {
	path, err := chromium.Find()
	if err != nil {
		return app.FailedWith("", "--check requires a browser: %v", err)
	}
	p.Err.Status(p.Err.Faint("starting " + path))
	b, err := chromium.Start(p.Ctx, path)
	if err != nil {
		return app.Failed("%s", display.Sanitize(err.Error()))
	}
	defer b.Close()
	p.Err.Status(p.Err.Faint("checking the app of " + p.Err.Safe(tool)))
	r, err := appcheck.Run(p.Ctx, s, b, tool, object, appcheck.Options{Allowed: f.allow, Host: f.host, Loose: f.policy == "loose"})
	p.Err.Status("")
	if err != nil {
		return p.appError(s, err)
	}
	for _, one := range r.Results {
		if err := p.printAppResult(one); err != nil {
			return err
		}
	}
	return p.endAppCheck(r, f)
}

// printAppResult prints the result of one check.
func (p *commands) printAppResult(r appcheck.Result) error {
	if p.JSON {
		return p.PrintDocument(r)
	}
	style := map[appcheck.Verdict]func(string) string{appcheck.Pass: p.Out.Good, appcheck.Warn: p.Out.Warn, appcheck.Fail: p.Out.Bad, appcheck.Skipped: p.Out.Faint}[r.Verdict]
	err := p.Out.Line(style(fmt.Sprintf("%-7s", r.Verdict)) + " " + r.ID + " " + r.Slug)
	if r.Skip != "" {
		p.Out.Line("        " + p.Out.Faint(p.Out.Safe(r.Skip)))
	}
	for _, found := range r.Findings {
		where := ""
		if found.Frame > 0 {
			where = p.Out.Faint(fmt.Sprintf("  frame %d", found.Frame))
		}
		severity := ""
		if r.Verdict == appcheck.Fail && found.Severity == string(appcheck.Warn) {
			severity = p.Out.Faint("warning  ")
		}
		p.Out.Line("        " + severity + p.Out.Safe(found.Message) + where)
	}
	if len(r.Findings) > 0 {
		p.Out.Beside("        "+p.Out.Faint("fix  "), r.Fix, p.Readable())
	}
	return err
}

// endAppCheck prints the summary, writes the files, and returns the error with the exit code.
func (p *commands) endAppCheck(r *appcheck.Report, f *appFlags) error {
	sum := AppSummary{Tool: r.Tool, Resource: r.Resource, Name: r.Name, Version: r.Version, Seconds: r.Took.Seconds(), Refused: r.Refused}
	for _, one := range r.Results {
		switch one.Verdict {
		case appcheck.Pass:
			sum.Pass++
		case appcheck.Warn:
			sum.Warn++
		case appcheck.Fail:
			sum.Fail++
		case appcheck.Skipped:
			sum.Skipped++
		}
	}
	if p.JSON {
		if err := p.PrintDocument(AppLastLine{sum}); err != nil {
			return err
		}
	} else {
		p.Out.Line("")
		p.Out.Line(p.Out.Strong(p.Out.Safe(cmp.Or(strings.TrimSpace(r.Name+" "+r.Version), "the app")+" of "+r.Tool)) +
			fmt.Sprintf("  %d passed, %d warned, %d failed, %d skipped in %.1f s", sum.Pass, sum.Warn, sum.Fail, sum.Skipped, sum.Seconds))
		if len(sum.Refused) > 0 {
			p.Out.Beside(p.Out.Faint("not called  "), p.Out.Safe(strings.Join(sum.Refused, ", "))+": not annotated as read-only; --allow permits it", p.Readable())
		}
	}
	err := p.WriteReport(f.junit, func(w io.Writer) error { return report.WriteJUnit(w, []report.Suite{appSuite(r)}) })
	switch {
	case err != nil:
	case f.picture.Wanted() && r.Screenshot == nil:
		err = app.Failed("--output: the browser took no screenshot of the app")
	default:
		err = p.WriteReport(f.picture, func(w io.Writer) error {
			_, err := w.Write(r.Screenshot)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case sum.Fail > 0 || f.failOn == "warning" && sum.Warn > 0:
		return app.Silent(app.ExitError)
	}
	return nil
}

// appSuite returns the report for JUnit.
func appSuite(r *appcheck.Report) report.Suite {
	s := report.Suite{Name: "mcptea app " + r.Tool, Took: r.Took}
	for _, one := range r.Results {
		c := report.Case{Name: one.ID + " " + one.Slug, Class: "app." + r.Tool, Took: time.Duration(0)}
		var lines []string
		for _, found := range one.Findings {
			lines = append(lines, found.Severity+": "+found.Message, found.Evidence)
		}
		switch one.Verdict {
		case appcheck.Fail:
			first := slices.IndexFunc(one.Findings, func(f appcheck.Finding) bool { return f.Severity == "error" })
			c.Failure = &report.Problem{Message: one.Findings[max(first, 0)].Message, Type: one.Slug, Text: strings.Join(lines, "\n")}
		case appcheck.Skipped:
			c.Skipped = &report.Problem{Message: one.Skip}
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

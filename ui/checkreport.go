package ui

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/probe/checker"
	"mcptea/session/report"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// reportFormat is a format of the report of a check.
type reportFormat struct {
	name, title, file string
	write             func(w io.Writer, s *probe.Summary, version string) error
}

var reportFormats = []reportFormat{
	{"Markdown", "a table of the groups, and what was found", "check.md", func(w io.Writer, s *probe.Summary, _ string) error {
		return report.Markdown(w, s, probe.Groups())
	}},
	{"SARIF", "for code scanning, such as that of GitHub", "check.sarif", func(w io.Writer, s *probe.Summary, version string) error {
		return report.SARIF(w, s, "README.md", version)
	}},
	{"JUnit", "for the test reports of CI", "check-junit.xml", func(w io.Writer, s *probe.Summary, _ string) error {
		return report.JUnit(w, s, func(f probe.Finding) bool { return f.Severity == lint.Error && !f.Accepted })
	}},
	{"JSON", "a line for each probe, as mcptea check --json", "check.jsonl", writeReportJSON},
}

func writeReportJSON(w io.Writer, s *probe.Summary, _ string) error {
	for i := range s.Reports {
		line, err := report.JSON(&s.Reports[i])
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
			return err
		}
	}
	line, err := report.SummaryJSON(s)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", line)
	}
	return err
}

// reportWindow asks for the format and the file of the report of a check.
type reportWindow struct {
	checker *checker.Checker
	version string
	format  int
	path    input.Input
	typed   bool   // the user has changed the path
	replace string // path of a file that the user accepts to replace
	problem string
	at      [2]int
}

var _ worker = (*reportWindow)(nil)

func newReportWindow(c *checker.Checker, version string) *reportWindow {
	o := &reportWindow{checker: c, version: version}
	o.path.SetValue(reportFormats[0].file)
	return o
}

func (o *reportWindow) size(w, _ int) (int, int)    { return min(w-4, 76), len(reportFormats) + 7 }
func (o *reportWindow) scroll(int)                  {}
func (o *reportWindow) close()                      {}
func (o *reportWindow) refresh(time.Time, int) bool { return false }
func (o *reportWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }

func (o *reportWindow) paste(text string) {
	o.path.Insert(text)
	o.typed = true
}

func (o *reportWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	if c, _ := command.Lookup(command.Dialog, k.String()); c.ID == command.Dismiss {
		return nil, true
	}
	before := o.path.Version()
	if o.path.Key(k); o.path.Version() != before {
		o.typed, o.problem, o.replace = true, "", ""
	}
	return nil, false
}

// do implements [worker].
func (o *reportWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	if c.Context != command.Dialog {
		return nil, false
	}
	switch c.ID {
	case command.Accept:
		return o.save(), true
	case command.Up, command.Down:
		by, _ := command.Steps(c.ID, 1, 1, 1)
		o.format = (o.format + by + len(reportFormats)) % len(reportFormats)
		o.problem, o.replace = "", ""
		if !o.typed {
			o.path.SetValue(reportFormats[o.format].file)
		}
		return nil, true
	}
	return nil, false
}

func (o *reportWindow) save() action.Action {
	path := strings.TrimSpace(o.path.Value())
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	info, err := os.Stat(path)
	switch {
	case path == "":
		o.problem = "Type the path of a file."
	case err == nil && info.IsDir():
		o.problem = "This is a directory. Type the path of a file in it."
	case err == nil && o.replace != path:
		o.problem, o.replace = "This file exists. "+command.KeyIn(command.Dialog, command.Accept, true)+" replaces it.", path
	default:
		return action.SaveReport{Path: path}
	}
	return nil
}

func (o *reportWindow) paint(p *paint.Palette, w, h int) []string {
	s := paint.NewSheet(p, w-2, h-2)
	for i, f := range reportFormats {
		s.Line(func(r *paint.Row) {
			mark, name := " ", p.Text
			if i == o.format {
				mark, name = p.Bar, p.Strong
			}
			r.Put(p.Accent, mark+" ")
			r.Cell(name, f.name, 10)
			r.Put(p.Muted, f.title)
		})
	}
	s.Blank()
	s.Line(func(r *paint.Row) {
		r.Put(p.Muted, "file  ")
		x := r.Used()
		text, cursor := o.path.Visible(r.Left() - 2)
		o.at = [2]int{x + 1 + cursor, 1 + len(s.Rows)}
		r.Put(p.Text.On(p.Field), text)
		r.GapOn(p.Field, r.Left()-1)
	})
	if o.problem != "" {
		s.Text(p.Warn, o.problem, 1)
	} else {
		s.Blank()
	}
	s.Hints(1, paint.Hint{Key: command.KeyIn(command.Dialog, command.Up, true) + command.KeyIn(command.Dialog, command.Down, true), Label: "format"},
		paint.Hint{Key: command.KeyIn(command.Dialog, command.Accept, true), Label: "write"}, paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "cancel"})
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Report of the check"}}, nil, s.Rows)
}

// reportedMsg reports what became of a report.
type reportedMsg struct {
	window *reportWindow
	path   string
	format string
	err    error
}

// saveReport writes the report that the window describes.
func (m *model) saveReport(a action.SaveReport) tea.Cmd {
	o, ok := m.overlay.(*reportWindow)
	if !ok {
		return nil
	}
	f, st, version, write := reportFormats[o.format], o.checker.State(), o.version, m.writeFile
	return func() tea.Msg {
		err := write(a.Path, func(w io.Writer) error { return f.write(w, st.Summary(), version) })
		return reportedMsg{o, a.Path, f.name, err}
	}
}

// reportSaved announces what became of a report. After an error the window stays.
func (m *model) reportSaved(msg reportedMsg) {
	open := m.overlay == overlay(msg.window)
	switch {
	case msg.err != nil && open:
		msg.window.problem = "Cannot write the report: " + reason(msg.err)
	case msg.err != nil:
		m.say(action.Flash{Text: "Cannot write the report: " + reason(msg.err), Wrong: true})
	default:
		if open {
			m.overlay = nil
		}
		m.say(action.Flash{Text: fmt.Sprintf("Wrote %s (%s).", msg.path, msg.format), Stay: true})
	}
}

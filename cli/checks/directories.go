package checks

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/system"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/ui/paint"
)

// everyDirectory selects all directories in --directory.
const everyDirectory = "all"

// readDirectories checks the values of --directory, and replaces "all" by their names.
func (f *checkFlags) readDirectories(ctx context.Context, env app.Env) error {
	for _, name := range f.directories {
		switch {
		case name == everyDirectory:
			f.directories = directory.Names
		case !slices.Contains(directory.Names, name):
			return app.Usage("Use "+strings.Join(directory.Names, ", ")+" or "+everyDirectory+".", "--directory: unknown directory %q", name)
		}
	}
	switch {
	case f.isAlone() && len(f.allow)+len(f.Fuzz) > 0:
		return app.Usage("Add --only '*' for the whole check.", "--directory alone calls no tool, so --allow and --fuzz have no effect with it")
	case f.directoryToken != "" && !slices.Contains(f.directories, "openai"):
		return app.Usage("Add --directory openai.", "--directory-token requires a directory that has such a token")
	case f.submission.Wanted() && f.needsNoServer():
		return app.Usage("Add --directory openai, and name a server.", "--write-submission requires a server")
	}
	if f.alone = f.isAlone(); f.alone {
		f.Only = []string{directory.Probes}
	}
	var err error
	f.directoryToken, err = app.SecretFrom(ctx, env, "directory-token", f.directoryToken)
	return err
}

// isAlone reports whether only the requirements of directories are checked: the check sends only the lists, and
// the frames of probes whose outcome is required.
func (f *checkFlags) isAlone() bool { return len(f.directories) > 0 && len(f.Only) == 0 }

// needsNoServer reports that only a file is judged.
func (f *checkFlags) needsNoServer() bool {
	return len(f.directories) == 1 && f.directories[0] == "registry"
}

// maxServerJSON bounds a server.json, in bytes.
const maxServerJSON = 4 << 20

// serverJSON reads the server.json that the first argument names, as FILE or FILE#NAME, or nil.
func serverJSON(args []string) ([]byte, error) {
	if len(args) == 0 {
		return nil, nil
	}
	path := serverJSONPath(args[0])
	if filepath.Ext(path) != ".json" {
		return nil, nil
	}
	text, err := system.ReadText(path, maxServerJSON)
	if err != nil {
		return nil, app.Usage("", "--directory: cannot read %s: %v", path, err)
	}
	return text, nil
}

// serverJSONPath returns the path in FILE or FILE#NAME.
func serverJSONPath(arg string) string {
	if i := strings.LastIndexByte(arg, '#'); i >= 0 {
		return arg[:i]
	}
	return arg
}

// checkFile judges only a server.json: nothing is started or connected to.
func (p *printer) checkFile(args []string, f *checkFlags) error {
	file, err := serverJSON(args)
	if err != nil {
		return err
	}
	if file == nil {
		return app.Usage("Write it as mcptea check --directory registry ./server.json#npm.", "--directory registry requires a server.json as the target")
	}
	summary := &probe.Summary{Reports: directory.Judge(directory.Subject{File: file}, f.directories)}
	if p.JSON {
		for i := range summary.Reports {
			if err := p.PrintDocument(report.LineOf(&summary.Reports[i])); err != nil {
				return err
			}
		}
		if err := p.PrintDocument(report.LastLineOf(summary)); err != nil {
			return err
		}
	} else {
		p.printDirectories(summary.Reports, f)
		p.Out.Line("")
		p.Out.Prose(p.requirementCounts(summary.Reports))
	}
	if err := p.writeReports(filepath.ToSlash(serverJSONPath(args[0])), summary, f); err != nil {
		return err
	}
	return p.checkOutcome(summary, f)
}

// judgeDirectories adds the requirements of --directory to a summary.
func (p *printer) judgeDirectories(s *probe.Summary, t client.Target, args []string, f *checkFlags) error {
	if len(f.directories) == 0 || len(s.Servers) == 0 {
		return nil
	}
	subject := directory.Subject{Server: s.Servers[0], Reports: s.Reports, URL: t.URL}
	if slices.Contains(f.directories, "registry") {
		var err error
		if subject.File, err = serverJSON(args); err != nil {
			return err
		}
	}
	if f.directoryToken != "" && t.URL != "" {
		subject.Challenge = directory.FetchChallenge(p.Ctx, t, f.directoryToken)
	}
	for _, r := range directory.Judge(subject, f.directories) {
		r.Revision, r.Transport = string(s.Servers[0].Revision), s.Servers[0].Transport
		s.Reports = append(s.Reports, r)
	}
	return nil
}

// writeSubmission writes the file of --write-submission.
func (p *printer) writeSubmission(s *probe.Summary, f *checkFlags) error {
	if len(s.Servers) == 0 {
		return nil
	}
	return p.WriteReport(f.submission, func(w io.Writer) error { return directory.WriteSubmission(w, s.Servers[0]) })
}

// isDirectory reports the requirement of a directory among the probes.
func isDirectory(r probe.Report) bool { return r.Entry.Group == directory.Group }

// requirements returns the reports of directory requirements.
func requirements(s *probe.Summary) []probe.Report {
	return slices.DeleteFunc(slices.Clone(s.Reports), func(r probe.Report) bool { return !isDirectory(r) })
}

// printDirectories prints the requirements of directories in three parts: failed ones, ones that cannot be
// checked from here, and ones to check by hand.
func (p *printer) printDirectories(reports []probe.Report, f *checkFlags) {
	if len(f.directories) == 0 {
		return
	}
	p.heading("directories: "+strings.Join(f.directories, ", "), "as of "+directory.Date(f.directories))
	var found []report.Entry
	sentences := map[string][]string{} // sentences by part
	for i := range reports {
		r := &reports[i]
		for j := range r.Findings {
			if f.verbose || r.Findings[j].Severity != lint.Info {
				found = append(found, report.Entry{Report: r, Finding: r.Findings[j]})
			}
		}
		switch part := directory.PartOf(r); part {
		case directory.ByHand:
			sentences[part] = append(sentences[part], r.Skip+".")
		case directory.Unseen:
			sentences[part] = append(sentences[part], r.Entry.Pass+": "+r.Why()+".")
		case directory.Outside:
			if f.verbose {
				p.paragraph("– ", r.Entry.Pass+": "+r.Why()+".")
			}
		}
	}
	if !f.alone {
		p.Out.Prose(p.requirementCounts(reports))
	}
	if len(found) > 0 {
		p.section(directory.NotReady, found, f)
	}
	p.list(directory.Unseen, sentences[directory.Unseen])
	p.list(directory.ByHand, sentences[directory.ByHand])
	p.Out.Line("")
	p.Out.Prose(p.Out.Faint("Directories may change their requirements, and have the final say."))
}

// requirementCounts returns how many requirements are met, not ready, and so on, in the
// words of the parts of the report.
func (p *printer) requirementCounts(reports []probe.Report) string {
	n := map[string]int{}
	for i := range reports {
		n[directory.PartOf(&reports[i])]++
	}
	var parts []string
	add := func(part, words string, color func(string) string) {
		if n[part] > 0 {
			parts = append(parts, color(fmt.Sprintf("%d %s", n[part], words)))
		}
	}
	add(directory.NotReady, directory.NotReady, p.Out.Bad)
	add(directory.Unseen, directory.Unseen, p.Out.Warn)
	add(directory.Met, directory.Met, p.Out.Good)
	add(directory.ByHand, directory.ByHand, p.Out.Faint)
	add(directory.Outside, paint.If(n[directory.Outside] == 1, directory.Outside, "do not apply"), p.Out.Faint)
	return phrase.Count(len(reports), "requirement") + ": " + strings.Join(parts, ", ")
}

// list prints sentences below a heading, or nothing if there are no sentences.
func (p *printer) list(title string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	p.heading(title, fmt.Sprint(len(sentences)))
	for _, text := range sentences {
		p.paragraph("· ", text)
	}
}

// paragraph prints a text after a mark, wrapped.
func (p *printer) paragraph(mark, text string) {
	for i, line := range display.WrapWords(p.Out.Safe(text), p.Readable()-display.Width(mark)) {
		if i > 0 {
			mark = strings.Repeat(" ", display.Width(mark))
		}
		p.Out.Line(p.Out.Faint(mark) + line)
	}
}

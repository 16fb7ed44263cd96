package recordings

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/record/store"
	"mcptea/session/export"
)

// exportFlags are the flags of mcptea export.
type exportFlags struct {
	format, output string
	filter, frames string
	marked         bool
	dir            string
	redact         []string
	noRedact       bool
	payloads       bool
	serverFindings bool
}

// exportCommand is mcptea export.
type exportCommand struct{ *settings.Settings }

func (p *exportCommand) command() *cobra.Command {
	var f exportFlags
	var table strings.Builder
	var names []string
	for _, format := range append(export.Formats(), export.Format{Name: otlpName, Title: otlpTitle}) {
		fmt.Fprintf(&table, "  %-11s %s\n", format.Name, format.Title)
		names = append(names, format.Name+"\t"+format.Title)
	}
	cmd := &cobra.Command{
		Use:   "export FILE --to FORMAT",
		Short: "Write a recording in another format: HTML, HAR, curl, a script, …",
		Long: `Write a recording, or some of its frames, in another format. "-" reads stdin.

Formats:
` + table.String() + `
Secrets are redacted in every format: values of secret names, known forms of tokens, and matches of --redact. --no-redact writes the recording unchanged.

otlp writes nothing: it sends spans to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, by default http://localhost:4318.

The inspector shows the numbers of the frames.`,
		Example: `  mcptea export session.mcptea.jsonl --to html --output session.html
  mcptea export session.mcptea.jsonl --to markdown --filter method:tools/call
  mcptea export session.mcptea.jsonl --to issue --output issue.md
  mcptea export session.mcptea.jsonl --to curl --frames 12
  mcptea export session.mcptea.jsonl --to raw --dir in | sha256sum
  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 mcptea export session.mcptea.jsonl --to otlp`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: target.CompleteFiles("jsonl"),
		RunE: p.RunE(func(_ *cobra.Command, args []string) error { return p.export(args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.format, "to", "", "`FORMAT` to write")
		fs.StringVarP(&f.output, "output", "o", "", "write to this `FILE` instead of stdout")
		fs.StringVar(&f.filter, "filter", "", "write only the frames that match this `FILTER`, in the language of the inspector")
		fs.BoolVar(&f.marked, "marked", false, "write only the frames with a mark or a note")
		fs.StringVar(&f.frames, "frames", "", "write only these frames: 3, 3-10, 3- or 3,7-9  `N-M`")
		fs.StringVar(&f.dir, "dir", "in", "`direction` for raw: in (from the server) or out (from the client)")
		fs.StringArrayVar(&f.redact, "redact", nil, "also redact matches of this `REGEX`; repeatable")
		fs.BoolVar(&f.noRedact, "no-redact", false, "do not redact secrets")
		fs.BoolVar(&f.serverFindings, "server-findings", false, "with --to issue: add the findings about the server")
		declarePayloads(fs, &f.payloads, "--to otlp")
	})
	app.Completes(cmd, "to", names...)
	app.Completes(cmd, "dir", "in", "out")
	_ = cmd.MarkFlagFilename("output")
	p.Flags.AddConfig(cmd)
	return cmd
}

// formatNames returns the names of the formats.
func formatNames() (names []string) {
	for _, format := range export.Formats() {
		names = append(names, format.Name)
	}
	return append(names, otlpName)
}

// formatAmong returns the format that one of two words names, and the other word; "" if none does.
func formatAmong(words []string) (format, file string) {
	if len(words) != 2 {
		return "", ""
	}
	for i, w := range words {
		if slices.Contains(formatNames(), strings.TrimPrefix(strings.ToLower(w), ".")) {
			return strings.TrimPrefix(strings.ToLower(w), "."), words[1-i]
		}
	}
	return "", ""
}

// fileLine returns a command line of mcptea.
func fileLine(words ...string) string {
	line, err := shell.Bash.Join(shell.Literals(append([]string{"mcptea"}, words...)...))
	if err != nil {
		return "mcptea " + words[0] + " FILE"
	}
	return line
}

func (p *exportCommand) export(args []string, f exportFlags) error {
	if format, file := formatAmong(args); format != "" && f.format == "" {
		return app.Usage("Write: "+fileLine("export", file, "--to", format), "export takes the format as a flag, found the word %q", format)
	}
	if len(args) != 1 {
		return app.Usage("Run: mcptea export FILE --to FORMAT", "export requires one recording")
	}
	format, options, err := p.exportOptions(f)
	if err != nil {
		return err
	}
	src, path, cleanUp, err := p.RecordingSource(args[0])
	if err != nil {
		return err
	}
	defer cleanUp()
	if err = p.exportRows(path, format, f, &options); err != nil {
		return err
	}
	selected := countSelected(&options)
	remarks := &app.Notes{P: p.App}
	options.Report = remarks.Add
	if f.noRedact {
		p.Warning("secrets are not redacted (--no-redact)")
	}
	if f.format == otlpName {
		err = p.sendExport(src, options, f)
	} else {
		err = p.writeExport(path, f.output, func(w io.Writer) error { return export.Write(p.Ctx, w, format, src, options) })
	}
	remarks.End()
	if err == nil && f.format == "issue" {
		p.Note("to report a bug without your data, run mcptea reduce: it keeps only the frames that a finding needs, and invents the values")
	}
	if err == nil && selected.asked && !selected.any {
		p.Warning("no frame is selected: --frames, --filter and --marked exclude all frames of the recording")
	}
	return err
}

// selection records whether frames were selected.
type selection struct {
	asked, any bool // asked: a row was tested; any: a row passed
}

// countSelected watches the selection of an export.
func countSelected(o *export.Options) *selection {
	s := &selection{}
	if rows := o.Rows; rows != nil {
		o.Rows = func(row int32) bool {
			ok := rows(row)
			s.asked, s.any = true, s.any || ok
			return ok
		}
	}
	return s
}

func (p *exportCommand) exportOptions(f exportFlags) (export.Format, export.Options, error) {
	o := export.Options{Shell: shell.OfUser(), Tool: "mcptea " + p.Version.Version, ServerFindings: f.serverFindings}
	names := formatNames()
	format, ok := export.Lookup(f.format)
	switch {
	case f.format == otlpName && f.output != "":
		return format, o, app.Usage("Omit --output.", "--output: otlp writes no file, it sends to a collector")
	case f.format == otlpName:
	case f.payloads:
		return format, o, app.Usage("Omit --otlp-payloads.", "--otlp-payloads requires --to otlp")
	case f.serverFindings && f.format != "issue":
		return format, o, app.Usage("Omit --server-findings.", "--server-findings requires --to issue")
	case f.format == "":
		return format, o, app.Usage("The formats are "+strings.Join(names, ", ")+".", "export requires --to FORMAT")
	case !ok:
		return format, o, app.Usage(app.Suggest(f.format, names, "The formats are "+strings.Join(names, ", ")+"."), "--to: unknown format %q", f.format)
	case f.dir == "in":
		o.Dir = transport.In
	case f.dir != "out":
		return format, o, app.Usage("The directions are in (from the server) and out (from the client).", "--dir: unknown direction %q", f.dir)
	}
	var patterns []*regexp.Regexp
	for _, text := range f.redact {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return format, o, app.Usage("Use the syntax of Go's package regexp (RE2).", "--redact: %v", err)
		}
		patterns = append(patterns, pattern)
	}
	switch {
	case !f.noRedact:
		o.Redactor = export.NewRedactor(patterns...)
	case len(patterns) > 0:
		return format, o, app.Usage("Omit one of the flags.", "--redact and --no-redact exclude each other")
	}
	return format, o, nil
}

// exportRows applies the flags that select frames, and adds the user's marks and notes if the format contains
// them.
func (p *exportCommand) exportRows(path string, format export.Format, f exportFlags, o *export.Options) error {
	if f.frames != "" {
		ranges, err := export.Ranges(f.frames)
		if err != nil {
			return app.Usage("", "--frames: %v", err)
		}
		o.Rows = ranges
	}
	if f.filter == "" && !f.marked && (o.Rows == nil || !format.Requests) {
		if format.Marks {
			marks, err := store.MarksOf(p.Ctx, path)
			if err != nil {
				return app.Failed("%v", err)
			}
			o.Marks = marks
		}
		return nil
	}
	fl, err := p.ParseFilter("--filter", f.filter)
	if err != nil {
		return err
	}
	s, err := store.Open(path)
	if err != nil {
		return app.Failed("%v", err)
	}
	p.AtExit.Add(func() { _ = s.Close() })
	if err := s.Load(p.Ctx); err != nil {
		return app.Failed("%v", err)
	}
	also := func(passes func(int32) bool) {
		before := o.Rows
		o.Rows = func(row int32) bool { return passes(row) && (before == nil || before(row)) }
	}
	if f.filter != "" {
		also(export.Filtered(s, &fl))
	}
	if o.Marks = s.Marks(); f.marked {
		if len(o.Marks) == 0 {
			return app.Failed("no frame of %s has a mark or a note; the inspector sets them (mcptea open)", path)
		}
		also(export.Marked(o.Marks))
	}
	o.Rows = format.Extend(s, o.Rows)
	return nil
}

// writeExport calls write for stdout or for a file. The file gets its name only when
// it is complete.
func (p *exportCommand) writeExport(source, output string, write func(io.Writer) error) error {
	if output == "" || output == "-" {
		w := io.Writer(p.Out)
		if p.Out.Terminal {
			w = &sanitizer{out: p.Out}
		}
		return p.exported(write(w))
	}
	if a, err := os.Stat(output); err == nil {
		if b, err := os.Stat(source); err == nil && os.SameFile(a, b) {
			return app.Usage("Name another file.", "--output: %s is the recording itself", output)
		}
		if a.IsDir() {
			return app.Usage("Name a file in the directory.", "--output: %s is a directory", output)
		}
	}
	return p.exported(system.WriteFile(output, write))
}

func (p *exportCommand) exported(err error) error {
	switch {
	case p.Ctx.Err() != nil:
		return context.Cause(p.Ctx)
	case err != nil:
		return app.Failed("cannot export: %v", err)
	}
	return nil
}

// sanitizer writes lines of untrusted text to a terminal.
type sanitizer struct {
	out  *app.Screen
	line []byte
}

func (s *sanitizer) Write(b []byte) (int, error) {
	for _, ch := range b {
		if ch != '\n' {
			s.line = append(s.line, ch)
			continue
		}
		if err := s.out.Line(display.Sanitize(string(s.line))); err != nil {
			return 0, err
		}
		s.line = s.line[:0]
	}
	return len(b), nil
}

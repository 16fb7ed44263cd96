package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client/jsonrpc"
	"mcptea/internal/system"
	"mcptea/offer/jq"
)

// Output describes where --output sends the output of a command.
type Output struct {
	JSON, ASCII bool
	JQ          jqFlag
	Path        string // value of the flag, or ""
	temp        *os.File
	stdout      *Screen // original stdout while temp is set, for text that is not output of the command
}

// AddFile declares --output for a command that has no other flag with that name.
func (p *App) AddFile(cmd *cobra.Command) {
	if cmd.Flags().Lookup("output") != nil {
		return
	}
	Declare(cmd, GroupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&p.Output.Path, "output", "o", "", "write the output to this `FILE` instead of stdout; - is stdout")
	})
	_ = cmd.MarkFlagFilename("output")
}

// OpenOutput redirects the output of the command to the file of --output.
func (p *App) OpenOutput() error {
	o := &p.Output
	if o.Path == "" || o.Path == "-" {
		return nil
	}
	if slices.Contains([]string{"json", "yaml", "table", "text"}, o.Path) {
		return Usage("--json prints JSON. For a file of this name, write -o ./"+o.Path+".", "--output names a file, and %q is a format", o.Path)
	}
	if info, err := os.Stat(o.Path); err == nil && info.IsDir() {
		return Usage("Name a file in the directory.", "--output: %s is a directory", o.Path)
	}
	var temp *os.File
	var err error
	if system.IsStream(o.Path) {
		temp, err = os.OpenFile(o.Path, os.O_WRONLY, 0)
	} else if temp, err = system.TempFile(o.Path); err == nil { // mode 0600
		p.AtExit.Add(func() { _ = os.Remove(temp.Name()) }) // after a forced exit
	}
	if err != nil {
		return Usage("Name a file in a directory that exists and is writable.", "--output: %v", err)
	}
	o.temp = temp
	o.stdout, p.Out = p.Out, &Screen{Writer: temp}
	return nil
}

// CloseOutput renames the temporary file to the name given by --output. If the command failed before it printed
// anything, an older file stays.
func (p *App) CloseOutput() error {
	o := &p.Output
	if o.temp == nil {
		return nil
	}
	if o.temp.Name() == o.Path { // a pipe or a device
		return o.temp.Close()
	}
	defer func() { _ = os.Remove(o.temp.Name()) }() // fails once it has its name
	size, err := o.temp.Seek(0, io.SeekCurrent)
	if closed := o.temp.Close(); err == nil {
		err = closed
	}
	if err == nil && (p.Code == ExitOK || size > 0) && p.Out.Failure == nil {
		err = system.RenameFile(o.temp.Name(), o.Path)
	}
	return err
}

// jqFlag is the filter of --jq.
type jqFlag struct {
	Text    string
	query   *jq.Query
	filters *filters
}

// filters runs filters one after the other.
type filters struct {
	sync.Mutex
	jq.Engine
}

// Compile parses the filter, so that an error is reported before anything is sent.
func (j *jqFlag) Compile() error {
	if j.Text == "" {
		return nil
	}
	query, err := jq.Compile(j.Text)
	var wrong *jq.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Token >= 0:
		return Usage("The language is jq: https://jqlang.org/manual/", "--jq: %v at offset %d of %q", err, wrong.Token, j.Text)
	case err != nil:
		return Usage("The language is jq: https://jqlang.org/manual/", "--jq: %v", err)
	}
	j.query, j.filters = query, &filters{}
	return nil
}

// Close ends the filters.
func (j *jqFlag) Close() {
	if j.filters != nil {
		j.filters.Lock()
		defer j.filters.Unlock()
		j.filters.Engine.Close()
	}
}

// Filters reports whether --jq filters the output. Then errors are only on stderr.
func (p *App) Filters() bool { return p.JQ.Text != "" }

// PrintJSON prints one JSON text on a line or, with --jq, each value that the filter returns for it: strings
// without quotes, other values as JSON.
func (p *App) PrintJSON(text string) error {
	if p.JQ.query == nil {
		return p.Out.Line(p.Out.JSON(text))
	}
	filters := p.JQ.filters
	filters.Lock()
	defer filters.Unlock()
	failed := func(err error) error {
		if p.Ctx.Err() != nil { // ended by a signal, or because the output is not read
			return context.Cause(p.Ctx)
		}
		return Failed("--jq: %v", err)
	}
	if err := filters.Load(p.Ctx, []byte(text)); err != nil {
		return failed(err)
	}
	for v, err := range filters.Values(p.Ctx, p.JQ.query) {
		if err != nil {
			return failed(err)
		}
		line, isText := jsonrpc.Unquote(v)
		if isText {
			line = p.Out.Untrusted(line)
		} else {
			line = p.Out.JSON(string(v))
		}
		if p.Out.Line(line) != nil {
			return nil // the error is reported at the end of the command
		}
	}
	return nil
}

// PrintDocument prints a JSON document of mcptea on one line. Values that a server
// sent are unchanged in it, except for white space.
func (p *App) PrintDocument(doc any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return Failed("cannot encode the output as JSON: %v", err)
	}
	return p.PrintJSON(string(bytes.TrimRight(b.Bytes(), "\n")))
}

// HelpTable lays out rows in two columns, within 80 cells.
func HelpTable(rows [][2]string) string {
	h := HelpPage{Out: &Screen{}, Width: DefaultWidth}
	h.Rows(rows)
	return h.B.String()
}

// DurationText returns a duration without the zeros at its end: 5m, not 5m0s.
func DurationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

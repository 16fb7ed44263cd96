package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// output is where --output sends what a command prints.
type output struct {
	json, ascii bool
	jq          jqFlag
	path        string // of the flag; empty without
	temp        *os.File
}

// addFile declares --output for a command that has no flag of that name with another
// meaning.
func (p *App) addFile(cmd *cobra.Command) {
	if cmd.Flags().Lookup("output") != nil {
		return
	}
	declare(cmd, groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&p.output.path, "output", "o", "", "write the output to this `FILE` instead of stdout; - is stdout")
	})
	_ = cmd.MarkFlagFilename("output")
}

// openOutput redirects the output of the command to the file of --output.
func (p *App) openOutput() error {
	o := &p.output
	if o.path == "" || o.path == "-" {
		return nil
	}
	if info, err := os.Stat(o.path); err == nil && info.IsDir() {
		return usage("Name a file in the directory.", "--output: %s is a directory", o.path)
	}
	temp, err := os.CreateTemp(filepath.Dir(o.path), ".mcptea-output-*") // mode 0600
	if err != nil {
		return usage("Name a file in a directory that exists and is writable.", "--output: %v", err)
	}
	o.temp = temp
	p.out.Writer, p.out.terminal, p.out.colors, p.out.addressable, p.out.ascii, p.out.width = temp, false, false, false, false, 0
	p.atExit.add(func() { _ = os.Remove(temp.Name()) }) // after a forced exit
	return nil
}

// closeOutput gives the file of --output its name. If the command has failed before it
// printed anything, an older file stays.
func (p *App) closeOutput() error {
	o := &p.output
	if o.temp == nil {
		return nil
	}
	defer func() { _ = os.Remove(o.temp.Name()) }() // fails once it has its name
	size, err := o.temp.Seek(0, io.SeekCurrent)
	if closed := o.temp.Close(); err == nil {
		err = closed
	}
	if err == nil && (p.code == ExitOK || size > 0) && p.out.failure == nil {
		err = os.Rename(o.temp.Name(), o.path)
	}
	return err
}

// jqFlag is the filter of --jq.
type jqFlag struct {
	text string
	code *gojq.Code
}

// compile parses the filter, so that an error is reported before anything is sent.
func (j *jqFlag) compile() error {
	if j.text == "" {
		return nil
	}
	query, err := gojq.Parse(j.text)
	var parse *gojq.ParseError
	if errors.As(err, &parse) {
		return usage("The language is that of jq: https://jqlang.org/manual/", "--jq: %v at offset %d of %q", err, parse.Offset, j.text)
	}
	if err == nil {
		j.code, err = gojq.Compile(query)
	}
	if err != nil {
		return usage("The language is that of jq: https://jqlang.org/manual/", "--jq: %v", err)
	}
	return nil
}

// printJSON prints one JSON text on a line, or with --jq each value that the filter
// makes of it: strings without quotes, other values as JSON.
func (p *App) printJSON(text string) error {
	if p.jq.code == nil {
		return p.out.line(p.out.json(text))
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return failed("--jq: the output is not valid JSON: %v", err)
	}
	values := p.jq.code.RunWithContext(p.ctx, value)
	for v, ok := values.Next(); ok; v, ok = values.Next() {
		if err, failure := v.(error); failure {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return failed("--jq: %v", err)
		}
		line, isText := v.(string)
		if isText {
			line = p.out.untrusted(line)
		} else {
			b, err := gojq.Marshal(v)
			if err != nil {
				return failed("--jq: %v", err)
			}
			line = p.out.json(string(b))
		}
		if err := p.out.line(line); err != nil {
			return err
		}
	}
	return nil
}

// printDocument prints a JSON document of mcptea on one line. Values that a server
// sent are unchanged in it, except for white space.
func (p *App) printDocument(doc any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return failed("cannot encode the output as JSON: %v", err)
	}
	return p.printJSON(string(bytes.TrimRight(b.Bytes(), "\n")))
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// table lays out rows in two columns, within 80 cells.
func table(rows [][2]string) string {
	h := helpPage{out: &screen{}, width: defaultWidth}
	h.rows(rows)
	return h.b.String()
}

// durationText is a duration without the zeros at its end: 5m, not 5m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

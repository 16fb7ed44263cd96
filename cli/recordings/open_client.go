package recordings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client/profile"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/behavior"
)

// clientFlags holds the flags of mcptea open about the clients of recordings.
type clientFlags struct {
	save     string // the file of a client
	hosts    bool
	markdown bool
}

func (f *clientFlags) declare(fs *pflag.FlagSet) {
	fs.StringVar(&f.save, "save-client", "", "write the client of the recordings to this `FILE`, for --as-client; - is stdout")
	fs.BoolVar(&f.hosts, "hosts", false, "compare the clients of the recordings: what each declares, requests, cancels and answers")
	fs.BoolVar(&f.markdown, "markdown", false, "with --hosts or --stats: print Markdown")
}

// readClient reads the behavior of the client of a recording.
func (p *openCommand) readClient(path string) (*behavior.Client, error) {
	regular, done, err := p.regularFile(path)
	if err != nil {
		return nil, err
	}
	defer done()
	c, err := behavior.Read(p.Ctx, regular)
	if err != nil {
		if p.Ctx.Err() != nil {
			return nil, context.Cause(p.Ctx)
		}
		return nil, openError(path, err)
	}
	c.Path = path
	return c, nil
}

// maxClientFile bounds the bytes read of a file that will be replaced.
const maxClientFile = 1 << 20

// saveClient writes the client of recordings as a file for --as-client.
func (p *openCommand) saveClient(paths []string, to string) error {
	var c *behavior.Client
	path := strings.Join(paths, ", ")
	var failed error
	for _, one := range paths {
		next, err := p.readClient(one)
		if err != nil {
			return err
		}
		if c == nil {
			c = next
		} else if failed = c.Add(next); failed != nil {
			break
		}
	}
	extracted, left, err := c.Profile()
	if failed != nil {
		err = failed
	}
	var none *behavior.NoClientError
	if errors.As(err, &none) {
		return app.Usage("A recording of a tap has the client; mcptea tap makes one.", "%s gives no client: %s", path, none.Reason)
	}
	if err != nil {
		return app.Failed("cannot make a client of %s: %v", path, err)
	}
	text, err := extracted.File()
	if err != nil {
		return app.Failed("cannot make a client of %s: %v", path, err)
	}
	if left.Secret > 0 {
		p.Warning(fmt.Sprintf("%s not in the file: the form of a secret is in it", phrase.Count(left.Secret, "frame")))
	}
	for _, method := range left.Surprises {
		p.Warning(fmt.Sprintf("%s is not in the file: a file of a client only connects and lists", method))
	}
	if to == "-" {
		_, err := p.Out.Writer.Write(text)
		return err
	}
	if err := p.replaceable(to); err != nil {
		return err
	}
	if err := system.WriteFileBytes(to, text); err != nil {
		return app.Failed("cannot write %s: %v", to, err)
	}
	fmt.Fprintf(p.Err, "%s: %s. mcptea info --as-client %s TARGET connects as it.\n", p.Err.Safe(to), p.Err.Safe(extracted.Name), p.Err.Safe(asPath(to)))
	if unknown := extracted.Unknown(); len(unknown) > 0 {
		fmt.Fprintln(p.Err, p.Err.Faint("not seen: "+strings.Join(unknown, ", ")))
	}
	return nil
}

// asPath returns a file in a form that --as-client accepts as a path.
func asPath(path string) string {
	if strings.ContainsAny(path, `/\.`) {
		return path
	}
	return "./" + path
}

// replaceable returns an error if a file exists and does not describe a client.
func (p *openCommand) replaceable(path string) error {
	text, err := app.ReadText(p.Ctx, path, maxClientFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		if _, err = profile.Parse(text, func(*profile.Profile) error { return nil }); err == nil {
			return nil
		}
	}
	if _, stat := os.Stat(path); stat == nil && system.IsStream(path) {
		return nil
	}
	return app.Usage("Name another file.", "--save-client: %s exists, but is not the file of a client: %v", path, err)
}

// Hosts is the output of open --hosts --json.
type Hosts struct {
	Hosts []*behavior.Client `json:"hosts"` // hosts in the order of the files
}

// compareHosts prints the behavior of the clients of recordings.
func (p *openCommand) compareHosts(paths []string, markdown bool) error {
	if len(paths) == 0 {
		return app.Usage("Run: mcptea open --hosts FILE…", "--hosts requires recordings")
	}
	doc := Hosts{Hosts: []*behavior.Client{}}
	for _, path := range paths {
		c, err := p.readClient(path)
		if err != nil {
			return err
		}
		doc.Hosts = append(doc.Hosts, c)
	}
	if p.JSON {
		return p.PrintDocument(doc)
	}
	rows := behavior.Table(doc.Hosts)
	if markdown {
		return p.printMarkdown(rows[0].Cells, rows[1:])
	}
	t := app.Table{Out: p.Out, Head: true, Wrap: true}
	for _, row := range rows {
		cells := make([]string, 0, len(row.Cells)+1)
		for _, cell := range row.Cells {
			cells = append(cells, display.Sanitize(cell))
		}
		t.Painted(append([]string{row.Label}, cells...)...)
	}
	t.Print()
	for _, c := range doc.Hosts {
		if c.Damage != "" {
			p.Warning(fmt.Sprintf("%s: %s", c.Path, c.Damage))
		}
	}
	return nil
}

// printMarkdown prints a table.
func (p *openCommand) printMarkdown(head []string, rows []behavior.Row) error {
	line := func(label string, cells []string) error {
		out := "| " + markdownCell(label)
		for _, cell := range cells {
			out += " | " + markdownCell(cell)
		}
		return p.Out.Line(out + " |")
	}
	if err := line("", head); err != nil {
		return err
	}
	if err := p.Out.Line("|" + strings.Repeat("---|", len(head)+1)); err != nil {
		return err
	}
	for _, row := range rows {
		if err := line(row.Label, row.Cells); err != nil {
			return err
		}
	}
	return nil
}

// markdownCell returns a text of a peer as text in a cell: neither markup nor another cell.
func markdownCell(text string) string {
	var b strings.Builder
	for _, r := range display.Sanitize(text) {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

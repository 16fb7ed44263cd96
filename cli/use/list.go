package use

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/session"
	"mcptea/ui/paint"
)

func (p *commands) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [KIND] TARGET",
		Short: "List tools, resources and prompts",
		Long: `List what a server offers. KIND is tools, resources, templates or prompts; without it, everything that the server offers is listed.

With --json one object is printed, {"tools":[…],…}, with the entries as received.`,
		Example: `  mcptea list -- ./my-server
  mcptea list tools --url http://127.0.0.1:3000/mcp
  mcptea list tools --json -- ./my-server | jq '.tools[].name'`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(p.list),
	}
	p.AddRequest(cmd)
	return cmd
}

func (p *commands) list(cmd *cobra.Command, args []string) error {
	t, rest, err := p.NeedTarget(cmd, args)
	if err != nil {
		return err
	}
	kinds, err := kindsNamed(rest)
	if err != nil {
		return err
	}
	s, err := p.Connect(t, kinds...)
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	lists, err := p.LoadLists(s, target.Nothing, kinds...)
	if err != nil {
		return err
	}
	named := len(rest) > 0
	if p.JSON {
		err = p.printListsJSON(lists, kinds, named)
	} else {
		err = p.printLists(lists, kinds, named)
	}
	if err != nil {
		return err
	}
	p.WarnOfStrayText()
	return p.printListErrors(s, lists, kinds)
}

// printListErrors prints why lists are incomplete. The first error is explained; the
// others are usually the same.
func (p *commands) printListErrors(s *session.Session, lists map[string]session.List, kinds []client.ListKind) error {
	var first error
	for _, k := range kinds {
		err := lists[k.Name].Err
		if err == nil {
			continue
		}
		fmt.Fprintf(p.Err, "%s the list of %s is incomplete: %s\n", p.Err.Warn("warning:"), k.Name, target.SentenceOf(err))
		if first == nil {
			first = err
		}
	}
	if first == nil {
		return nil
	}
	return p.Outcome(s, first)
}

func kindsNamed(words []string) ([]client.ListKind, error) {
	const hint = "The kinds are tools, resources, templates and prompts."
	switch len(words) {
	case 0:
		return client.ListKinds, nil
	case 1:
	default:
		return nil, app.Usage(hint, "list takes one kind, found %d words", len(words))
	}
	for _, k := range client.ListKinds {
		if k.Name == words[0] || k.Name == words[0]+"s" {
			return []client.ListKind{k}, nil
		}
	}
	return nil, app.Usage(hint, "unknown kind %q", words[0])
}

// printListsJSON prints the entries as received. A list that the user named is
// present even if the server does not have it.
func (p *commands) printListsJSON(lists map[string]session.List, kinds []client.ListKind, named bool) error {
	var b bytes.Buffer
	b.WriteByte('{')
	first := true
	for _, k := range kinds {
		l := lists[k.Name]
		if !l.Offered && !named {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		fmt.Fprintf(&b, "%q:[", k.Name)
		for i, item := range l.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(item.Raw)
		}
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return p.PrintJSON(b.String())
}

func (p *commands) printLists(lists map[string]session.List, kinds []client.ListKind, named bool) error {
	shown := 0
	for _, k := range kinds {
		l := lists[k.Name]
		if !l.Offered {
			if named {
				fmt.Fprintf(p.Err, "The server has no %s.\n", k.Name)
			}
			continue
		}
		if len(l.Items) == 0 && l.Err != nil {
			continue // printed to stderr
		}
		if shown++; shown > 1 {
			if err := p.Out.Line(""); err != nil {
				return err
			}
		}
		if !named {
			if err := p.Out.Line(p.Out.Strong(fmt.Sprintf("%s (%d)", k.Name, len(l.Items)))); err != nil {
				return err
			}
		}
		if err := p.printTable(l.Items); err != nil {
			return err
		}
	}
	if shown == 0 && !named {
		fmt.Fprintln(p.Err, "The server has no tools, resources or prompts.")
	}
	return nil
}

// maxName is the maximum width of the first column, in cells.
const maxName = 40

// printTable prints a line for each entry: name or URI, and description. On a
// terminal lines are cut to its width.
func (p *commands) printTable(items []session.Item) error {
	width := 0
	for _, i := range items {
		width = max(width, paint.Width(paint.Sanitize(target.Key(i))))
	}
	width = min(width, maxName)
	for _, i := range items {
		name := paint.Sanitize(target.Key(i))
		gap := strings.Repeat(" ", max(0, width-paint.Width(name)))
		about := paint.Sanitize(about(i))
		if p.Out.Terminal {
			name = paint.Cut(name, p.Out.Width)
			about = paint.Cut(about, max(0, p.Out.Width-paint.Width(name)-len(gap)-2))
		}
		line := p.Out.Name(name)
		if about != "" {
			line += gap + "  " + about
		}
		if err := p.Out.Line(line); err != nil {
			return err
		}
	}
	return nil
}

// about returns title and description in one line.
func about(i session.Item) string {
	var parts []string
	if i.Title != "" && i.Title != target.Key(i) {
		parts = append(parts, i.Title)
	} else if i.URI != "" && i.Name != "" {
		parts = append(parts, i.Name)
	}
	if words := strings.Join(strings.Fields(i.Description), " "); words != "" {
		parts = append(parts, words)
	}
	text := strings.Join(parts, ": ")
	if i.MIME != "" {
		text = strings.TrimSpace(text + " (" + i.MIME + ")")
	}
	return text
}

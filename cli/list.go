package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/client"
	"mcptea/session"
	"mcptea/ui/paint"
)

func (p *Use) listCommand() *cobra.Command {
	var names []string
	for _, k := range client.ListKinds {
		names = append(names, k.Name)
	}
	cmd := &cobra.Command{
		Use:   "list [KIND] TARGET",
		Short: "List tools, resources and prompts",
		Long: `List what a server offers. KIND is tools, resources, templates or prompts; without it, everything that the server offers is listed.

With --json one object is printed, {"tools":[…],…}, with the entries as received.`,
		Example: `  mcptea list -- ./my-server
  mcptea list tools --url http://127.0.0.1:3000/mcp
  mcptea list tools --json -- ./my-server | jq '.tools[].name'`,
		ValidArgs: names,
		Args:      cobra.ArbitraryArgs,
		RunE:      p.runE(p.list),
	}
	p.addRequest(cmd)
	return cmd
}

func (p *Use) list(cmd *cobra.Command, args []string) error {
	t, rest, err := p.needTarget(cmd, args)
	if err != nil {
		return err
	}
	kinds, err := kindsNamed(rest)
	if err != nil {
		return err
	}
	s, err := p.connect(t, kinds...)
	if err != nil {
		return err
	}
	defer p.closeSession(s)
	lists, err := p.loadLists(s, nothing, kinds...)
	if err != nil {
		return err
	}
	named := len(rest) > 0
	if p.json {
		err = p.printListsJSON(lists, kinds, named)
	} else {
		err = p.printLists(lists, kinds, named)
	}
	if err != nil {
		return err
	}
	p.warnOfStrayText()
	return p.printListErrors(s, lists, kinds)
}

// printListErrors prints why lists are incomplete. The first error is explained; the
// others are usually the same.
func (p *Use) printListErrors(s *session.Session, lists map[string]session.List, kinds []client.ListKind) error {
	var first error
	for _, k := range kinds {
		err := lists[k.Name].Err
		if err == nil {
			continue
		}
		fmt.Fprintf(p.err, "%s the list of %s is incomplete: %s\n", p.err.warn("warning:"), k.Name, sentenceOf(err))
		if first == nil {
			first = err
		}
	}
	if first == nil {
		return nil
	}
	return p.outcome(s, first)
}

func kindsNamed(words []string) ([]client.ListKind, error) {
	const hint = "The kinds are tools, resources, templates and prompts."
	switch len(words) {
	case 0:
		return client.ListKinds, nil
	case 1:
	default:
		return nil, usage(hint, "list takes one kind, found %d words", len(words))
	}
	for _, k := range client.ListKinds {
		if k.Name == words[0] || k.Name == words[0]+"s" {
			return []client.ListKind{k}, nil
		}
	}
	return nil, usage(hint, "unknown kind %q", words[0])
}

// printListsJSON prints the entries as received. A list that the user named is
// present even if the server does not have it.
func (p *Use) printListsJSON(lists map[string]session.List, kinds []client.ListKind, named bool) error {
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
	return p.printJSON(b.String())
}

func (p *Use) printLists(lists map[string]session.List, kinds []client.ListKind, named bool) error {
	shown := 0
	for _, k := range kinds {
		l := lists[k.Name]
		if !l.Offered {
			if named {
				fmt.Fprintf(p.err, "The server has no %s.\n", k.Name)
			}
			continue
		}
		if len(l.Items) == 0 && l.Err != nil {
			continue // printed to stderr
		}
		if shown++; shown > 1 {
			if err := p.out.line(""); err != nil {
				return err
			}
		}
		if !named {
			if err := p.out.line(p.out.strong(fmt.Sprintf("%s (%d)", k.Name, len(l.Items)))); err != nil {
				return err
			}
		}
		if err := p.printTable(l.Items); err != nil {
			return err
		}
	}
	if shown == 0 && !named {
		fmt.Fprintln(p.err, "The server has no tools, resources or prompts.")
	}
	return nil
}

// maxName is the maximum width of the first column, in cells.
const maxName = 40

// printTable prints a line for each entry: name or URI, and description. On a
// terminal lines are cut to its width.
func (p *Use) printTable(items []session.Item) error {
	width := 0
	for _, i := range items {
		width = max(width, paint.Width(paint.Sanitize(key(i))))
	}
	width = min(width, maxName)
	for _, i := range items {
		name := paint.Sanitize(key(i))
		gap := strings.Repeat(" ", max(0, width-paint.Width(name)))
		about := paint.Sanitize(about(i))
		if p.out.terminal {
			name = paint.Cut(name, p.out.width)
			about = paint.Cut(about, max(0, p.out.width-paint.Width(name)-len(gap)-2))
		}
		line := p.out.name(name)
		if about != "" {
			line += gap + "  " + about
		}
		if err := p.out.line(line); err != nil {
			return err
		}
	}
	return nil
}

// about returns title and description in one line.
func about(i session.Item) string {
	var parts []string
	if i.Title != "" && i.Title != key(i) {
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

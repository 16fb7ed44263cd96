// Command manpage writes the manual pages of mcptea, one for each command, for packages.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli"
	"mcptea/cli/app"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manpage DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manpage:", err)
		os.Exit(1)
	}
}

// write writes the pages to a directory.
func write(dir string) error {
	for name, text := range pages(cli.Commands()) {
		if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shared are the topics of the help that are sections of every page.
var shared = []struct{ topic, section string }{{"exit-codes", "EXIT STATUS"}, {"environment", "ENVIRONMENT"}, {"file-paths", "FILES"}}

// pages returns the pages of a command and of its subcommands, by name.
func pages(root *cobra.Command) map[string]string {
	topics := map[string]string{}
	for _, c := range root.Commands() {
		topics[c.Name()] = c.Long
	}
	all := map[string]string{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		all[nameOf(c)] = page(c, topics)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "completion" {
				add(sub)
			}
		}
	}
	add(root)
	return all
}

// nameOf returns the name of the page of a command, such as mcptea-auth-login.
func nameOf(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page returns the page of a command. topics are the texts of the help without a command.
func page(c *cobra.Command, topics map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(nameOf(c))), roff(nameOf(c)), roff(cmp.Or(c.Short, "client and wire inspector for MCP servers")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, cmp.Or(c.Long, c.Short+"."))
	options(&b, c)
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.Trim(c.Example, "\n")))
	}
	for _, s := range shared {
		_, table, _ := strings.Cut(topics[s.topic], "\n\n")
		fmt.Fprintf(&b, ".SH %s\n", s.section)
		paragraphs(&b, table)
	}
	seeAlso(&b, c)
	return b.String()
}

// options writes the flags of a command by heading. Flags that many commands have are on the page of mcptea alone.
func options(b *strings.Builder, c *cobra.Command) {
	heading, left := "", false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		group := app.GroupOf(f)
		switch {
		case f.Hidden || f.Name == "help":
			return
		case c.HasParent() && group != app.GroupOwn && group != app.GroupServe && group != app.GroupOutput:
			left = true
			return
		case heading == "":
			b.WriteString(".SH OPTIONS\n")
		}
		if heading != group {
			fmt.Fprintf(b, ".SS %s\n", roff(group))
			heading = group
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(app.FlagName(f)), roff(app.FlagUsage(f)))
	})
	if left {
		if heading == "" {
			b.WriteString(".SH OPTIONS\n")
		}
		b.WriteString(".PP\nThe options for the server, the protocol, TLS, authorization and recording are in\n.BR mcptea (1).\n")
	}
}

// seeAlso names the pages of the commands above and below a command.
func seeAlso(b *strings.Builder, c *cobra.Command) {
	var names []string
	if c.HasParent() {
		names = append(names, nameOf(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "completion" {
			names = append(names, nameOf(sub))
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		fmt.Fprintf(b, ".BR %s (1)%s\n", roff(name), comma)
	}
	b.WriteString(".PP\nmcptea help TOPIC prints the pages of the documentation.\n")
}

// paragraphs writes a text: lines that are indented, as of tables, are kept.
func paragraphs(b *strings.Builder, text string) {
	for _, p := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(p, "  ") || strings.Contains(p, "\n  ") {
			fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(p))
			continue
		}
		fmt.Fprintf(b, ".PP\n%s\n", roff(p))
	}
}

// roff escapes a text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

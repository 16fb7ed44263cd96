package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// HelpPage is a page under construction.
type HelpPage struct {
	Out    *Screen
	Width  int
	column int // minimum width of the first column of rows
	B      strings.Builder
}

// Line adds a line.
func (h *HelpPage) Line(text string) { h.B.WriteString(strings.TrimRight(text, " ") + "\n") }

// Heading adds a heading after an empty line.
func (h *HelpPage) Heading(text string) { h.Line("\n" + h.Out.Strong(text)) }

// Text writes paragraphs. Lines that are indented are tables and stay unchanged.
func (h *HelpPage) Text(text string) {
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t") {
			h.Line(l)
			continue
		}
		for _, w := range display.Wrap(l, h.Width) {
			h.Line(w)
		}
	}
}

// maxKey is the maximum width of the first column, in cells.
const maxKey = 30

// Rows writes names and descriptions in two columns.
func (h *HelpPage) Rows(rows [][2]string) {
	column := h.column
	for _, r := range rows {
		if w := display.Width(r[0]); w <= maxKey {
			column = max(column, w)
		}
	}
	indent := strings.Repeat(" ", column+4)
	for _, r := range rows {
		key, w := r[0], display.Width(r[0])
		lines := display.Wrap(r[1], max(20, h.Width-len(indent)))
		if w > column {
			h.Line("  " + h.Out.Name(key))
			h.Line(indent + lines[0])
		} else {
			h.Line("  " + h.Out.Name(key) + strings.Repeat(" ", column-w+2) + lines[0])
		}
		for _, l := range lines[1:] {
			h.Line(indent + l)
		}
	}
}

// Commands adds the commands of a command, in their groups.
func (h *HelpPage) Commands(cmd *cobra.Command) {
	groups := slices.Clone(cmd.Groups())
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, c := range cmd.Commands() { // all groups share one column
		h.column = max(h.column, display.Width(c.Name()))
	}
	defer func() { h.column = 0 }()
	for _, g := range groups {
		var rows [][2]string
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
				rows = append(rows, [2]string{c.Name(), c.Short})
			}
		}
		if len(rows) > 0 {
			h.Heading(g.Title)
			h.Rows(rows)
		}
	}
}

// Examples adds the examples of a command.
func (h *HelpPage) Examples(cmd *cobra.Command) {
	if cmd.Example != "" {
		h.Heading("Examples")
		h.Line(cmd.Example)
	}
}

// Flags lists the flags of a set that show accepts, by their headings.
func (h *HelpPage) Flags(set *pflag.FlagSet, groups []string, show func(*pflag.Flag) bool) {
	for _, group := range groups {
		var rows [][2]string
		set.VisitAll(func(f *pflag.Flag) {
			if GroupOf(f) == group && !f.Hidden && f.Name != "help" && f.Name != "version" && show(f) {
				rows = append(rows, [2]string{FlagName(f), FlagUsage(f)})
			}
		})
		if len(rows) > 0 {
			h.Heading(group)
			h.Rows(rows)
		}
	}
}

// GroupOf returns the heading of a flag.
func GroupOf(f *pflag.Flag) string { return cmp.Or(Annotation(f, GroupAnnotation), GroupOwn) }

// Annotation returns an annotation that was set when the flag was declared.
func Annotation(f *pflag.Flag, name string) string {
	if values := f.Annotations[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// FlagName returns the names of a flag with the name of its value, as the help prints them.
func FlagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch value := Annotation(f, valueAnnotation); {
	case value == "":
	case strings.HasPrefix(value, "[="): // the value may be left out
		name += value
	case strings.ToLower(value) != value: // the value must be written unchanged
		name += " " + value
	default:
		name += " " + strings.ToUpper(value)
	}
	return name
}

// FlagUsage returns the usage of a flag, with its default unless that is empty or obvious.
func FlagUsage(f *pflag.Flag) string {
	usage := phrase.Capital(f.Usage)
	switch f.DefValue {
	case "", "false", "[]", "0", "0s", "auto":
		return usage
	}
	def := f.DefValue
	if f.Value.Type() == "duration" {
		if d, err := time.ParseDuration(def); err == nil {
			def = DurationText(d)
		}
	}
	return fmt.Sprintf("%s (default %s)", usage, def)
}

// The names of topics that list flags.
const (
	TopicFlags         = "flags"
	TopicAuthorization = "authorization"
)

// Readable returns the width of prose, in cells.
func (p *App) Readable() int {
	if p.Out.Terminal {
		return p.Out.readable()
	}
	return DefaultWidth
}

package app

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands are the constructors of commands, by name.
type Commands map[string]func() *cobra.Command

// The headings under which the help lists flags.
const (
	GroupOwn           = "Flags"
	GroupTarget        = "Target"
	GroupProtocol      = "Protocol"
	GroupAuthorization = "Authorization (HTTP)"
	GroupTLS           = "TLS (https)"
	GroupLint          = "Lint"
	GroupServe         = "With --listen and a command"
	GroupReload        = "Edit and run"
	GroupRecording     = "Recording"
	GroupOutput        = "Output"
)

// Annotations of a flag: its heading, and the name of its value in the help.
const (
	GroupAnnotation = "mcptea_group"
	valueAnnotation = "mcptea_value"
)

// Declare adds flags to a command under a heading of its help. A name in back quotes in the usage is the name
// of the value; after two spaces it is not part of the text.
func Declare(cmd *cobra.Command, group string, add func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(group, pflag.ContinueOnError)
	set.SortFlags = false
	add(set)
	cmd.Flags().SortFlags = false
	set.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		usage, _, _ = strings.Cut(usage, "  ")
		f.Usage = usage
		if value != "" && f.Value.Type() != "bool" {
			f.Annotations = map[string][]string{valueAnnotation: {value}}
		} else {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[GroupAnnotation] = []string{group}
		cmd.Flags().AddFlag(f)
		if c, ok := f.Value.(*choice); ok {
			Completes(cmd, f.Name, c.values...)
		}
	})
}

// choice is the value of a flag that has one of a few values.
type choice struct {
	value  *string
	values []string
	word   func(text string) string // converts a value before it is checked; nil for no conversion
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return "string" }
func (c *choice) Set(text string) error {
	if c.word != nil {
		text = c.word(text)
	}
	if !slices.Contains(c.values, text) {
		last := len(c.values) - 1
		return errors.New("the values are " + strings.Join(c.values[:last], ", ") + " and " + c.values[last])
	}
	*c.value = text
	return nil
}

// Choice declares a flag with one of a few values. The first one is the default.
func Choice(fs *pflag.FlagSet, to *string, name, usage string, values ...string) {
	*to = values[0]
	fs.Var(&choice{value: to, values: values}, name, usage)
}

// ChoiceOfSeverity is like [Choice], for severities; see [SeverityWord].
func ChoiceOfSeverity(fs *pflag.FlagSet, to *string, name, usage string, values ...string) {
	*to = values[0]
	fs.Var(&choice{value: to, values: values, word: SeverityWord}, name, usage)
}

// SeverityWord normalizes the name of a severity: it returns "warning" for "warn".
func SeverityWord(text string) string {
	if text == "warn" {
		return "warning"
	}
	return text
}

// Completes sets the values that the shell completes for a flag.
func Completes(cmd *cobra.Command, name string, values ...string) {
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// AddOutput declares the flags of output for a command that prints text.
func (p *App) AddOutput(cmd *cobra.Command) {
	p.AddJSON(cmd)
	p.AddASCII(cmd)
}

// AddJSON declares --json and --jq.
func (p *App) AddJSON(cmd *cobra.Command) {
	Declare(cmd, GroupOutput, func(fs *pflag.FlagSet) {
		p.DeclareJSON(fs)
		fs.StringVar(&p.JQ.Text, "jq", "", "print JSON and filter it with this `EXPR` of jq; strings are printed without quotes")
	})
}

// DeclareJSON declares only --json.
func (p *App) DeclareJSON(fs *pflag.FlagSet) {
	fs.BoolVar(&p.JSON, "json", false, "print JSON")
}

// AddASCII declares --ascii.
func (p *App) AddASCII(cmd *cobra.Command) {
	Declare(cmd, GroupOutput, func(fs *pflag.FlagSet) {
		fs.BoolVar(&p.ASCII, "ascii", false, "print only ASCII characters (default: on if the locale is not UTF-8)")
	})
}

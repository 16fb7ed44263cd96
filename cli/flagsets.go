package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The headings under which the help lists flags.
const (
	groupOwn           = "Flags"
	groupTarget        = "Target"
	groupProtocol      = "Protocol"
	groupAuthorization = "Authorization (HTTP)"
	groupLint          = "Lint"
	groupReload        = "Edit and run"
	groupRecording     = "Recording"
	groupOutput        = "Output"
)

// The annotations of a flag: its heading, and what the help calls its value.
const (
	groupAnnotation = "mcptea_group"
	valueAnnotation = "mcptea_value"
)

// declare adds flags to a command under a heading of its help. A name in back
// quotes in the usage is the name of the value; behind two spaces it is not part of
// the text.
func declare(cmd *cobra.Command, group string, add func(*pflag.FlagSet)) {
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
		f.Annotations[groupAnnotation] = []string{group}
		cmd.Flags().AddFlag(f)
	})
}

// completes sets the values that the shell completes for a flag.
func completes(cmd *cobra.Command, name string, values ...string) {
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// addOutput declares the flags of output for a command that prints text.
func (p *App) addOutput(cmd *cobra.Command) {
	p.addJSON(cmd)
	p.addASCII(cmd)
}

func (p *App) addJSON(cmd *cobra.Command) {
	declare(cmd, groupOutput, func(fs *pflag.FlagSet) {
		fs.BoolVar(&p.json, "json", false, "print JSON")
		fs.StringVar(&p.jq.text, "jq", "", "print JSON and filter it with this `EXPR` of jq; strings are printed without quotes")
	})
}

func (p *App) addASCII(cmd *cobra.Command) {
	declare(cmd, groupOutput, func(fs *pflag.FlagSet) {
		fs.BoolVar(&p.ascii, "ascii", false, "print only ASCII characters (default: on if the locale is not UTF-8)")
	})
}

package target

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/session/intercept"
)

// GroupFaults is the heading of the flags of faults.
const GroupFaults = "Faults"

// AddFaults declares the flags that change frames on purpose.
func (f *Flags) AddFaults(cmd *cobra.Command) {
	app.Declare(cmd, GroupFaults, f.declareFaults)
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("fault", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range intercept.FaultKinds() {
			names = append(names, k.Name+"\t"+k.Summary)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

func (f *Flags) declareFaults(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.faults, "fault", nil, "change messages on purpose, such as drop@0.1 or delay=2s (see mcptea help faults); repeatable  `NAME[=ARG][@PROBABILITY]`")
	fs.Uint64Var(&f.FaultSeed, "fault-seed", 0, "decide the probabilities by this `NUMBER`, to repeat a run")
}

func faultNames() []string {
	var names []string
	for _, k := range intercept.FaultKinds() {
		names = append(names, k.Name)
	}
	return names
}

// ParseFaults returns the faults of --fault for a target.
func (f *Flags) ParseFaults(t client.Target) ([]intercept.Fault, error) {
	var faults []intercept.Fault
	for _, text := range f.faults {
		fault, err := intercept.ParseFault(text)
		if err != nil {
			hint := "The faults are " + strings.Join(faultNames(), ", ") + "."
			name, _, _ := strings.Cut(text, "=")
			name, _, _ = strings.Cut(name, "@")
			if near := app.Nearest(name, faultNames()); len(near) > 0 {
				hint = "Did you mean " + strings.Join(near, " or ") + "?"
			}
			return nil, app.Usage(hint, "--fault: %v", err)
		}
		if fault.HTTP() && t.IsStdio() {
			return nil, app.Usage("The target is a command; the fault is for a URL.", "--fault %s requires a server over HTTP", fault.Name)
		}
		faults = append(faults, fault)
	}
	return faults, nil
}

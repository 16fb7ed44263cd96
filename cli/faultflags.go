package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client"
	"mcptea/session/intercept"
)

// groupFaults is the heading of the flags of faults.
const groupFaults = "Faults"

// addFaults declares the flags that change frames on purpose.
func (f *flags) addFaults(cmd *cobra.Command) {
	declare(cmd, groupFaults, f.declareFaults)
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("fault", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range intercept.FaultKinds() {
			names = append(names, k.Name+"\t"+k.Summary)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

func (f *flags) declareFaults(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.faults, "fault", nil, "change messages on purpose, such as drop@0.1 or delay=2s (see mcptea help faults); repeatable  `NAME[=ARG][@PROBABILITY]`")
	fs.Uint64Var(&f.faultSeed, "fault-seed", 0, "decide the probabilities by this `NUMBER`, to repeat a run")
}

func faultNames() []string {
	var names []string
	for _, k := range intercept.FaultKinds() {
		names = append(names, k.Name)
	}
	return names
}

// parseFaults returns the faults of --fault for a target.
func (f *flags) parseFaults(t client.Target) ([]intercept.Fault, error) {
	var faults []intercept.Fault
	for _, text := range f.faults {
		fault, err := intercept.ParseFault(text)
		if err != nil {
			hint := "The faults are " + strings.Join(faultNames(), ", ") + "."
			name, _, _ := strings.Cut(text, "=")
			name, _, _ = strings.Cut(name, "@")
			if near := nearest(name, faultNames()); len(near) > 0 {
				hint = "Did you mean " + strings.Join(near, " or ") + "?"
			}
			return nil, usage(hint, "--fault: %v", err)
		}
		if fault.HTTP() && t.IsStdio() {
			return nil, usage("The target is a command; the fault is for a URL.", "--fault %s requires a server over HTTP", fault.Name)
		}
		faults = append(faults, fault)
	}
	return faults, nil
}

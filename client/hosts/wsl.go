package hosts

import (
	"slices"
	"strings"
)

// checkWSL reports variables that do not reach a server in the Windows Subsystem for Linux: wsl.exe passes only
// the variables that WSLENV names, as NAME or NAME/FLAGS separated by colons. The host sets WSLENV like any
// variable of the entry; the value in its own environment is unknown.
func (e *entry) checkWSL() {
	var named, lost []string
	kept := "" // variables that are already named, with their flags
	for _, f := range e.Expanded.Env {
		if f.Name == "WSLENV" && f.Value != "" {
			kept = f.Value + ":"
			for _, part := range strings.Split(f.Value, ":") {
				name, _, _ := strings.Cut(part, "/")
				named = append(named, name)
			}
		}
	}
	for _, f := range e.Expanded.Env {
		inCommand := slices.ContainsFunc(e.Expanded.Args, func(arg string) bool { return strings.Contains(arg, f.Name+"=") }) // env NAME=VALUE
		if f.Name != "WSLENV" && !f.Unset && !slices.Contains(named, f.Name) && !inCommand {
			lost = append(lost, f.Name)
		}
	}
	if len(lost) == 0 {
		return
	}
	at := e.mapped["env"]
	if at == nil {
		at = e.mapped["command"]
	}
	e.report("F051", Warning, at, `wsl.exe does not pass %s to Linux: WSLENV does not name it. Add "WSLENV": %q to the variables, or write "-e", "env", "%s=…" before the command.`,
		strings.Join(lost, ", "), kept+strings.Join(lost, "/u:")+"/u", lost[0])
}

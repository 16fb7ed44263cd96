package target

import (
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/client/revision"
)

// AddConnection declares the flags of a command that connects to a server:
// target, protocol, authorization and recording.
func (p *Target) AddConnection(cmd *cobra.Command) {
	f := &p.Flags
	p.AddTarget(cmd)
	app.Declare(cmd, app.GroupTarget, f.DeclareKillLeft)
	f.AddProtocol(cmd)
	f.Auth.AddTo(cmd)
	f.AddRecording(cmd)
	f.AddFaults(cmd)
}

// AddRequest declares the flags of a command that connects to a server and prints the result.
func (p *Target) AddRequest(cmd *cobra.Command) {
	f := &p.Flags
	p.AddConnection(cmd)
	p.AddOutput(cmd)
	p.AddFile(cmd)
	f.AddConfig(cmd)
	f.AddTrace(cmd)
	p.addAttach(cmd)
}

// AddTarget declares the flags that select the server and configure its start.
func (p *Target) AddTarget(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupTarget, p.Flags.DeclareTarget)
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = p.CompleteTargets
	}
	app.Completes(cmd, "transport", "auto", "stdio", "http", "sse")
	_ = cmd.RegisterFlagCompletionFunc("server", p.completeServers)
	for name, list := range map[string]revision.List{"tool": revision.Tools, "prompt": revision.Prompts, "uri": revision.Resources, "template": revision.Templates} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return p.recordedNames(cmd, []revision.List{list}), cobra.ShellCompDirectiveNoFileComp
			})
		}
	}
	_ = cmd.MarkFlagDirname("cwd")
	_ = cmd.MarkFlagFilename("env-file")
	p.Flags.TLS.AddTo(cmd)
}

package target

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/client"
)

// fileEndings holds the endings of file names that are not domains.
var fileEndings = []string{".json", ".jsonl", ".yaml", ".yml", ".toml", ".txtar", ".txt", ".har", ".log"}

// HostAlone returns the target that a host alone names, such as example.com: its address over https.
// found is false for other words, and for one that names a configured server, a program or a file.
func (p *Target) HostAlone(cmd *cobra.Command, args []string) (t client.Target, found bool, err error) {
	if len(args) != 1 || cmd.ArgsLenAtDash() >= 0 || p.Flags.URL != "" || p.Flags.Attach != "" || p.Flags.Server != "" {
		return t, false, nil
	}
	host := args[0]
	if AsURL(host) != "" || imageOf(host) != "" || !strings.Contains(host, ".") || AsURL(host+"/x") != "https://"+host+"/x" || IsProgram(host) {
		return t, false, nil
	}
	if slices.Contains(fileEndings, path.Ext(host)) {
		return t, false, nil // a file that is not there
	}
	if _, err := os.Stat(host); err == nil {
		return t, false, nil
	}
	if _, isSource := Source(host); isSource {
		return t, false, nil
	}
	if _, named, err := p.named(host); named || err != nil {
		return t, false, nil // NeedTarget reports it
	}
	t.URL = "https://" + host + "/"
	return t, true, p.Complete(&t)
}

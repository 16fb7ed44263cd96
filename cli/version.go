package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version describes this build.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// versionOf adds the build information of the executable to the version of a release.
func versionOf(release string) version {
	v := version{Version: release, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok && v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" || v.Version == "(devel)" || strings.HasPrefix(v.Version, "v0.0.0-") {
		v.Version = "devel"
	}
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}

// String returns the version without the build information.
func (v version) String() string { return v.Version }

func (p *App) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.ArbitraryArgs,
		RunE: p.runE(func(cmd *cobra.Command, args []string) error {
			if err := noArguments(cmd, args); err != nil {
				return err
			}
			if p.json {
				b, err := json.Marshal(p.version)
				if err != nil {
					return err
				}
				return p.printJSON(string(b))
			}
			text := fmt.Sprintf("mcptea %s", p.version.Version)
			if len(p.version.Commit) >= 12 {
				text += ", commit " + p.version.Commit[:12]
			}
			return p.out.line(fmt.Sprintf("%s, %s, %s/%s", text, p.version.Go, p.version.OS, p.version.Arch))
		}),
	}
	p.addJSON(cmd)
	return cmd
}

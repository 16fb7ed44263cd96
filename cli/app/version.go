package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// BuildVersion describes this build.
type BuildVersion struct {
	Version string `json:"version"`          // version of the release; "devel" for other builds
	Commit  string `json:"commit,omitempty"` // commit of the source code
	Go      string `json:"go"`               // version of the compiler
	OS      string `json:"os"`               // operating system, as in GOOS
	Arch    string `json:"arch"`             // architecture, as in GOARCH
}

// VersionOf adds the build information of the executable to the version of a release.
func VersionOf(release string) BuildVersion {
	v := BuildVersion{Version: release, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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
func (v BuildVersion) String() string { return v.Version }

// Line returns the version with the build information, as version and --version print it.
func (v BuildVersion) Line() string {
	text := "mcptea " + v.Version
	if len(v.Commit) >= 12 {
		text += ", commit " + v.Commit[:12]
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, v.Go, v.OS, v.Arch)
}

// VersionCommand makes the command that prints the version.
func (p *App) VersionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			if err := NoArguments(cmd, args); err != nil {
				return err
			}
			if p.JSON {
				return p.PrintDocument(p.Version)
			}
			return p.Out.Line(p.Version.Line())
		}),
	}
	p.AddJSON(cmd)
	return cmd
}

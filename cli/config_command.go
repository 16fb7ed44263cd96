package cli

import (
	"cmp"
	"os"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/cli/settings"
	"mcptea/cli/target"
)

// configCommand is the command mcptea config.
type configCommand struct{ *settings.Settings }

func (p *configCommand) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the current settings and their origin",
		Long:  configLong(),
		Example: `  mcptea config
  mcptea config --json | jq '.settings[] | select(.origin != "default")'
  $EDITOR "$(mcptea config path)"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := "mcptea config prints all settings. To change one, edit the file that mcptea config path prints."
			return app.Usage(app.Suggest(args[0], []string{"path", "themes"}, hint), "unknown command %q", args[0])
		},
		RunE: p.RunE(func(*cobra.Command, []string) error { return p.printConfig() }),
	}
	p.addSettings(cmd)
	p.AddOutput(cmd)
	p.Flags.AddConfig(cmd)
	path := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file",
		Args:  app.NoArguments,
		RunE: p.RunE(func(*cobra.Command, []string) error {
			path := settings.Path(p.Flags.Config, p.Env.Get)
			if path == "" {
				return app.Failed("no configuration file: it is disabled by \"off\" in --config or MCPTEA_CONFIG, or there is no home directory")
			}
			return p.Out.Line(path)
		}),
	}
	app.Declare(path, app.GroupOutput, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.Flags.Config, "config", "", "print this `FILE`; \"off\" disables it")
	})
	path.Annotations = map[string]string{settings.NoSettings: "true"} // config path works even if the file has errors
	cmd.AddCommand(path, p.themesCommand())
	return cmd
}

func configLong() string {
	var rows [][2]string
	for _, k := range settings.Keys() {
		rows = append(rows, [2]string{k.Name, k.Type + ": " + k.Means})
	}
	return `Print the current settings and the origin of each value. A flag overrides an environment variable, which overrides config.yaml.

The keys of config.yaml, their types and what they mean:

` + app.HelpTable(rows) + `
For example:

  theme: nord
  mute: [J030]
  record: {limit: 500MB}
  timeouts: {request: 90s}
  keys:
    follow: [f, F]

An unknown key or a wrong type is an error.`
}

// addSettings declares the flags of the settings, so that the command displays their effect.
func (p *configCommand) addSettings(cmd *cobra.Command) {
	f := &p.Flags
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		f.DeclareTheme(fs)
		f.DeclareMouse(fs)
		f.DeclareMute(fs)
		f.DeclareRecording(fs)
		f.DeclareTimeouts(fs)
		f.Auth.DeclareTimeout(fs)
	})
}

// configDocument is the output of config --json.
type configDocument struct {
	Path     string            `json:"path"`     // path of the configuration file; empty if it is disabled
	Exists   bool              `json:"exists"`   // there is such a file
	Settings []settingDocument `json:"settings"` // settings in the order of the documentation
}

// settingDocument is an effective setting.
type settingDocument struct {
	Key    string `json:"key"`            // key in the file, such as timeouts.request
	Value  any    `json:"value"`          // string, boolean or array of strings
	Origin string `json:"origin"`         // "default", "file", "environment" or "flag"
	Name   string `json:"name,omitempty"` // name of the flag or variable, or line of the file
	text   string
}

// settingsInForce returns the effective settings, in the order of the documentation of the file.
func (p *configCommand) settingsInForce() ([]settingDocument, error) {
	var all []settingDocument
	add := func(key string, value any, text string, o settings.Origin) {
		all = append(all, settingDocument{key, value, o.Kind, o.Name, text})
	}
	f, c := &p.Flags, p.Configured
	fileOr := func(key string) settings.Origin {
		if line, ok := c.Line(key); ok {
			return p.InFile(line)
		}
		return settings.Origin{Kind: settings.FromDefault}
	}
	theme := f.Theme
	if theme == "" {
		theme = "auto"
	}
	add("theme", theme, theme, p.Origins["theme"])
	add("mouse", f.Mouse, strconv.FormatBool(f.Mouse), p.Origins["mouse"])
	add("confirm", cmp.Or(c.Confirm, "never"), cmp.Or(c.Confirm, "never"), fileOr("confirm"))
	for _, key := range c.Set() {
		if command, ok := strings.CutPrefix(key, "keys."); ok {
			add(key, c.Keys[command], strings.Join(c.Keys[command], ", "), fileOr(key))
		}
		if name, ok := strings.CutPrefix(key, "servers."); ok {
			text := target.Redacted(c.Servers[name])
			if words := c.TLS[name].String(); words != "" {
				text += ", " + words
			}
			add(key, text, text, fileOr(key))
		}
	}
	for _, d := range c.Filters {
		add("filters."+d.Name, d.Text, d.Text, p.InFile(d.Line))
	}
	muted, err := p.MutedRules()
	if err != nil {
		return nil, err
	}
	for _, m := range muted {
		add("mute", m.ID, m.ID, m.Origin)
	}
	record, _ := p.Recording()
	from := p.Origins["record"]
	if from.Kind == settings.FromDefault {
		from = fileOr("record.enabled")
	}
	add("record.enabled", record != "off", strconv.FormatBool(record != "off"), from)
	dir, wrong := p.RecordingDir()
	if wrong != nil {
		dir = "none: " + wrong.Error()
	}
	add("record.dir", dir, dir, fileOr("record.dir"))
	add("record.limit", f.RecordLimit, f.RecordLimit, p.Origins["record-limit"])
	add("timeouts.request", f.Timeout.String(), app.DurationText(f.Timeout), p.Origins["timeout"])
	add("timeouts.connect", f.ConnectTimeout.String(), app.DurationText(f.ConnectTimeout), p.Origins["connect-timeout"])
	add("timeouts.authorization", f.Auth.Timeout.String(), app.DurationText(f.Auth.Timeout), p.Origins["auth-timeout"])
	return all, nil
}

func (p *configCommand) printConfig() error {
	if err := inspector.CheckKeys(p.Settings); err != nil {
		return err
	}
	all, err := p.settingsInForce()
	if err != nil {
		return err
	}
	if p.JSON {
		return p.PrintDocument(configDocument{p.ConfigPath, fileExists(p.ConfigPath), all})
	}
	path := p.ConfigPath
	switch {
	case path == "":
		path = "none (disabled)"
	case !fileExists(path):
		path += " (does not exist)"
	}
	p.Out.Line(p.Out.Faint("configuration file: ") + p.Out.Safe(path) + "\n")
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name, app.Plain, app.Faint}, Wrap: true}
	for _, s := range all {
		t.Row(s.Key, s.text, settings.Origin{Kind: s.Origin, Name: s.Name}.String())
	}
	t.Print()
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

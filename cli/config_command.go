package cli

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/config"
	"mcptea/ui/paint"
)

func (p *Config) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in force and their origin",
		Long:  configLong(),
		Example: `  mcptea config
  mcptea config --json | jq '.settings[] | select(.origin != "default")'
  $EDITOR "$(mcptea config path)"`,
		Args: noArguments,
		RunE: p.runE(func(*cobra.Command, []string) error { return p.printConfig() }),
	}
	p.addSettings(cmd)
	p.addOutput(cmd)
	p.flags.addConfig(cmd)
	path := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file",
		Args:  noArguments,
		RunE: p.runE(func(*cobra.Command, []string) error {
			path := config.Path(p.flags.config)
			if path == "" {
				return failed("no configuration file: it is disabled by \"off\" in --config or MCPTEA_CONFIG, or there is no home directory")
			}
			return p.out.line(path)
		}),
	}
	declare(path, groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.flags.config, "config", "", "print this `FILE`; \"off\" disables it")
	})
	path.Annotations = map[string]string{noSettings: "true"} // it works for a file with errors
	cmd.AddCommand(path)
	return cmd
}

func configLong() string {
	var rows [][2]string
	for _, k := range config.Keys() {
		rows = append(rows, [2]string{k.Name, k.Type + ": " + k.Means})
	}
	return `Print the settings in force and where each value comes from. A flag overrides an environment variable, which overrides config.yaml.

The keys of config.yaml, their types and what they mean:

` + table(rows) + `
For example:

  theme: nord
  mute: [J030]
  record: {limit: 500MB}
  timeouts: {request: 90s}
  keys:
    follow: [f, F]

An unknown key or a wrong type is an error.`
}

// addSettings declares the flags of the settings, so that their effect can be seen.
func (p *Config) addSettings(cmd *cobra.Command) {
	f := &p.flags
	declare(cmd, groupOwn, func(fs *pflag.FlagSet) {
		f.declareTheme(fs)
		f.declareMouse(fs)
		f.declareMute(fs)
		f.declareRecording(fs)
		f.declareTimeouts(fs)
		f.auth.declareTimeout(fs)
	})
}

// inForce is a setting as mcptea config prints it.
type inForce struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"` // default, file, environment or flag
	Name   string `json:"name,omitempty"`
	text   string
}

// settingsInForce lists the settings in the order of the documentation of the file.
func (p *Config) settingsInForce() ([]inForce, error) {
	var all []inForce
	add := func(key string, value any, text string, o origin) {
		all = append(all, inForce{key, value, o.Kind, o.Name, text})
	}
	f, c := &p.flags, p.configured
	fileOr := func(key string) origin {
		if line, ok := c.Line(key); ok {
			return p.inFile(line)
		}
		return origin{fromDefault, ""}
	}
	theme := f.theme
	if theme == "" {
		theme = "auto"
	}
	add("theme", theme, theme, p.origins["theme"])
	add("mouse", f.mouse, strconv.FormatBool(f.mouse), p.origins["mouse"])
	for _, key := range c.Set() {
		if command, ok := strings.CutPrefix(key, "keys."); ok {
			add(key, c.Keys[command], strings.Join(c.Keys[command], ", "), fileOr(key))
		}
	}
	muted, err := p.mutedRules()
	if err != nil {
		return nil, err
	}
	for _, m := range muted {
		add("mute", m.id, m.id, m.origin)
	}
	record, _ := p.recording()
	from := p.origins["record"]
	if from.Kind == fromDefault {
		from = fileOr("record.enabled")
	}
	add("record.enabled", record != "off", strconv.FormatBool(record != "off"), from)
	dir, wrong := p.recordingDir()
	if wrong != nil {
		dir = "none: " + wrong.Error()
	}
	add("record.dir", dir, dir, fileOr("record.dir"))
	add("record.limit", f.recordLimit, f.recordLimit, p.origins["record-limit"])
	add("timeouts.request", f.timeout.String(), durationText(f.timeout), p.origins["timeout"])
	add("timeouts.connect", f.connectTimeout.String(), durationText(f.connectTimeout), p.origins["connect-timeout"])
	add("timeouts.authorization", f.auth.timeout.String(), durationText(f.auth.timeout), p.origins["auth-timeout"])
	return all, nil
}

func (p *Config) printConfig() error {
	all, err := p.settingsInForce()
	if err != nil {
		return err
	}
	if p.json {
		b, err := json.Marshal(struct {
			Path     string    `json:"path"`
			Exists   bool      `json:"exists"`
			Settings []inForce `json:"settings"`
		}{p.configPath, fileExists(p.configPath), all})
		if err != nil {
			return err
		}
		return p.printJSON(string(b))
	}
	path := p.configPath
	switch {
	case path == "":
		path = "none (disabled)"
	case !fileExists(path):
		path += " (does not exist)"
	}
	if err := p.out.line(p.out.faint("configuration file: ") + p.out.safe(path) + "\n"); err != nil {
		return err
	}
	keys, values := 0, 0
	for _, s := range all {
		keys, values = max(keys, paint.Width(s.Key)), max(values, min(paint.Width(s.text), 40))
	}
	for _, s := range all {
		key, text := paint.Sanitize(s.Key), paint.Sanitize(s.text)
		line := p.out.name(key) + strings.Repeat(" ", max(0, keys-paint.Width(key))+2) + text + strings.Repeat(" ", max(0, values-paint.Width(text))+2)
		if err := p.out.line(line + p.out.faint(p.out.safe(origin{s.Origin, s.Name}.String()))); err != nil {
			return err
		}
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

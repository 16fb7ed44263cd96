// Package settings collects the settings of a command: flags, the configuration file, the environment, TLS
// and authorization. It applies them to a target and a client.
//
// It also reads and edits the configuration file, config.yaml. It checks keys and the types of values, and
// reports errors with their lines. The caller checks the meaning of values, such as whether a theme or a rule
// of that name exists. An edit changes one entry and keeps comments, order and layout.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/internal/yamldoc"
	"mcptea/record/filter"
	"mcptea/themes"
)

// Settings contains the flags of a command, the configuration file and the environment, and computes targets
// and clients from them.
type Settings struct {
	*app.App
	Flags Flags
	// Configured is the configuration file at ConfigPath. Origins maps flags to the sources of the values of
	// their settings. Both are set by Validate.
	Configured *Config
	ConfigPath string
	// NamedFilters returns the named filters of the configuration file.
	NamedFilters filter.Names
	Origins      map[string]Origin
	// TargetFlags are the flags that a copied command must repeat.
	TargetFlags []shell.Flag
	// set are the flags of the command line, or nil before it was read.
	set *pflag.FlagSet
}

// New makes the settings of a run.
func New(a *app.App) *Settings { return &Settings{App: a, Configured: &Config{}} }

// With returns a copy of the settings with other flags. The copy has the same configuration file.
func (p *Settings) With(f Flags) *Settings {
	other := *p
	other.Flags = f
	return &other
}

// setting is a value that has, in the order of precedence, a flag, an environment
// variable and a key of the configuration file.
type setting struct {
	key      string
	flag     string
	variable string
	// file is the value in the file, written as the flag takes it.
	file func(*Config) string
}

var settings = []setting{
	{"theme", "theme", "MCPTEA_THEME", func(c *Config) string { return c.Theme }},
	{"mouse", "mouse", "MCPTEA_MOUSE", func(c *Config) string { return strconv.FormatBool(c.Mouse) }},
	{"record.limit", "record-limit", "MCPTEA_RECORD_LIMIT", func(c *Config) string { return c.Record.Limit }},
	{"timeouts.request", "timeout", "MCPTEA_TIMEOUT", func(c *Config) string { return c.Timeouts.Request.String() }},
	{"timeouts.connect", "connect-timeout", "MCPTEA_CONNECT_TIMEOUT", func(c *Config) string { return c.Timeouts.Connect.String() }},
	{"timeouts.authorization", "auth-timeout", "MCPTEA_AUTH_TIMEOUT", func(c *Config) string { return c.Timeouts.Authorization.String() }},
	// These are not in the file: they would change what commands in scripts do.
	{"", "record", "MCPTEA_RECORD", nil},
	{"", "token-store", StoreVariable, nil},
	{"", "cacert", authoritiesVariable, nil},
	{"", "cert", certVariable, nil},
	{"", "key", keyVariable, nil},
}

// The origins of a value.
const (
	FromDefault     = "default"
	fromFlag        = "flag"
	fromEnvironment = "environment"
	fromFile        = "file"
)

// An Origin is the source of the value of a setting.
type Origin struct {
	Kind string
	Name string // name of the flag or the variable, or FILE:LINE
}

func (o Origin) String() string {
	if o.Name == "" {
		return o.Kind
	}
	return o.Name
}

const configHint = "MCPTEA_CONFIG=off and --config off ignore the file; mcptea config path prints its path."

// loadSettings reads the configuration file and sets the flags that the command line
// does not set to the values of the environment and of the file.
func (p *Settings) loadSettings(cmd *cobra.Command) error {
	p.Origins = map[string]Origin{}
	if readsConfig(cmd) {
		if err := p.readConfig(); err != nil {
			return err
		}
	}
	for _, s := range settings {
		if err := p.resolve(cmd, s); err != nil {
			return err
		}
	}
	return p.checkSettings()
}

// readsConfig reports whether a command uses settings of the configuration file. A
// demo server is a server: the file of its client is not its own.
func readsConfig(cmd *cobra.Command) bool {
	for _, name := range []string{"serve", "listen"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return false
		}
	}
	return cmd.Flags().Lookup("config") != nil && cmd.Annotations[NoSettings] == ""
}

func (p *Settings) readConfig() error {
	p.ConfigPath = Path(p.Flags.Config, p.Env.Get)
	if p.Flags.Config != "" && p.ConfigPath != "" {
		if _, err := os.Stat(p.ConfigPath); errors.Is(err, fs.ErrNotExist) {
			return app.Usage("", "--config: %v", err)
		}
	}
	c, err := Read(p.Ctx, p.ConfigPath)
	if err != nil {
		if use := app.ReaderOf("config", p.ConfigPath); use != "" && p.Flags.Config != "" {
			return app.Usage("It is not a configuration of mcptea. "+use, "cannot read the configuration: %v", err)
		}
		return app.InputError(configHint, "cannot read the configuration", err)
	}
	if p.NamedFilters, err = filter.NewNames(p.ConfigPath, c.Filters); err != nil {
		return app.InputError(configHint, "cannot read the configuration", err)
	}
	p.Configured = c
	return nil
}

// KeysError returns an error with the lines of the invalid key bindings in the configuration file, or nil.
// command returns the command of an error.
func (p *Settings) KeysError(errs []error, command func(error) string) error {
	var all []error
	for _, err := range errs {
		at := &yamldoc.Error{Name: p.ConfigPath, Text: err.Error()}
		if line, ok := p.Configured.Line("keys." + command(err)); ok {
			at.Line = line
		}
		all = append(all, at)
	}
	return app.InputError(configHint, "cannot read the configuration", errors.Join(all...))
}

// resolve finds the value of one setting, and sets the variable of its flag.
func (p *Settings) resolve(cmd *cobra.Command, s setting) error {
	// All flags of settings are declared on the root, for the same variables as on
	// other commands.
	value := cmd.Root().Flags().Lookup(s.flag).Value
	if f := cmd.Flags().Lookup(s.flag); f != nil && f.Changed {
		p.Origins[s.flag] = Origin{fromFlag, "--" + s.flag}
		return nil
	}
	if text := p.Env.Get(s.variable); text != "" {
		if err := value.Set(text); err != nil {
			return app.Usage("It takes the same values as --"+s.flag+".", "%s=%q: %v", s.variable, text, err)
		}
		p.Origins[s.flag] = Origin{fromEnvironment, s.variable}
		return nil
	}
	p.Origins[s.flag] = Origin{FromDefault, ""}
	if line, ok := p.Configured.Line(s.key); ok {
		if err := value.Set(s.file(p.Configured)); err != nil {
			return app.InputError("", "cannot read the configuration", &yamldoc.Error{Name: p.ConfigPath, Line: line, Text: s.key + ": " + err.Error()})
		}
		p.Origins[s.flag] = p.InFile(line)
	}
	return nil
}

// InFile returns a line of the configuration file.
func (p *Settings) InFile(line int) Origin {
	return Origin{fromFile, fmt.Sprintf("%s:%d", p.ConfigPath, line)}
}

// checkSettings checks values that the types of the flags leave open.
func (p *Settings) checkSettings() error {
	if err := p.checkTheme(); err != nil {
		return err
	}
	if _, err := app.ParseSize(p.Flags.RecordLimit); err != nil {
		return app.Usage("Write it as 500MB or 2GB; 0 is unlimited.", "%s: %q is not a size", p.where("record-limit"), p.Flags.RecordLimit)
	}
	return nil
}

// where names the source of a value for an error message: a flag, a variable, or a line of the configuration
// file with its key.
func (p *Settings) where(flag string) string {
	o := p.Origins[flag]
	if o.Kind == fromFile {
		for _, s := range settings {
			if s.flag == flag {
				return o.Name + ": " + s.key
			}
		}
	}
	return o.String()
}

// Recording returns the value of [session.Config].Record and RecordDir in the inspector.
func (p *Settings) Recording() (record, dir string) {
	if _, set := p.Configured.Line("record.enabled"); set && !p.Configured.Record.Enabled && p.Flags.Record == "" {
		return "off", ""
	}
	return p.Flags.Record, p.Configured.Record.Dir
}

// RecordingDir returns the directory of recordings.
func (p *Settings) RecordingDir() (string, error) {
	if p.Configured.Record.Dir != "" {
		return p.Configured.Record.Dir, nil
	}
	dir, err := system.StateDir()
	return filepath.Join(dir, "recordings"), err
}

// HostRecordings returns the directory in which taps record if a host starts them without
// XDG_STATE_HOME. It returns "" if that is RecordingDir or has no files.
func (p *Settings) HostRecordings() string {
	home := system.HomeStateDir()
	if home == "" || p.Configured.Record.Dir != "" {
		return ""
	}
	dir := filepath.Join(home, "recordings")
	if list, err := os.ReadDir(dir); err != nil || len(list) == 0 {
		return ""
	}
	return dir
}

// ThemeCatalog returns the embedded themes and the user's themes.
func ThemeCatalog() *themes.Catalog {
	dir := system.ConfigDir()
	if dir == "" {
		return &themes.Catalog{}
	}
	return &themes.Catalog{Dir: filepath.Join(dir, "themes")}
}

// checkTheme reports a theme that does not exist.
func (p *Settings) checkTheme() error {
	name := p.Flags.Theme
	if name == "" || name == themes.Auto {
		return nil
	}
	if _, err := ThemeCatalog().Load(name, true); err != nil {
		return app.Usage(app.Suggest(name, ThemeCatalog().Names(), "mcptea config themes lists the themes."), "%s: %v", p.where("theme"), err)
	}
	return nil
}

// NoSettings annotates a command that does not read the configuration file although
// it has --config.
const NoSettings = "mcptea_no_settings"

// Validate reads the settings, checks the values of flags, and sets values that depend on the
// environment. It runs before each command.
func (p *Settings) Validate(cmd *cobra.Command, _ []string) error {
	f := &p.Flags
	p.TargetFlags, p.set = GivenTargetFlags(cmd.Flags()), cmd.Flags()
	f.noteHTTP(cmd.Flags())
	if err := p.loadSettings(cmd); err != nil {
		return err
	}
	if err := p.readAsClient(cmd); err != nil {
		return err
	}
	if _, err := p.ParseFilter("--filter", f.Filter); err != nil {
		return err
	}
	for _, name := range f.mute {
		if _, err := RuleNamed("--mute", name); err != nil {
			return err
		}
	}
	for _, dir := range f.roots {
		if dir == "" {
			return app.Usage("Write --root . for the current directory.", "--root: the directory is empty")
		}
	}
	for _, kv := range f.env {
		if name, _, _ := strings.Cut(kv, "="); strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return app.Usage("Write it as -e NAME=value.", "-e %q: the name contains a space or a control character", name)
		}
	}
	if f.Trace != "" && f.Trace != TraceLines && f.Trace != TraceFull {
		return app.Usage("Write --trace, or --trace=full.", "--trace=%s: unknown value", f.Trace)
	}
	if err := p.JQ.Compile(); err != nil {
		return err
	}
	p.JSON = p.JSON || p.JQ.Text != ""
	switch {
	case strings.EqualFold(f.Record, "off"):
		f.Record = "off"
	case f.Record == "-":
		return app.Usage("Name a file; for a file named \"-\" write ./-.", "--record - is not supported: stdout has the output of the command")
	}
	if !cmd.Flags().Changed("ascii") {
		p.ASCII = NeedsASCII(runtime.GOOS, p.Env.Get)
	}
	phrase.UseASCII(p.ASCII)
	p.Out.ASCII, p.Err.ASCII = p.ASCII && p.Out.Terminal, p.ASCII && p.Err.Terminal
	return p.OpenOutput()
}

// NeedsASCII reports whether output must be ASCII: the locale has another encoding
// than UTF-8, or TERM is dumb. Without a locale, as in many containers, it is UTF-8.
func NeedsASCII(system string, getenv func(string) string) bool {
	if system == "windows" {
		return false // the environment has no locale
	}
	if getenv("TERM") == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale := getenv(name)
		if locale == "" {
			continue
		}
		_, charset, named := strings.Cut(locale, ".")
		charset, _, _ = strings.Cut(charset, "@")
		switch {
		case locale == "C" || locale == "POSIX":
			return true
		case !named:
			return false
		}
		return !strings.EqualFold(strings.ReplaceAll(charset, "-", ""), "utf8")
	}
	return false
}

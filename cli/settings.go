package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/config"
	"mcptea/session"
	"mcptea/themes"
)

// setting is a value that has, in the order of precedence, a flag, an environment
// variable and a key of the configuration file.
type setting struct {
	key      string
	flag     string
	variable string
	// file is the value in the file, written as the flag takes it.
	file func(*config.Config) string
}

var settings = []setting{
	{"theme", "theme", "MCPTEA_THEME", func(c *config.Config) string { return c.Theme }},
	{"mouse", "mouse", "MCPTEA_MOUSE", func(c *config.Config) string { return strconv.FormatBool(c.Mouse) }},
	{"record.limit", "record-limit", "MCPTEA_RECORD_LIMIT", func(c *config.Config) string { return c.Record.Limit }},
	{"timeouts.request", "timeout", "MCPTEA_TIMEOUT", func(c *config.Config) string { return c.Timeouts.Request.String() }},
	{"timeouts.connect", "connect-timeout", "MCPTEA_CONNECT_TIMEOUT", func(c *config.Config) string { return c.Timeouts.Connect.String() }},
	{"timeouts.authorization", "auth-timeout", "MCPTEA_AUTH_TIMEOUT", func(c *config.Config) string { return c.Timeouts.Authorization.String() }},
	// These are not in the file: they would change what commands in scripts do.
	{"", "record", "MCPTEA_RECORD", nil},
	{"", "token-store", storeVariable, nil},
}

// The origins of a value.
const (
	fromDefault     = "default"
	fromFlag        = "flag"
	fromEnvironment = "environment"
	fromFile        = "file"
)

// origin is where the value of a setting comes from.
type origin struct {
	Kind string
	Name string // of the flag or the variable, or FILE:LINE
}

func (o origin) String() string {
	if o.Name == "" {
		return o.Kind
	}
	return o.Name
}

const configHint = "MCPTEA_CONFIG=off and --config off ignore the file; mcptea config path prints its path."

// loadSettings reads the configuration file and sets the flags that the command line
// does not set to the values of the environment and of the file.
func (p *connection) loadSettings(cmd *cobra.Command) error {
	p.origins = map[string]origin{}
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
	for _, name := range []string{"serve", "http"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return false
		}
	}
	return cmd.Flags().Lookup("config") != nil && cmd.Annotations[noSettings] == ""
}

func (p *connection) readConfig() error {
	p.configPath = config.Path(p.flags.config)
	if p.flags.config != "" && p.configPath != "" {
		if _, err := os.Stat(p.configPath); errors.Is(err, fs.ErrNotExist) {
			return usage("", "--config: %v", err)
		}
	}
	c, err := config.Read(p.ctx, p.configPath)
	if err != nil {
		return inputError(configHint, "cannot read the configuration", err)
	}
	p.configured = c
	return nil
}

// resolve finds the value of one setting, and sets the variable of its flag.
func (p *connection) resolve(cmd *cobra.Command, s setting) error {
	// All flags of settings are declared on the root, for the same variables as on
	// other commands.
	value := cmd.Root().Flags().Lookup(s.flag).Value
	if f := cmd.Flags().Lookup(s.flag); f != nil && f.Changed {
		p.origins[s.flag] = origin{fromFlag, "--" + s.flag}
		return nil
	}
	if text := os.Getenv(s.variable); text != "" {
		if err := value.Set(text); err != nil {
			return usage("It takes the same values as --"+s.flag+".", "%s=%q: %v", s.variable, text, err)
		}
		p.origins[s.flag] = origin{fromEnvironment, s.variable}
		return nil
	}
	p.origins[s.flag] = origin{fromDefault, ""}
	if line, ok := p.configured.Line(s.key); ok {
		if err := value.Set(s.file(p.configured)); err != nil {
			return usage("", "%s:%d: %s: %v", p.configPath, line, s.key, err)
		}
		p.origins[s.flag] = p.inFile(line)
	}
	return nil
}

func (p *connection) inFile(line int) origin {
	return origin{fromFile, fmt.Sprintf("%s:%d", p.configPath, line)}
}

// checkSettings checks values that the types of the flags leave open.
func (p *connection) checkSettings() error {
	if err := p.checkTheme(); err != nil {
		return err
	}
	if _, err := parseSize(p.flags.recordLimit); err != nil {
		return usage("Write it as 500MB or 2GB; 0 is unlimited.", "%s: %q is not a size", p.where("record-limit"), p.flags.recordLimit)
	}
	return nil
}

// where names the place that a value comes from, for an error message: a flag, a
// variable, or a line of the configuration file with its key.
func (p *connection) where(flag string) string {
	o := p.origins[flag]
	if o.Kind == fromFile {
		for _, s := range settings {
			if s.flag == flag {
				return o.Name + ": " + s.key
			}
		}
	}
	return o.String()
}

// recording is the value of [session.Config].Record and RecordDir in the inspector.
func (p *connection) recording() (record, dir string) {
	if _, set := p.configured.Line("record.enabled"); set && !p.configured.Record.Enabled && p.flags.record == "" {
		return "off", ""
	}
	return p.flags.record, p.configured.Record.Dir
}

// recordingDir is the directory of recordings.
func (p *connection) recordingDir() (string, error) {
	if p.configured.Record.Dir != "" {
		return p.configured.Record.Dir, nil
	}
	dir, err := session.StateDir()
	return filepath.Join(dir, "recordings"), err
}

// themeCatalog are the embedded themes and those of the user.
func themeCatalog() *themes.Catalog {
	dir := config.Dir()
	if dir == "" {
		return &themes.Catalog{}
	}
	return &themes.Catalog{Dir: filepath.Join(dir, "themes")}
}

// checkTheme reports a theme that does not exist.
func (p *connection) checkTheme() error {
	name := p.flags.theme
	if name == "" || name == themes.Auto {
		return nil
	}
	if _, err := themeCatalog().Load(name, true); err != nil {
		hint := "mcptea themes lists the themes."
		if near := nearest(name, themeCatalog().Names()); len(near) > 0 {
			hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
		}
		return usage(hint, "%s: %v", p.where("theme"), err)
	}
	return nil
}

// noSettings annotates a command that does not read the configuration file although
// it has --config.
const noSettings = "mcptea_no_settings"

package settings

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mcptea/record/filter"
	"mcptea/session/runs/usercommand"
)

// Config is the contents of a configuration file. Each member is the zero value
// unless [Config.Line] returns a line for its key.
type Config struct {
	Theme    string                // "theme"
	Mouse    bool                  // "mouse"
	Notify   bool                  // "notify"
	Restore  bool                  // "restore"
	Confirm  string                // "confirm": [ConfirmDestructive] or "never"
	Keys     map[string][]string   // "keys": by the id of the command, its key bindings
	Mute     []Rule                // "mute"
	Record   Record                // "record"
	Timeouts Timeouts              // "timeouts"
	Servers  map[string]string     // "servers": by name, a command line or a URL
	TLS      map[string]TLS        // TLS settings of the entries of "servers" that have any
	Filters  []filter.Named        // "filters", in the order of the file
	Commands []usercommand.Command // "commands", in the order of the file

	lines map[string]int // line numbers by key
}

// TLS holds the TLS settings of an entry of "servers".
type TLS struct {
	CACert     []string // "cacert": files with authorities, absolute
	Cert, Key  string   // "cert", "key": files of the client, absolute
	ServerName string   // "tls-server-name"
	Insecure   bool     // "insecure"
}

// String lists the settings, as in "cacert FILE, insecure".
func (t TLS) String() string {
	var words []string
	for _, file := range t.CACert {
		words = append(words, "cacert "+file)
	}
	for _, w := range [][2]string{{"cert", t.Cert}, {"key", t.Key}, {"tls-server-name", t.ServerName}} {
		if w[1] != "" {
			words = append(words, w[0]+" "+w[1])
		}
	}
	if t.Insecure {
		words = append(words, "insecure")
	}
	return strings.Join(words, ", ")
}

// Rule is a lint rule as the file names it: by its id or its slug.
type Rule struct {
	Name string
	Line int // line of the file, from 1
}

// A Record holds the settings for recording sessions in the inspector.
type Record struct {
	Enabled bool   // "record.enabled", or "record" if that is a boolean
	Dir     string // "record.dir": absolute
	Limit   string // "record.limit": a size such as 500MB
}

// Timeouts bound how long mcptea waits.
type Timeouts struct {
	Request       time.Duration // "timeouts.request"
	Connect       time.Duration // "timeouts.connect"
	Authorization time.Duration // "timeouts.authorization"
}

// Line returns the line of the file, from 1, that sets a key such as "timeouts.request". ok reports whether the
// file sets it. The key of a key binding is "keys." and the id of the command. The keys of servers, filters and
// commands are "servers.", "filters." and "commands." and their names.
func (c *Config) Line(key string) (line int, ok bool) {
	line, ok = c.lines[key]
	return line, ok
}

// Set returns the keys that the file sets, sorted.
func (c *Config) Set() []string { return slices.Sorted(maps.Keys(c.lines)) }

// ConfirmDestructive is the value of "confirm" that asks before a call of a destructive tool; [confirmNever] is
// the other value.
const (
	ConfirmDestructive = "destructive"
	confirmNever       = "never"
)

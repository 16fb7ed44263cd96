package hosts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// variables is a set of syntaxes for references to variables.
type variables uint16

const (
	braces     variables = 1 << iota // ${V}, ${V:-default}
	dollar                           // $V
	percent                          // %V% on Windows
	envColon                         // ${env:V}
	folders                          // ${workspaceFolder}, ${userHome}, …
	inputs                           // ${input:ID}, ${command:ID}, ${config:KEY}
	curly                            // {env:V}, {file:PATH}
	doubled                          // ${{ secrets.V }}
	plugins                          // ${CLAUDE_PLUGIN_ROOT}
	evaluated                        // $(command)
	templates                        // {V}, {{V}}
	userConfig                       // ${user_config.V}
)

var syntaxNames = []string{"braces", "dollar", "percent", "envColon", "folders", "inputs", "curly", "doubled", "plugins", "evaluated", "templates", "userConfig"}

// UnmarshalJSON reads a list of the names above.
func (v *variables) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	for _, name := range names {
		i := slices.Index(syntaxNames, name)
		if i < 0 {
			return fmt.Errorf("%q is not the syntax of a variable", name)
		}
		*v |= 1 << i
	}
	return nil
}

// role is the meaning of a key of an entry.
type role = string

// dialect describes how the entries of a host are written, and how the host interprets them: a row of
// dialects.jsonl.
type dialect struct {
	ID         string            `json:"dialect"`
	Keys       []string          // keys whose name is their role
	Renamed    map[string]role   // key → meaning
	Ignored    []string          // keys that only the host uses
	Deprecated map[string]string // key → the key to use instead
	Rejected   map[string]string // key → the key to use instead, of an entry with a URL
	Types      map[string]Transport
	NeedType   Severity `json:"need_type"`  // severity of a URL without type, or "" if type may be omitted
	StdioOnly  bool     `json:"stdio_only"` // entries with a URL are not supported
	BothUses   bool     `json:"both_uses"`  // an entry with a command and a URL is used, with the URL
	NoSSE      bool     `json:"no_sse"`
	WS         bool
	Sockets    bool // unix:/// and pipe:/// URLs are allowed

	Vars        variables // variables that the host expands in all values, or only in the values of VarsIn
	VarsIn      []role    `json:"vars_in"`
	CommandVars variables `json:"command_vars"` // variables that the host expands in the command
	Undefined   string    // behavior of the host for a variable that is not set
	Tilde       string    // values in which ~ is expanded: "all", "command" or none
	SecretHint  string    `json:"secret_hint"` // advice for keeping a secret out of the file without references
	EnvHint     string    `json:"env_hint"`    // advice for passing on the variable NAME

	Unit        string // unit of "timeout": "s", "ms", or "" if unknown
	Names       string // "word": letters, digits, - and _; "no-underscore"
	Reserved    []string
	LooseEnv    bool   `json:"loose_env"`    // values of env may be numbers and null
	CommandList bool   `json:"command_list"` // the command is a list with the arguments
	ResolvesCmd bool   `json:"resolves_cmd"` // finds .cmd files on Windows
	AnyDir      string `json:"any_dir"`      // directory in which the servers of a user's file start, if it is not the project
	Enclosed    bool   // entries are complete by other rules; no checks

	keys map[string]role // roles of all keys; "-" for ignored keys
	unit time.Duration
}

// complete computes the fields that follow from the row.
func (d *dialect) complete() {
	d.keys = map[string]role{}
	for _, key := range d.Keys {
		d.keys[key] = key
	}
	maps.Copy(d.keys, d.Renamed)
	for _, key := range d.Ignored {
		d.keys[key] = "-"
	}
	d.unit = map[string]time.Duration{"s": time.Second, "ms": time.Millisecond}[d.Unit]
}

// keyOf returns the key with a meaning: the usual one, or else the shortest one.
func (d *dialect) keyOf(meaning role) string {
	if d.keys[meaning] == meaning && d.Deprecated[meaning] == "" {
		return meaning
	}
	best := ""
	for key, r := range d.keys {
		if r == meaning && (best == "" || len(key) < len(best) || len(key) == len(best) && key < best) && d.Deprecated[key] == "" {
			best = key
		}
	}
	return best
}

// reference returns the reference to a variable as written in an entry, or "" if the host expands none.
func (d *dialect) reference(name string) string {
	switch {
	case d.Vars&envColon != 0:
		return "${env:" + name + "}"
	case d.Vars&braces != 0:
		return "${" + name + "}"
	case d.Vars&curly != 0:
		return "{env:" + name + "}"
	case d.Vars&doubled != 0:
		return "${{ secrets." + name + " }}"
	}
	return ""
}

// alternatives returns the accepted transports, for messages.
func (d *dialect) alternatives(url bool) string {
	var names []string
	for name, t := range d.Types {
		if url == (t != Stdio && t != Builtin) {
			names = append(names, `"`+name+`"`)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}

package hosts

import (
	"slices"
	"strings"
	"time"
)

// variables is a set of syntaxes for references to variables.
type variables uint16

const (
	braces    variables = 1 << iota // ${V}, ${V:-default}
	dollar                          // $V
	percent                         // %V% on Windows
	envColon                        // ${env:V}
	folders                         // ${workspaceFolder}, ${userHome}, …
	inputs                          // ${input:ID}, ${command:ID}, ${config:KEY}
	curly                           // {env:V}, {file:PATH}
	doubled                         // ${{ secrets.V }}
	plugins                         // ${CLAUDE_PLUGIN_ROOT}
	evaluated                       // $(command)
	templates                       // {V}, {{V}}, ${__dirname}, ${user_config.V}
)

// role is what a key of an entry means.
type role = string

// dialect is how the entries of a host are written, and what the host does with them.
type dialect struct {
	keys       map[string]role   // meaning of the keys; "-" for those that matter to the host alone
	deprecated map[string]string // key → the key to use instead
	rejected   map[string]string // key → the key to use instead, of an entry with a URL
	types      map[string]Transport
	needType   Severity // of a URL without type; empty if it may be omitted
	stdioOnly  bool
	bothUses   bool // an entry with a command and a URL is used, with the URL
	noSSE      bool
	ws         bool
	sockets    bool // URLs may be unix:/// and pipe:///

	vars      variables // in all values
	inCommand variables // in the command as well
	undefined string    // what the host does with a variable that is not set
	tilde     string    // which values expand ~: "all", "command" or none

	unit        time.Duration // of "timeout"; 0 if unknown
	name        string        // "word": letters, digits, - and _; "no-underscore"
	reserved    []string
	looseEnv    bool   // values of env may be numbers and null
	commandList bool   // the command is a list with the arguments
	resolvesCmd bool   // finds .cmd files on Windows
	anyDir      string // where servers of a user's file are started, if that is not the project
	enclosed    bool   // entries are complete by other rules; no checks
}

// keys parses "key" and "key=role".
func keys(list string) map[string]role {
	out := map[string]role{}
	for _, word := range strings.Fields(list) {
		key, meaning, ok := strings.Cut(word, "=")
		if !ok {
			meaning = key
		}
		out[key] = meaning
	}
	return out
}

func ignored(list string) map[string]role {
	out := map[string]role{}
	for _, key := range strings.Fields(list) {
		out[key] = "-"
	}
	return out
}

func with(a map[string]role, more ...map[string]role) map[string]role {
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return a
}

// keyOf returns the key with a meaning, the shortest one if there are several.
func (d *dialect) keyOf(meaning role) string {
	best := ""
	for key, r := range d.keys {
		if r == meaning && (best == "" || len(key) < len(best) || len(key) == len(best) && key < best) && d.deprecated[key] == "" {
			best = key
		}
	}
	return best
}

// reference is how a variable is written in an entry; empty if the host expands none.
func (d *dialect) reference(name string) string {
	switch {
	case d.vars&envColon != 0:
		return "${env:" + name + "}"
	case d.vars&braces != 0:
		return "${" + name + "}"
	case d.vars&curly != 0:
		return "{env:" + name + "}"
	case d.vars&doubled != 0:
		return "${{ secrets." + name + " }}"
	}
	return ""
}

// alternatives are the accepted transports, for messages.
func (d *dialect) alternatives(url bool) string {
	var names []string
	for name, t := range d.types {
		if url == (t != Stdio && t != Builtin) {
			names = append(names, `"`+name+`"`)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}

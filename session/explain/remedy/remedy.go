package remedy

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/session/explain/failure"
)

// Way is the kind of action of a remedy.
type Way uint8

// The ways.
const (
	Told    Way = iota // only the user can do it
	Type               // the user types the value of the variable or header Name
	Line               // the user edits the line Value of [Run.Text]
	At                 // set Flag to Value immediately
	Agree              // it does after the user has seen and agreed to Value in full
	Wait               // waits until the port accepts connections
	Connect            // try again unchanged
	Shell              // runs the command in a shell
)

// A Remedy is an action against a failure.
type Remedy struct {
	ID    string // id of the row in failures.jsonl
	Text  string // text of the explanation
	Way   Way
	Label string // imperative label of an executable remedy; Name and Value in it may be untrusted
	Flag  string // flag to set, or "" to edit the line
	Name  string // name of a variable, a header or another value that the user types
	Value string // proposed value, or "" if the user types it
}

// maxNames is the number of variables offered for one failure.
const maxNames = 5

var (
	variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9_]+)+\b`)
	constantName = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
	headerName   = lazyregexp.New(`^[A-Za-z0-9-]{1,60}$`)
)

// Of returns the remedies of an explanation for a run, the most important first. failed is the explained error.
func Of(why failure.Explanation, r Run, failed error) []Remedy {
	var all []Remedy
	for _, advice := range why.Remedies() {
		some := r.allowed(r.does(advice, failed))
		if len(some) == 0 {
			some = []Remedy{{}}
		}
		for _, one := range some {
			one.ID, one.Text, one.Label = advice.ID, advice.Text, r.Link.Target.Redact(one.Label)
			all = append(all, one)
		}
	}
	return all
}

// does returns the executable remedies for an advice, or none if only the user can follow it.
func (r Run) does(advice failure.Remedy, failed error) []Remedy {
	t := r.Link.Target
	switch advice.Action {
	case failure.ActionVariable:
		if name, value, known := strings.Cut(advice.Value, "="); known && constantName().MatchString(name) { // only names from the row, never from a server
			return []Remedy{{Way: At, Label: "set " + advice.Value, Flag: "env", Name: name, Value: value}}
		}
		var all []Remedy
		names := variableName().FindAllString(advice.Value, -1)
		for _, name := range slices.Compact(names)[:min(len(names), maxNames)] {
			all = append(all, Remedy{Way: Type, Label: "set " + name, Flag: "env", Name: name})
		}
		return all
	case failure.ActionHeader:
		if name := http.CanonicalHeaderKey(advice.Value); headerName().MatchString(name) {
			return []Remedy{{Way: Type, Label: "send the header " + name, Flag: "header", Name: name}}
		}
	case failure.ActionCommand:
		if command, ok := strings.CutSuffix(advice.Value, " -i"); ok {
			return r.withStdin(command)
		}
		return r.edit("correct the command", advice.Value)
	case failure.ActionURL: // the guess is a separate way: the user edits the line that was typed
		all := r.edit("correct the URL", "")
		if guess := r.nextURL(advice); advice.Value != "" && guess != "" {
			all = append(all, r.named(guess)...)
		}
		return all
	case failure.ActionScheme:
		return r.edit("correct the URL", r.nextURL(advice))
	case failure.ActionNamed:
		return r.named(advice.Value)
	case failure.ActionProtocol:
		if advice.Value == "auto" || revision.Revision(advice.Value).Known() {
			return []Remedy{{Way: At, Label: "offer protocol version " + advice.Value, Flag: "protocol", Value: advice.Value}}
		}
	case failure.ActionTransport:
		return []Remedy{{Way: At, Label: "use the transport " + advice.Value, Flag: "transport", Value: advice.Value}}
	case failure.ActionTrust:
		if f, ok := mcphttp.TLSFailureOf(failed); ok && f.TLS != nil && len(f.TLS.Chain) > 0 && isOfTarget(t.URL, failed) {
			return []Remedy{{Way: Agree, Label: "trust this certificate for this run", Flag: trustFlag, Value: f.TLS.Chain[0].SHA256}}
		}
	case failure.ActionWait:
		if u, err := url.Parse(t.URL); err == nil {
			return []Remedy{{Way: Wait, Label: "wait for " + mcphttp.AddressOf(u)}}
		}
	case failure.ActionConnectTimeout:
		return longer("connect-timeout", r.Link.Client.ConnectTimeout, 30*time.Second)
	case failure.ActionTimeout:
		return longer("timeout", r.Link.Client.Timeout, time.Minute)
	case failure.ActionAgain:
		return []Remedy{{Way: Connect, Label: "connect again"}}
	case failure.ActionShell:
		if t.IsStdio() {
			return []Remedy{{Way: Shell, Label: "run the command in a shell"}}
		}
	case failure.ActionClient, failure.ActionScope, failure.ActionLenient:
		return r.authorizing(advice.Action)
	}
	return nil
}

// authorizing returns the ways to repeat an authorization or a handshake with other settings.
func (r Run) authorizing(action failure.Action) []Remedy {
	switch {
	case action == failure.ActionLenient:
		return []Remedy{{Way: Agree, Label: "continue past the violation", Flag: lenientFlag, Value: "true"}}
	case r.Link.Authorization == nil:
		return nil
	case action == failure.ActionClient:
		return []Remedy{{Way: Type, Label: "authorize as a registered client", Flag: clientFlag, Name: "client ID"}}
	}
	return []Remedy{{Way: Type, Label: "request other scopes", Flag: scopeFlag, Name: "scopes"}}
}

// isOfTarget reports whether a failure is not about another origin, such as an authorization
// server.
func isOfTarget(target string, failed error) bool {
	_, elsewhere := errors.AsType[*transport.AuthorizationError](failed)
	return target != "" && !elsewhere
}

// longer doubles a timeout.
func longer(flag string, now, usual time.Duration) []Remedy {
	if now == 0 {
		now = usual
	}
	value := (2 * now).String()
	if now%(30*time.Second) == 0 {
		value = fmt.Sprintf("%dm", 2*now/time.Minute)
	}
	return []Remedy{{Way: At, Label: "wait up to " + value, Flag: flag, Value: value}}
}

// edit returns a remedy in which the user edits the line, with target as its command or URL unless that is "".
func (r Run) edit(label, target string) []Remedy {
	text, err := r.Text()
	if target != "" {
		text, err = r.Propose(target)
	}
	if err != nil { // it contains bytes that a line cannot contain
		return nil
	}
	return []Remedy{{Way: Line, Label: label, Value: text}}
}

// withStdin proposes the command with -i after the verb of a program that runs containers, as "docker run".
func (r Run) withStdin(command string) []Remedy {
	_, verb, _ := strings.Cut(command, " ")
	argv := r.Link.Target.Argv
	if at := slices.Index(argv, verb); at > 0 {
		r.Link.Target.Argv = slices.Insert(slices.Clone(argv), at+1, "-i")
	}
	return r.edit("correct the command", "")
}

// nextURL returns a URL that may be correct: with another scheme or a common path.
func (r Run) nextURL(advice failure.Remedy) string {
	u, err := url.Parse(r.Link.Target.URL)
	switch {
	case err != nil:
		return ""
	case advice.Action == failure.ActionScheme && advice.Value != "": // from a redirect to the same host
		return advice.Value
	case advice.Action == failure.ActionScheme && u.Scheme == "https": // only for a server on this machine; see [Run.allowed]
		u.Scheme = "http"
	case advice.Action == failure.ActionScheme:
		u.Scheme = "https"
	case advice.Value != "":
		u.Path = advice.Value
	}
	return u.String()
}

// named returns the remedy for a URL that the server has named. If its origin differs from the target's, the
// user must agree to it first.
func (r Run) named(to string) []Remedy {
	u, err := url.Parse(to)
	current, bad := url.Parse(r.Link.Target.URL)
	if err != nil || bad != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil
	}
	way := Agree
	if !r.Link.Target.IsStdio() && mcphttp.SameOrigin(u, current) && isShown(to) {
		way = At
	}
	return []Remedy{{Way: way, Label: "connect to " + secret.URL(to), Flag: urlFlag, Value: to}}
}

// maxShown is the maximum length of a URL in a row of the page, in characters.
const maxShown = 50

// isShown reports whether a label shows the complete URL unchanged.
func isShown(url string) bool {
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	return len(url) <= maxShown && !strings.ContainsFunc(url, hidden) && secret.URL(url) == url
}

// Elsewhere returns the run with a URL of another origin. Everything meant only for the previous server is
// removed: headers, token, client certificate, OAuth client credentials.
func (r Run) Elsewhere(to string) (Run, error) {
	if !isSameOrigin(r.Link.Target.URL, to) {
		for _, f := range r.Flags() {
			if slices.Contains([]string{"header", "token", "tls-server-name"}, f.Name) {
				r = r.without(f)
			}
		}
		r.Link.Target.Header, r.Link.Target.TLS.ServerName, r.Link.Target.Transport = http.Header{}, "", ""
	}
	return r.With(urlFlag, to)
}

// FlagText returns the flag as a user writes it, or "".
func (m Remedy) FlagText() string {
	switch {
	case m.Flag == trustFlag:
		return "--cacert FILE"
	case m.Flag == "env" && m.Way == At:
		return "-e " + m.Name + "=" + m.Value
	case m.Flag == "env":
		return "-e " + m.Name + "=…"
	case m.Flag == "header":
		return fmt.Sprintf("-H %q", m.Name+": …")
	case m.Flag == urlFlag:
		return "--url " + secret.URL(m.Value)
	case settings[m.Flag].isBool:
		return "--" + m.Flag
	case m.Way == Type:
		return "--" + m.Flag + " …"
	case m.Flag != "":
		return "--" + m.Flag + " " + m.Value
	}
	return ""
}

// Authorizes reports whether an authorization is repeated otherwise.
func (m Remedy) Authorizes() bool { return authorizes(m.Flag) }

// authorizes reports whether a flag changes how an authorization goes.
func authorizes(flag string) bool {
	return flag == clientFlag || flag == scopeFlag || flag == lenientFlag
}

// Setting returns the value of the flag for the text that the user typed.
func (m Remedy) Setting(typed string) string {
	switch m.Flag {
	case "env":
		return m.Name + "=" + typed
	case "header":
		return m.Name + ": " + typed
	}
	return typed
}

// IsSecret reports whether the typed text must not be shown at all.
func (m Remedy) IsSecret() bool { return secret.IsName(m.Name) || m.Name == "Authorization" }

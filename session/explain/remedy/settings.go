package remedy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/internal/system"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/session"
)

// setting is a flag of the command line that can be changed between two attempts.
type setting struct {
	only     string // "stdio" or "HTTP"; empty for both
	public   bool   // see [shell.Flag]
	variable string // see [shell.Flag]
	inRun    bool   // applies only to this run; not a command-line flag
	isBool   bool   // see [shell.Flag]
	set      func(l *session.Link, value string) error
	unset    func(l *session.Link, value string) // removes the setting; value is the value of the flag
}

const (
	urlFlag    = "url"
	cacertFlag = "cacert"
	trustFlag  = "trust" // no flag

	lenientFlag = "lenient"
	clientFlag  = "client-id"
	scopeFlag   = "scope"

	// flagNames lists the flags that a line may have, for messages.
	flagNames = "-e, -H, --cwd, --protocol, --transport, --timeout, --connect-timeout, --cacert, --tls-server-name, --client-id, --scope and --lenient"
)

// settings maps the names of flags that a line or a remedy may have to their settings.
var settings = map[string]setting{
	"env":      {only: "stdio", set: setVariable, unset: unsetVariable},
	"cwd":      {only: "stdio", public: true, set: setDirectory, unset: func(l *session.Link, _ string) { l.Target.Dir = "" }},
	"header":   {only: "HTTP", set: setHeader, unset: unsetHeader},
	"token":    {only: "HTTP", variable: tokenVariable, set: setToken, unset: func(l *session.Link, _ string) { unsetHeader(l, "Authorization") }},
	urlFlag:    {set: setURL},
	cacertFlag: {only: "HTTP", public: true, set: func(*session.Link, string) error { return nil }}, // see Run.Read

	trustFlag: {only: "HTTP", inRun: true, set: trust, unset: func(l *session.Link, _ string) { l.Target.TLS.Trusted = mcphttp.Trusted{} }},
	"tls-server-name": {only: "HTTP", public: true, set: func(l *session.Link, value string) error {
		l.Target.TLS.ServerName = value
		return nil
	}, unset: func(l *session.Link, _ string) { l.Target.TLS.ServerName = "" }},
	"protocol":  {public: true, set: setProtocol, unset: func(l *session.Link, _ string) { l.Client.Revision = "" }},
	"transport": {only: "HTTP", public: true, set: setTransport, unset: func(l *session.Link, _ string) { l.Target.Transport = "" }},
	"timeout": {
		public: true, set: func(l *session.Link, value string) error { return setDuration(&l.Client.Timeout, value) },
		unset: func(l *session.Link, _ string) { l.Client.Timeout = 0 },
	},
	"connect-timeout": {
		public: true, set: func(l *session.Link, value string) error { return setDuration(&l.Client.ConnectTimeout, value) },
		unset: func(l *session.Link, _ string) { l.Client.ConnectTimeout = 0 },
	},
	lenientFlag: {
		isBool: true, set: func(l *session.Link, value string) error { return setLenient(l, value == "true") },
		unset: func(l *session.Link, _ string) { _ = setLenient(l, false) },
	},
	clientFlag: {
		only: "HTTP", public: true, set: func(l *session.Link, value string) error {
			return authorize(l, func(c *oauth.Config) { c.Client.ID = value })
		},
		unset: func(l *session.Link, _ string) { _ = authorize(l, func(c *oauth.Config) { c.Client.ID = "" }) },
	},
	scopeFlag: {
		only: "HTTP", public: true, set: func(l *session.Link, value string) error {
			return authorize(l, func(c *oauth.Config) { c.Scopes = strings.Fields(value) })
		},
		unset: func(l *session.Link, _ string) { _ = authorize(l, func(c *oauth.Config) { c.Scopes = nil }) },
	},
}

// setLenient sets whether the client and an authorization continue past violations.
func setLenient(l *session.Link, lenient bool) error {
	l.Client.Lenient = lenient
	if l.Authorization == nil {
		return nil
	}
	return authorize(l, func(c *oauth.Config) { c.Lenient = lenient })
}

// authorize changes the configuration of a new authorization. The current one stays unchanged.
func authorize(l *session.Link, change func(c *oauth.Config)) error {
	if l.Authorization == nil {
		return errors.New("a token or a header authorizes: there is no OAuth")
	}
	c := *l.Authorization
	change(&c)
	l.Authorization = &c
	return nil
}

func setVariable(l *session.Link, value string) error {
	name, _, assigned := strings.Cut(value, "=")
	if name == "" || !assigned {
		return errors.New("write it as -e NAME=VALUE")
	}
	if len(l.Target.Env) == 0 {
		l.Target.Env = os.Environ()
	}
	l.Target.Env = append(slices.Clone(l.Target.Env), value)
	return nil
}

// unsetVariable resets a variable to its value in mcptea's environment.
func unsetVariable(l *session.Link, value string) {
	name, _, _ := strings.Cut(value, "=")
	l.Target.Env = slices.DeleteFunc(slices.Clone(l.Target.Env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	if current, ok := os.LookupEnv(name); ok {
		l.Target.Env = append(l.Target.Env, name+"="+current)
	}
}

func setDirectory(l *session.Link, value string) (err error) {
	l.Target.Dir, err = filepath.Abs(value)
	return err
}

func setHeader(l *session.Link, value string) error {
	name, field, err := mcphttp.ParseHeader(value)
	if errors.Is(err, mcphttp.ErrHeaderName) {
		return errors.New(`write it as -H "Name: value"`)
	} else if err != nil {
		return err
	}
	unsetHeader(l, name)
	l.Target.Header[name] = []string{field}
	if strings.EqualFold(name, "Authorization") {
		l.Authorization = nil
	}
	return nil
}

func unsetHeader(l *session.Link, value string) {
	name, _, _ := strings.Cut(value, ":")
	kept := http.Header{}
	for key, values := range l.Target.Header {
		if !strings.EqualFold(key, name) {
			kept[key] = values
		}
	}
	l.Target.Header = kept
}

func setToken(l *session.Link, value string) error {
	return setHeader(l, "Authorization: Bearer "+value)
}

// setURL changes the URL. If the origin changes, settings for the old origin that the user does not see in the
// line are dropped: a trusted certificate, disabled verification, the client certificate, and the client's
// registration with an authorization server.
func setURL(l *session.Link, value string) error {
	u, err := mcphttp.ParseURL(value)
	if err != nil {
		return err
	}
	if !isSameOrigin(l.Target.URL, value) {
		l.Target.TLS.Certificate, l.Target.TLS.Insecure = nil, false
		l.Authorization = l.Authorization.Elsewhere()
	}
	l.Target.Argv, l.Target.URL = nil, value
	if l.Target.TLS.Trusted.Address != mcphttp.AddressOf(u) {
		l.Target.TLS.Trusted = mcphttp.Trusted{}
	}
	return nil
}

// trust accepts one certificate, given by its SHA-256, only from the host and port of the URL.
func trust(l *session.Link, digest string) error {
	sum, err := hex.DecodeString(digest)
	u, bad := url.Parse(l.Target.URL)
	if t := (mcphttp.Trusted{}); err != nil || bad != nil || len(sum) != len(t.SHA256) {
		return errors.New("this is not the SHA-256 of a certificate")
	}
	l.Target.TLS.Trusted = mcphttp.Trusted{Address: mcphttp.AddressOf(u), SHA256: [32]byte(sum)}
	return nil
}

// maxAuthorities is the size of the largest file of certificates, in bytes.
const maxAuthorities = 1 << 20

func addAuthorities(l *session.Link, file string) error {
	text, _, err := system.ReadRegular(file, maxAuthorities)
	if err != nil {
		return fmt.Errorf("%s is not a file of certificates: %w", file, err)
	}
	pool, ok := mcphttp.WithAuthorities(l.Target.TLS.Roots, text)
	if !ok {
		return fmt.Errorf("there is no certificate in PEM in %s", file)
	}
	l.Target.TLS.Roots = pool
	return nil
}

func setProtocol(l *session.Link, value string) error {
	r := revision.Revision(value)
	switch {
	case value == "auto":
		r = ""
	case !r.Known():
		return fmt.Errorf("unknown protocol version %q", value)
	}
	l.Client.Revision = r
	return nil
}

func setTransport(l *session.Link, value string) error {
	switch value {
	case "auto":
		value = ""
	case client.TransportHTTP, client.TransportSSE:
	default:
		return errors.New("the transports are auto, http and sse")
	}
	l.Target.Transport = value
	return nil
}

func setDuration(to *time.Duration, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return errors.New("write a time as 500ms, 10s or 2m")
	}
	*to = d
	return nil
}

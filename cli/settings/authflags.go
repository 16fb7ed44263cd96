package settings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/oauth"
)

// The environment variables for flags whose values are secrets: other users can see
// the command line of a process.
const (
	TokenVariable  = "MCPTEA_TOKEN"
	SecretVariable = "MCPTEA_CLIENT_SECRET"
	StoreVariable  = "MCPTEA_TOKEN_STORE"
	IDPVariable    = "MCPTEA_IDP_CLIENT_SECRET"
)

// The values of --grant.
const (
	grantConsent = "consent"
	grantClient  = "client-credentials"
	grantBearer  = "jwt-bearer"
	grantIDP     = "enterprise"
)

// The values of --token-store.
const (
	StoreAuto = "auto"
	StoreFile = "file"
	StoreOff  = "off"
)

// AuthFlags configure how access tokens for servers over HTTP are obtained.
type AuthFlags struct {
	Token       string
	clientID    string
	Secret      string
	keyFile     string
	keyID       string
	keyCert     string
	keyAlg      string
	metadataURL string
	scopes      []string
	issuer      string
	grant       string
	assertion   string
	idToken     string
	idpEndpoint string
	idpClient   string
	callback    string
	port        uint16
	Store       string
	Browser     bool
	Timeout     time.Duration
	// Register registers a client even if the server does not announce that.
	Register bool
	// Relogin obtains a new token although one is stored.
	Relogin bool
	// elsewhere: the variables of the environment are for another server.
	elsewhere bool
	Until     string // last step of the flow, or "" for a token
}

// AddTo declares the flags.
func (a *AuthFlags) AddTo(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupAuthorization, func(fs *pflag.FlagSet) {
		fs.StringVar(&a.Token, "token", "", "send this bearer token; visible to other users in the process list, prefer $"+TokenVariable+"  `TOKEN`")
		fs.StringVar(&a.clientID, "client-id", "", "OAuth client `ID` (default: dynamic client registration, if the server supports it)")
		fs.StringVar(&a.Secret, "client-secret", "", "client secret; visible to other users in the process list, prefer $"+SecretVariable+"  `SECRET`")
		fs.StringVar(&a.keyFile, "client-key", "", "authenticate the client with the private key in this PEM `FILE`: RSA, P-256, P-384 or Ed25519")
		fs.StringVar(&a.keyID, "client-key-id", "", "`ID` of the key of --client-key at the authorization server (kid); default $"+keyIDVariable)
		fs.StringVar(&a.keyCert, "client-key-cert", "", "certificate of the key of --client-key, in this PEM `FILE`, to put its thumbprint into the assertion (x5t#S256)")
		fs.StringVar(&a.keyAlg, "client-key-alg", "", "sign with this `ALGORITHM`: RS256, PS256, ES256, ES384 or EdDSA (default: one that the server supports)")
		fs.StringVar(&a.metadataURL, "client-metadata", "", "`URL` of the client ID metadata document")
		fs.BoolVar(&a.Register, "register", false, "register a client even at a server without OAuth metadata, at its /register (the default of 2025-03-26)")
		fs.StringVar(&a.callback, "callback-url", "", "redirect `URL` of the browser, for a client that is registered with it: http://localhost:3334/callback; without a port, any free one")
		fs.Uint16Var(&a.port, "callback-port", 0, "`PORT` of the redirect, for a client that is registered with one")
		fs.StringArrayVar(&a.scopes, "scope", nil, "request these scopes instead of the scopes that the server names; repeatable  `SCOPE`")
		fs.StringVar(&a.issuer, "issuer", "", "issuer `URL` of the authorization server, if there are several")
		fs.StringVar(&a.grant, "grant", grantConsent, "how to obtain a token: consent (authorize in a browser), client-credentials, jwt-bearer or enterprise  `GRANT`")
		fs.StringVar(&a.assertion, "assertion", "", "`FILE` with the JWT for --grant jwt-bearer, read again for each token")
		fs.StringVar(&a.idToken, "id-token", "", "`FILE` with the ID token for --grant enterprise, read again for each token")
		fs.StringVar(&a.idpEndpoint, "idp-token-endpoint", "", "token endpoint `URL` of the identity provider, for --grant enterprise")
		fs.StringVar(&a.idpClient, "idp-client-id", "", "client `ID` at the identity provider; its secret is $"+IDPVariable)
		a.declareStore(fs)
		fs.BoolVar(&a.Browser, "open-browser", false, "open the consent page in a browser in addition to printing its URL")
		fs.BoolVar(&a.Relogin, "relogin", false, "obtain a new token although one is stored")
		a.DeclareTimeout(fs)
	})
	app.Completes(cmd, "grant", grantConsent, grantClient, grantBearer, grantIDP)
	app.Completes(cmd, "token-store", StoreAuto, StoreFile, StoreOff)
}

// AddStore declares only --token-store, for commands that only manage tokens.
func (a *AuthFlags) AddStore(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupAuthorization, a.declareStore)
	app.Completes(cmd, "token-store", StoreAuto, StoreFile, StoreOff)
}

// noteHTTP records the flags on the command line that are for a server over HTTP. Flags that override settings
// of the configuration file or of tokens are not bound to a target.
func (f *Flags) noteHTTP(set *pflag.FlagSet) {
	f.givenHTTP = nil
	set.Visit(func(given *pflag.Flag) {
		isSetting := slices.ContainsFunc(settings, func(s setting) bool { return s.flag == given.Name })
		group := app.GroupOf(given)
		if f.givenHTTP == nil && (group == app.GroupTLS || group == app.GroupAuthorization && !isSetting) {
			f.givenHTTP = given
		}
	})
}

// DeclareTimeout declares --auth-timeout.
func (a *AuthFlags) DeclareTimeout(fs *pflag.FlagSet) {
	fs.DurationVar(&a.Timeout, "auth-timeout", 5*time.Minute, "maximum `TIME` to wait for consent")
}

func (a *AuthFlags) declareStore(fs *pflag.FlagSet) {
	fs.StringVar(&a.Store, "token-store", StoreAuto, "where to keep tokens: auto (keyring, or else a file with mode 0600), file or off  `STORE`")
}

// Stored reports whether tokens are stored.
func (a *AuthFlags) Stored() bool { return a.Store != StoreOff }

// Scopes returns the scopes of --scope.
func (a *AuthFlags) Scopes() []string { return strings.Fields(strings.Join(a.scopes, " ")) }

// Config returns the configuration of authorization by the flags.
func (a *AuthFlags) Config(ctx context.Context, env app.Env) (*oauth.Config, error) {
	c := &oauth.Config{
		Client:              oauth.Client{ID: a.clientID, Secret: cmp.Or(a.Secret, env.Get(SecretVariable))},
		RegisterUnannounced: a.Register, MetadataURL: a.metadataURL, Issuer: a.issuer, ConsentTimeout: a.Timeout,
		Scopes: a.Scopes(),
	}
	if a.clientID == "" {
		if a.Secret != "" || a.keyFile != "" {
			return nil, app.Usage("Add --client-id.", "a client secret or key requires --client-id")
		}
		c.Client.Secret = "" // the variable is for another client
	}
	if a.Timeout <= 0 {
		return nil, app.Usage("Write it as 30s or 5m.", "--auth-timeout must be greater than 0")
	}
	if a.keyFile == "" && a.keyID+a.keyCert+a.keyAlg != "" {
		return nil, app.Usage("Add --client-key FILE.", "--client-key-id, --client-key-cert and --client-key-alg require --client-key")
	}
	if a.keyFile != "" {
		text, err := app.ReadText(ctx, a.keyFile, keyFileLimit)
		if err != nil {
			return nil, app.InputError("", "--client-key", err)
		}
		if c.Client.Key, err = a.key(ctx, env, text); err != nil {
			return nil, err
		}
		c.Client.Secret = "" // the key authenticates the client
	}
	var err error
	if c.RedirectURI, err = a.redirectURI(); err != nil {
		return nil, err
	}
	c.Grant, err = a.grantOf(env, c.Client)
	return c, err
}

// redirectURI returns the redirect URI of --callback-url and --callback-port, or "" for the usual one.
func (a *AuthFlags) redirectURI() (string, error) {
	switch {
	case a.port != 0 && a.callback != "":
		return "", app.Usage("Write the port into --callback-url.", "--callback-port and --callback-url exclude each other")
	case a.port != 0:
		return fmt.Sprintf("http://127.0.0.1:%d/callback", a.port), nil
	case a.callback == "":
		return "", nil
	}
	if err := oauth.CheckRedirectURI(a.callback); err != nil {
		return "", app.Usage("Write it as http://localhost:3334/callback: mcptea listens there for the browser.", "--callback-url %s: %v", a.callback, err)
	}
	return a.callback, nil
}

// keyIDVariable names the variable with the id of the key of --client-key.
const keyIDVariable = "MCPTEA_CLIENT_KEY_ID"

// key parses the key of --client-key, and applies the flags for its id and algorithm.
func (a *AuthFlags) key(ctx context.Context, env app.Env, text []byte) (*oauth.Key, error) {
	k, err := oauth.ParseKey(text)
	if err != nil {
		return nil, app.Usage("Make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", "--client-key %s: %v", a.keyFile, err)
	}
	k.ID, k.Algorithm = cmp.Or(a.keyID, env.Get(keyIDVariable)), a.keyAlg
	if a.keyAlg != "" && !slices.Contains(k.Algorithms(), a.keyAlg) {
		return nil, app.Usage("Omit the flag, or use another key.", "--client-key-alg %s: the key signs %s", a.keyAlg, strings.Join(k.Algorithms(), ", "))
	}
	if a.keyCert == "" {
		return k, nil
	}
	certificate, err := app.ReadText(ctx, a.keyCert, keyFileLimit)
	if err != nil {
		return nil, app.InputError("", "--client-key-cert", err)
	}
	if err := k.Certify(certificate); err != nil {
		return nil, app.Usage("", "--client-key-cert %s: %v", a.keyCert, err)
	}
	return k, nil
}

func (a *AuthFlags) grantOf(env app.Env, c oauth.Client) (oauth.Grant, error) {
	switch a.grant {
	case grantConsent:
		if a.assertion != "" {
			return nil, app.Usage("Add --grant "+grantBearer+".", "--assertion requires --grant jwt-bearer")
		}
		return nil, nil //nolint:nilnil // the authorization code grant
	case grantClient:
		if c.ID == "" || c.Secret == "" && c.Key == nil {
			return nil, app.Usage("Set --client-id, and $"+SecretVariable+" or --client-key.", "--grant %s requires a client ID and a client secret or key", a.grant)
		}
		return oauth.ClientCredentials{}, nil
	case grantIDP:
		if c.ID == "" || a.idToken == "" || a.idpEndpoint == "" || a.idpClient == "" {
			return nil, app.Usage("Set --client-id, --id-token FILE, --idp-token-endpoint URL and --idp-client-id.", "--grant %s requires an ID token and an identity provider", a.grant)
		}
		return oauth.Enterprise{
			IDToken: jwtFromFile("--id-token", a.idToken), TokenEndpoint: a.idpEndpoint,
			Client: oauth.Client{ID: a.idpClient, Secret: env.Get(IDPVariable)},
		}, nil
	case grantBearer:
		if c.ID == "" || a.assertion == "" {
			return nil, app.Usage("Set --client-id and --assertion FILE.", "--grant %s requires a client ID and a JWT", a.grant)
		}
		return oauth.Workload{Assertion: jwtFromFile("--assertion", a.assertion)}, nil
	}
	return nil, app.Usage("The grants are consent, client-credentials, jwt-bearer and enterprise.", "--grant: unknown grant %q", a.grant)
}

// bearer sets the Authorization header to the token of the user, unless -H sets it.
func (a *AuthFlags) bearer(env app.Env, t *client.Target) error {
	token := a.Token
	if !a.elsewhere {
		token = cmp.Or(token, env.Get(TokenVariable))
	}
	hasHeader := HasAuthorization(t)
	switch {
	case a.Token != "" && hasHeader:
		return app.Usage("Omit one of them.", "--token and -H both set the Authorization header")
	case token == "" || hasHeader:
		return nil
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return app.Usage("Check that only the token was copied.", "the token contains a space, a control character or a non-ASCII character")
	}
	t.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// HasAuthorization reports whether -H sets or removes the Authorization header.
func HasAuthorization(t *client.Target) bool {
	for name := range t.Header {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// jwtFromFile returns a function that reads a JWT from a file each time it is called:
// the issuer may replace the file.
func jwtFromFile(flag, path string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		text, err := app.ReadText(ctx, path, keyFileLimit)
		if err != nil {
			return "", fmt.Errorf("%s: %w", flag, err)
		}
		if text = []byte(strings.TrimSpace(string(text))); len(text) == 0 {
			return "", fmt.Errorf("%s: %s is empty", flag, path)
		}
		return string(text), nil
	}
}

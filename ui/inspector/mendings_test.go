package inspector

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
)

// needs is a server that needs a variable.
func needs(name string) func(t client.Target, p *process, in io.Reader, out io.Writer) int {
	return func(t client.Target, p *process, in io.Reader, out io.Writer) int {
		if !slices.ContainsFunc(t.Env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			return failing("Error: "+name+" is not set")(t, p, in, out)
		}
		reply(in, out, forecast)
		return 0
	}
}

// failing is a server that writes a line to stderr and exits.
func failing(line string) func(t client.Target, p *process, in io.Reader, out io.Writer) int {
	return func(_ client.Target, p *process, in io.Reader, out io.Writer) int {
		reply(in, out, nil)
		time.Sleep(86 * time.Millisecond)
		p.stderr(line)
		return 1
	}
}

// unless is a server that fails while its words lack one.
func unless(word, line string) func(t client.Target, p *process, in io.Reader, out io.Writer) int {
	return func(t client.Target, p *process, in io.Reader, out io.Writer) int {
		if !slices.Contains(t.Argv, word) {
			return failing(line)(t, p, in, out)
		}
		reply(in, out, forecast)
		return 0
	}
}

// over serves a handler over pipes.
func over(h http.Handler) func(stop *stops) dialing {
	return func(stop *stops) dialing {
		dial, end := inmemory.HTTP(h)
		*stop = append(*stop, end)
		return dial
	}
}

func served() http.Handler { return demo.New(demo.Options{}).HandlerContext(context.Background()) }

// onlyIf refuses requests that lack something.
func onlyIf(has func(r *http.Request) bool, refuse http.HandlerFunc) http.Handler {
	own := served()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !has(r) {
			refuse(w, r)
			return
		}
		r.Host, r.URL.Path = "localhost", "/mcp" // it refuses other names
		own.ServeHTTP(w, r)
	})
}

func status(code int, text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// unreleased is a server that selects a version which does not exist.
func unreleased() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil || q.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		reply := `"error":{"code":-32601,"message":"Method not found"}`
		if q.Method == "initialize" {
			reply = `"result":{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"new","version":"1"}}`
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, reply)
	})
}

// machine authorizes without a browser.
func machine(id string) *oauth.Config {
	return &oauth.Config{Grant: oauth.ClientCredentials{}, Client: oauth.Client{ID: cmp.Or(id, "wrong"), Secret: "c"}}
}

// authorized is a server with its authorization server, which knows one client and, if there are some,
// its scopes. Its metadata may name another issuer.
func authorized(id, scopes string) http.Handler {
	const at = "http://localhost"
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, code int, text string, values ...any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, text, values...)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"resource":%q,"authorization_servers":[%q]}`, at+"/mcp", at)
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"grant_types_supported":["client_credentials"]}`, at, at+"/authorize", at+"/token")
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		switch given, _, _ := r.BasicAuth(); {
		case given != id:
			answer(w, 401, `{"error":"invalid_client"}`)
		case scopes != "" && r.PostFormValue("scope") != scopes:
			answer(w, 400, `{"error":"invalid_scope"}`)
		default:
			answer(w, 200, `{"access_token":"good","token_type":"Bearer"}`)
		}
	})
	mux.Handle("/mcp", onlyIf(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer good" },
		status(401, "token required", "WWW-Authenticate", `Bearer resource_metadata="`+at+`/.well-known/oauth-protected-resource/mcp"`)))
	return mux
}

func commandOf(words ...string) client.Target {
	return client.Target{Argv: words, Env: []string{"PATH=/usr/bin"}}
}

func hasPath(path string) func(r *http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Path == path }
}

// closed refuses connections for a while.
func closed(dials int32, h http.Handler) func(stop *stops) dialing {
	return func(stop *stops) dialing {
		var n atomic.Int32
		dial := over(h)(stop)
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			if n.Add(1) <= dials {
				return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
			}
			return dial(ctx, network, address)
		}
	}
}

var mendings = []mending{
	{
		name: "missing variable", target: commandOf("node", "server.js"), process: needs("DATABASE_URL"),
		sees: []string{`The server needs the environment variable "DATABASE_URL".`, "→ enter set DATABASE_URL"},
		keys: "<enter>sqlite://x<enter>", then: []string{"changed     DATABASE_URL", "attempt 1   exit 1 after"},
	},
	{
		name: "secret variable", target: commandOf("node", "server.js"), process: needs("API_KEY"), record: true,
		sees: []string{"→ enter set API_KEY"}, keys: "e" + sekrit + "<enter>", then: []string{"changed     API_KEY"},
	},
	{
		name: "two variables", target: commandOf("node", "server.js"), process: func(t client.Target, p *process, in io.Reader, out io.Writer) int {
			if len(t.Env) < 3 {
				return failing("Error: DB_HOST and DB_USER are not set")(t, p, in, out)
			}
			reply(in, out, forecast)
			return 0
		},
		sees: []string{"→ enter set DB_HOST, DB_USER"}, keys: "<enter>localhost<enter>ada<enter>", then: []string{"changed     DB_HOST, DB_USER"},
	},
	{ // what works is changed as well
		name: "connected", target: commandOf("node", "server.js"), process: unless("server.js", "Error: no server"),
		sees: []string{"● connected"},
		keys: "1u<home>-e COLOR=blue <enter>", then: []string{"changed     COLOR", "attempt 1   connected"},
	},
	{
		name: "wrong command", target: commandOf("nosuchserver", "--stdio"), process: needs("PATH"),
		sees: []string{"executable file not found", "→ enter correct the command"},
		keys: "<enter><ctrl+u>node server.js<enter>", then: []string{"changed     command node server.js"},
	},
	{
		name: "missing file", target: commandOf("node", "dist/x.js"), process: unless("build/x.js", "Error: Cannot find module '/srv/dist/x.js'"),
		sees: []string{"Node.js cannot find the file", "→ enter correct the command"},
		keys: "<enter><ctrl+u>node build/x.js<enter>", then: []string{"command     node build/x.js", "attempt 1   exit 1"},
	},
	{
		name: "missing argument of the command", target: commandOf("python", "server.py"), process: unless("--root", "server.py: error: the following arguments are required: --root"),
		sees: []string{"The server requires the argument", "→ enter correct the command"}, keys: "<enter> --root .<enter>", then: []string{"command     python server.py --root ."},
	},
	{
		name: "wrong directory", target: client.Target{Argv: []string{"node", "server.js"}, Env: []string{"PATH=/usr/bin"}, Dir: "/no/such/dir"}, process: needs("PATH"),
		sees: []string{"no such directory", "→ enter correct the command"}, keys: "<enter><ctrl+u>--cwd / node server.js<enter>", then: []string{"changed     --cwd", "changed     --cwd /"},
	},
	{
		name: "syntax error in a file of the server", target: commandOf("node", "server.js"), watches: true, process: func() func(t client.Target, p *process, in io.Reader, out io.Writer) int {
			var starts atomic.Int32
			return func(t client.Target, p *process, in io.Reader, out io.Writer) int {
				if starts.Add(1) <= 2 {
					return failing("SyntaxError: Unexpected identifier 'x'")(t, p, in, out)
				}
				reply(in, out, forecast)
				return 0
			}
		}(),
		sees: []string{"SyntaxError", "W watch the files"}, keys: "W",
		after: func(d *driver) {
			d.sees("SyntaxError", "Save a file to start the server again.")
		},
		then: []string{"attempt 2   exit 1"},
	},
	{
		name: "port not open yet", target: client.Target{URL: "http://127.0.0.1:3000/mcp"}, dial: closed(7, served()),
		sees: []string{"connection refused", "→ enter wait for 127.0.0.1:3000"}, keys: "<enter>",
		after: func(d *driver) {
			d.sees("waiting for 127.0.0.1:3000, ", " s: connects when it accepts connections", "x stop waiting   enter try again")
			d.lacks("wait for")
			d.sleep(time.Minute)
			d.lacks("waiting for")
		}, then: []string{"connected"},
	},
	{
		name: "wrong host", target: client.Target{URL: "http://no.such.host.invalid/mcp"}, dial: func(stop *stops) dialing {
			dial := over(served())(stop)
			return func(ctx context.Context, network, address string) (net.Conn, error) {
				if strings.HasPrefix(address, "no.such") {
					return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "no.such.host.invalid", IsNotFound: true}}
				}
				return dial(ctx, network, address)
			}
		},
		sees: []string{"no such host", "→ enter correct the URL"}, keys: "<enter><ctrl+u>http://localhost/mcp<enter>", then: []string{"changed     URL http://localhost/mcp"},
	},
	{
		name: "path", target: client.Target{URL: "http://localhost/api"}, dial: over(onlyIf(hasPath("/mcp"), http.NotFound)),
		sees: []string{"returned 404 Not Found", "→ enter correct the URL", "f8", "connect to http://localhost/mcp"}, keys: "<f8>", then: []string{"changed     URL http://localhost/mcp", "attempt 1   HTTP 404 Not Found"},
	},
	{ // what is edited is what the user has written
		name: "path by hand", target: client.Target{URL: "http://localhost/mc"}, dial: over(onlyIf(hasPath("/mcp"), http.NotFound)),
		sees: []string{"→ enter correct the URL"}, keys: "<enter>p<enter>", then: []string{"changed     URL http://localhost/mcp"},
	},
	{
		name: "transport", target: client.Target{URL: "http://localhost/mcp", Transport: client.TransportSSE}, dial: over(onlyIf(func(r *http.Request) bool { return r.Method == http.MethodPost }, status(405, "Method Not Allowed"))),
		sees: []string{"returned 405", "→ enter use the transport auto"}, keys: "<enter>", then: []string{"changed     --transport", "attempt 1   HTTP 405"},
	},
	{
		name: "scheme", target: client.Target{URL: "https://localhost/mcp"}, dial: over(served()),
		sees: []string{"The server speaks plain HTTP on this port.", "→ enter correct the URL"}, keys: "<enter><enter>", then: []string{"changed     URL http://localhost/mcp"},
	},
	{
		name: "token", target: client.Target{URL: "http://localhost/mcp"}, record: true,
		dial: over(onlyIf(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+sekrit }, status(401, "token required", "WWW-Authenticate", "Bearer"))),
		sees: []string{"the server requires an access token; none is set", "→ enter paste a token"}, keys: "<enter>" + sekrit + "<enter>", then: []string{"changed     token typed here", "attempt 1   HTTP 401 Unauthorized"},
	},
	{
		name: "token in the place of a wrong one", target: client.Target{URL: "http://localhost/mcp", Header: http.Header{"Authorization": {"Bearer wrong"}}}, record: true,
		dial: over(onlyIf(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+sekrit }, status(401, "token required", "WWW-Authenticate", "Bearer"))),
		sees: []string{"the server does not accept the token of its configuration entry.", "→ enter type another token", "→ f8 forget the token", "Start mcptea without these credentials"}, keys: "<enter>" + sekrit + "<enter>", then: []string{"changed     token typed here", "attempt 1   HTTP 401 Unauthorized"},
	},
	{
		name: "no token in the place of a wrong one", target: client.Target{URL: "http://localhost/mcp"},
		dial: over(onlyIf(func(r *http.Request) bool { return r.Header.Get("Authorization") == "" && r.Header.Get("X-Ok") != "" }, status(401, "token required", "WWW-Authenticate", "Bearer"))),
		sees: []string{"none is set", "→ enter paste a token"}, keys: "<enter>wrong<enter>",
		after: func(d *driver) {
			d.sees("the server does not accept the token that was typed here.", "→ enter type another token", "instead of this one", "→ f8 forget the token")
			d.press("<f8>")
			d.sees("none is set", "→ enter paste a token")
			d.lacks("forget the token")
			d.press("u<home>-H 'X-Ok: 1' <enter>")
		},
		then: []string{"changed     x-ok"},
	},
	{
		// A server without metadata is not asked for it again with a token: authorizing promises nothing then either.
		name: "no authorization in the place of a wrong token", target: client.Target{URL: "http://localhost/mcp"}, auth: machine(""),
		dial: over(onlyIf(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+sekrit }, status(401, "token required", "WWW-Authenticate", "Bearer"))),
		sees: []string{"even for its OAuth metadata", "paste a token"}, keys: "<enter>wrong<enter>",
		after: func(d *driver) {
			d.sees("the server does not accept the token that was typed here.", "→ enter type another token")
			d.lacks("authorize in the browser")
			d.press("<enter>" + sekrit + "<enter>")
		},
		then: []string{"changed     token typed here"},
	},
	{
		name: "basic", target: client.Target{URL: "http://localhost/mcp"}, record: true,
		dial: over(onlyIf(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Basic "+sekrit }, status(401, "no", "WWW-Authenticate", `Basic realm="x"`))),
		sees: []string{"f8 send the header Authorization"}, keys: "<f8>Basic " + sekrit + "<enter>", then: []string{"changed     authorization"},
	},
	{
		name: "client of an authorization", target: client.Target{URL: "http://localhost/mcp"}, dial: over(authorized("mine", "")), auth: machine(""),
		sees: []string{"the token endpoint returned 401 invalid_client", "→ enter authorize as a registered client", "f6 paste a token"}, keys: "<enter>mine<enter>", then: []string{"changed     --client-id", "attempt 1   HTTP 401"},
	},
	{
		name: "scopes of an authorization", target: client.Target{URL: "http://localhost/mcp"}, dial: over(authorized("mine", "mcp files")), auth: machine("mine"),
		sees: []string{"→ enter request other scopes"}, keys: "<enter>mcp files<enter>", then: []string{"changed     --scope"},
	},
	{
		name: "version that is not released", target: client.Target{URL: "http://localhost/mcp"}, dial: over(unreleased()),
		sees: []string{"→ enter continue past the violation"}, keys: "<enter>",
		after: func(d *driver) {
			d.sees("Continue past this violation?", "2099-01-01")
			d.press("y")
		},
		then: []string{"changed     --lenient"},
	},
	{
		name: "header", target: client.Target{URL: "http://localhost/mcp"}, record: true,
		dial: over(onlyIf(func(r *http.Request) bool { return r.Header.Get("X-Api-Key") == sekrit }, status(400, "Missing required header: X-Api-Key"))),
		sees: []string{`The server requires the header "X-Api-Key"`, "→ enter send the header X-Api-Key"}, keys: "<enter>" + sekrit + "<enter>", then: []string{"changed     x-api-key", "attempt 1   HTTP 400 Bad Request"},
	},
	{
		name: "redirect to another origin", target: client.Target{URL: "http://localhost/mcp", Header: http.Header{"X-Api-Key": {sekrit}}},
		dial: over(onlyIf(func(r *http.Request) bool { return r.Host == "127.0.0.1" && r.Header.Get("X-Api-Key") == "" }, status(307, "", "Location", "http://127.0.0.1/v2"))),
		sees: []string{"→ enter connect to http://127.0.0.1/v2"}, keys: "<enter>",
		after: func(d *driver) {
			d.sees("Connect to this URL?", "http://127.0.0.1/v2", "headers, tokens and certificates that were given for the server before")
			d.press("y")
		},
		then: []string{"changed     URL http://127.0.0.1/v2"},
	},
	{
		name: "redirect within the origin", target: client.Target{URL: "http://localhost/mcp"}, dial: over(onlyIf(hasPath("/mcp/"), status(302, "", "Location", "/mcp/"))),
		sees: []string{"→ enter connect to http://localhost/mcp/"}, keys: "<enter>", then: []string{"changed     URL http://localhost/mcp/"},
	},
	{
		name: "certificate", target: client.Target{URL: "https://localhost/mcp"}, dial: overTLS,
		sees: []string{"The certificate is self-signed.", "→ enter trust this certificate for this run"}, keys: "<enter>",
		after: func(d *driver) {
			sum := sha256.Sum256(selfSigned.Certificate[0])
			d.sees("Trust this certificate?", "localhost:443", hex.EncodeToString(sum[:]))
			d.press("y")
		},
		then: []string{"trusted by its digest, for this run"},
	},
	{
		name: "protocol version", target: commandOf("node", "server.js"), client: client.Config{Revision: revision.R20260728},
		process: func(_ client.Target, _ *process, in io.Reader, out io.Writer) int {
			results := map[string]string{"server/discover": `error {"code":-32022,"message":"Unsupported protocol version"}`}
			for name, result := range forecast {
				results[name] = result
			}
			reply(in, out, results)
			return 0
		},
		sees: []string{"-32022", "→ enter offer protocol version 2025-11-25"}, keys: "<enter>", then: []string{"changed     --protocol", "protocol    2025-11-25"},
	},
	{
		name: "slow start", target: commandOf("npx", "-y", "server"), client: client.Config{Revision: revision.R20251125}, process: func(_ client.Target, _ *process, in io.Reader, out io.Writer) int {
			time.Sleep(40 * time.Second)
			reply(in, out, forecast)
			return 0
		},
		sees: []string{"→ enter wait up to 1m"}, keys: "<enter>", after: func(d *driver) { d.sleep(time.Minute) }, then: []string{"changed     --connect-timeout"},
	},
	{
		name: "lost connection", target: commandOf("node", "server.js"), client: client.Config{Revision: revision.R20251125}, process: func() func(t client.Target, p *process, in io.Reader, out io.Writer) int {
			var starts atomic.Int32
			return func(_ client.Target, p *process, in io.Reader, out io.Writer) int {
				if starts.Add(1) == 1 {
					go reply(in, out, forecast)
					time.Sleep(500 * time.Millisecond)
					p.stderr("Error: the pool is closed")
					return 3
				}
				reply(in, out, forecast)
				return 0
			}
		}(),
		keys: "1", after: func(d *driver) {
			d.sees("Server exited", "enter restart the server")
			d.press("<enter>")
		},
		then: []string{"attempt 1   exit 3 after"},
	},
	{
		name: "expired session", target: client.Target{URL: "http://localhost/mcp"}, client: client.Config{Revision: revision.R20251125}, dial: func(stop *stops) dialing {
			var lists atomic.Int32
			own := served()
			return over(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") != "" && lists.Add(1) == 2 {
					http.Error(w, "Session not found", http.StatusNotFound)
					return
				}
				own.ServeHTTP(w, r)
			}))(stop)
		},
		keys: "1", after: func(d *driver) {
			d.sees("the session has expired", "→ enter connect again")
			d.press("<enter>")
		},
		then: []string{"attempt 1   HTTP 404 Not Found"},
	},
}

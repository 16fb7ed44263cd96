package failure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mcptea/client"
	"mcptea/client/oauth"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/catalog"
)

const (
	noEndpoint = `no MCP endpoint|not (?:be )?an MCP endpoint|[Cc]ommon (?:paths|ones)|another page|no event stream|have their stream at|have the endpoint at`
	noServer   = `not (?:be )?an MCP server|supports neither era`
	working    = `still working on it|Raise --timeout`
)

// against are facts, and the claims that they contradict: no row may make one in a situation with them,
// whatever else it has.
var against = []struct {
	name  string
	facts situation
	claim string // a regular expression for a cause or an advice
	only  string // places of rows, separated by |; empty for all
}{
	{"GET has opened the event stream", situation{"stream_opened": true}, noEndpoint + "|" + noServer, ""},
	{"messages came from the URL", situation{"answered_at_url": true, "stdio": ""}, noEndpoint, ""},
	{"it has been connected", situation{"connected": true}, noEndpoint + "|" + noServer + `|argument for stdio|stdio mode|does not (?:use|support) the stdio|help text|still (?:be )?(?:starting|downloading)|needs an argument`, ""},
	{"the URL has a loopback host", situation{"loopback": true, "own_host": "127.0.0.1:3000", "other_name": "localhost:3000", "other_name_url": "http://localhost:3000/mcp"}, `127\.0\.0\.1 or localhost`, ""},
	{"the URL has https", situation{"https": true, "plain_http": "", "plain": ""}, `Write https://|try https://|requires https, and the URL has http`, ""},
	{"the URL has http", situation{"plain_http": true, "https": ""}, `Write http://`, "status|content|lost"},
	{"--protocol is not given", situation{"pinned": ""}, `Omit --protocol`, ""},
	{"--protocol 2025-11-25 is given", situation{"pinned": "2025-11-25"}, `--protocol 2025-11-25|[Oo]lder version may`, ""},
	{"--transport is not given", situation{"transport": ""}, `Omit --transport`, ""},
	{"a token was sent", situation{"token_sent": true}, `Send a token|had no credentials|may require credentials`, "status"},
	{"no token was sent", situation{"token_sent": ""}, `[Aa]nother token|token's scopes|does not accept the (?:token|credentials)`, "status"},
	{"the body says that the session is unknown", situation{"lines": []string{"session not found"}, "said": `"Session not found"`, "own_message": true, "session": true, "about_login": ""}, `token|authorization|credentials`, "status"},
	{"the body says that the version is not supported", situation{"version_refused": true, "usable": "2025-06-18", "older": "2025-06-18", "own_message": true, "lines": []string{"unsupported protocol version"}}, `(?:Send|another) .*token|authorization server|had no credentials|Fix what the message reports`, "status"},
	{"the peer says why", situation{"own_message": true, "rpc": true, "reports": `it reports "no tea"`, "lines": []string{"no tea"}, "said": `"no tea"`}, `^By its status[^;]*$|^There may be|body may have the reason`, "status"},
	{"the server's own line came", situation{"wrote_own": true}, `downloading`, ""},
	{"the server has read the request", situation{"read": true, "unread": ""}, `does not read (?:its )?stdin|has not read|blocked before it reads|downloading|no stdin: no request|No request arrives`, "timeout"},
	{"the server has not read the request", situation{"unread": 100, "read": false}, working + `|hang in its first request`, ""},
	{"messages of the server came", situation{"received": true, "read": ""}, `does not (?:use|support) the stdio|may use HTTP|downloading|the container no stdin|not pass its stdin|speak another protocol|framed with Content-Length|argument (?:for stdio|may be missing)`, ""},
	{"the server says that it runs on stdio", situation{"says_stdio": true, "received": ""}, `argument for stdio|not (?:use|support) the stdio|stdio mode|printed a help text`, ""},
	{"the server reported an error since the request", situation{"reported_since": `"Error: no tea"`}, working, "timeout"},
	{"a program shares the stdin of the server", situation{"shared": `"cat" (pid 7)`}, working, "timeout"},
	{"mcptea responded to a request of the server", situation{"answered": "roots/list"}, working, "timeout"},
	{"the response came after stdin was closed", situation{"late": "{}"}, working, "timeout"},
	{"--lenient is given", situation{"lenient": true}, `--lenient`, ""},
	{"Node.js has named a new version", situation{"node": "22", "node_20": true}, `version of Node\.js is too old`, "stderr|source"},
	{"responses came on the stream of GET", situation{"elsewhere": 1}, `returns without writing|closed the stream too early|treats the request as a notification`, "lost"},
	{"a proxy is in front", situation{"proxied": true}, `allowed hosts, add this one|Use the host name that it expects`, "status"},
	{"the body names another host", situation{"other_host": `"a.internal"`, "own_host": "b.test"}, `Use the host name that it expects|does not accept the host name of the URL`, "status"},
	{"the bot protection of an intermediary responded", situation{"bot": "Cf-Mitigated: challenge", "intermediary": "Cloudflare", "version_refused": ""}, `Origin|allowed hosts|require credentials|Send a token|limits the number|Fix what the message reports|distinguishes requests`, "status"},
	{"the response says that there was no body", situation{"unread_body": 307, "class": 4, "session": "", "bot": "", "version_refused": "", "status": 400}, `[Oo]lder version may|Fix what the message reports`, "status"},
	{"the redirect differs by a slash", situation{"slash": "https://a.test/mcp/", "slash_url": "https://a.test/mcp/", "to": "http://a.test:8000/mcp/", "with_slash": true, "to_plain": true, "https": true, "to_same": "", "to_itself": "", "loop": "", "to_login": ""}, `Location header|Write https`, "status"},
	{"the redirect leads to http", situation{"to": "http://a.test/mcp", "to_plain": true, "https": true, "to_same": "", "slash": "", "to_itself": "", "loop": "", "to_login": ""}, `Use that URL|Location header, if|Write https`, "status"},
	{"an error is reported", situation{"reported": `"Error: no tea"`, "last": ""}, `finished normally|no reason|without an error`, "exit|exit-detail"},
	{"the body is compressed", situation{"packed": "gzip"}, `JSON without a library`, "lost"},
	{"the server may have read all", situation{"read": true, "unread": "", "container": "docker run"}, `no stdin: no request`, "timeout"},
	{"the server has no reader at all", situation{"stdio": true, "connected": "", "other_stdin": `"x" (pid 7) has /dev/null as its stdin`, "unread": 100, "read": false, "received": "", "container": ""}, `raise --connect-timeout|Raise the timeout`, "timeout"},
}

// exampleErrors are errors by the names of [isError].
var exampleErrors = map[string]error{
	"no-directory": stdio.ErrNoDir, "not-found": exec.ErrNotFound, "no-file": os.ErrNotExist, "permission": os.ErrPermission, "directory": syscall.EISDIR, "exec-format": syscall.ENOEXEC,
	"stdout-closed": stdio.ErrStdoutClosed, "broken-pipe": syscall.EPIPE, "process-files": syscall.EMFILE, "system-files": syscall.ENFILE,
	"empty": mcphttp.ErrEmpty, "stream-ended": mcphttp.ErrStreamUnanswered, "no-response": mcphttp.ErrNoAnswer, "sse-ended": mcphttp.ErrStreamEnded, "first-event": &mcphttp.FirstEventError{}, "origin": &mcphttp.OriginError{}, "endpoint": &mcphttp.EndpointError{Err: errors.New("x")},
	"certificate": &tls.CertificateVerificationError{Err: errors.New("x")}, "unknown-authority": x509.UnknownAuthorityError{}, "other-host": x509.HostnameError{Certificate: &x509.Certificate{}}, "expired": x509.CertificateInvalidError{Reason: x509.Expired},
	"no-metadata": &oauth.NoMetadataError{}, "incomplete": &oauth.IncompleteError{Member: "token_endpoint"}, "unannounced": &oauth.UnannouncedError{}, "no-browser": &oauth.NoBrowserError{}, "refusal": &oauth.Refusal{}, "no-client": &oauth.ClientError{}, "client-auth": &oauth.ClientAuthError{},
	"token-rejected": &oauth.TokenRejectedError{}, "scope": &oauth.ScopeError{}, "consent-timeout": oauth.ErrConsentTimeout, "cancelled": oauth.ErrCancelled, "server-error": &oauth.ServerError{},
	"no-versions": client.ErrNoVersions, "result": &client.ResultError{}, "task-cancelled": client.ErrTaskCancelled, "cursor-loop": client.ErrCursorLoop, "list-size": client.ErrListTooLarge, "list-pages": client.ErrTooManyPages,
	"list-repeats": &client.PagesError{}, "not-a-list": client.ErrNotAList, "input": &client.InputError{}, "input-refused": client.ErrInputRefused, "input-rounds": client.ErrTooManyRounds, "tool-headers": &client.InvalidToolError{},
}

// exampleLines are lines for the rows that look for words, but for those of stderr; see [known].
var exampleLines = map[string]string{
	"tool-sql": "syntax error at or near \"form\"", "tool-unique": "duplicate key value violates unique constraint \"users_email_key\"", "tool-not-null": "null value in column \"name\" of relation \"users\" violates not-null constraint", "tool-foreign-key": "violates foreign key constraint \"a_fk\"", "tool-read-only-data": "cannot execute insert in a read-only transaction", "tool-slack": "not_in_channel", "tool-shared": "could not find page with id: 1. make sure the relevant pages and databases are shared with your integration.",
	"tool-browser-address": "net::err_name_not_resolved at http://exampel.com/", "tool-several-elements": "strict mode violation: getbyrole('button') resolved to 2 elements", "tool-other-first": "no open pages available. use the \"browser_navigate\" tool to navigate to a page first.", "tool-login-page": "please authenticate first by visiting https://login.acme.dev/device and entering code abcd", "tool-key-error": "keyerror: 'items'", "tool-key-error-argument": "keyerror: 'items'", "tool-bucket": "nosuchbucket: the specified bucket does not exist",
	"400-session-uncreated": "missing session id", "tool-schema-wrong": "False is not of type 'array'", "tool-session-behind": "upstream session not found", "tool-params-session": "invalid request parameters", "client-unknown": "invalid client id",
	"registration-redirect": "redirect uri is not allowed", "token-parameters": "missing required parameters: code", "service-container": "connect ECONNREFUSED 127.0.0.1:5680",
	"python-mcp-renamed": "ImportError: cannot import name 'McpError' from 'mcp'", "python-mcp-name": "ImportError: cannot import name 'Kettle' from 'mcp.server'", "python-name": "ImportError: cannot import name 'Tea' from 'pot'",
	"listening-prompt": "Enter passphrase for key '/root/.ssh/id_rsa': ", "listening-debugger": "Waiting for debugger to attach", "listening-lock": "Waiting for lock on /tmp/tea.lock",
	"tool-capability-code": "method not found", "tool-argument-unlisted": "missing required argument: lang",
	"stdout-content-length": "Content-Length: 12", "stdout-control": "\x1b[2J", "session-gone": "session not found", "400-tls": "client sent an http request to an https server",
	"400-session": "no session", "400-session-pinned": "no session", "400-session-connected": "no session", "403-origin": "origin not allowed", "403-host": "invalid host", "403-host-named": "invalid host: a.internal", "403-host-proxy": "invalid host", "403-host-loopback": "invalid host",
	"header": "missing header x-api-key", "400-session-sent": "no session", "session-single": "server already initialized", "session-single-ended": "session not found", "tool-output": "output validation error",
	"tool-result": "validating tool output", "tool-params-none": "invalid request parameters", "tool-edge": "error code: 1010", "tool-service-auth": "http 401", "tool-service-limit": "status code 429", "tool-service-failed": "status: 503", "tool-function": "go() missing 1 required positional argument: 'ctx'", "tool-schema-lacks": "invalid arguments: missing field",
	"status-uninitialized": "server not initialized", "tool-uninitialized": "received request before initialization was complete", "tool-uninitialized-http": "method is invalid during session initialization", "tool-refused": "connect econnrefused 127.0.0.1:5432", "tool-refused-unnamed": "connection refused", "tool-network": "cannot connect to host a.test:443 ssl", "tool-network-unnamed": "all connection attempts failed",
	"registration-scope": "requested scopes are not valid: email", "400-session-initialize": "no session", "session-single-connected": "server already initialized", "status-fails-behind": "database error while fetching keys", "tool-limit-said": "api key rate limit exceeded", "401-key": "no api key found in request", "401-own": "invalid api key", "401-own-bearer": "ensure key has `bearer ` prefix",
	"tool-capability": "method not found", "tool-container": "connection refused: localhost:4000", "tool-credentials-cloud": "your aws session token has expired", "tool-variable": "missing environment variable tea_key", "tool-not-json": "unexpected token '<'", "tool-program": "spawn git enoent",
	"tool-outside": "path outside allowed directories", "tool-readonly": "permission denied", "tool-file": "enoent: no such file or directory, open '/tea'", "tool-upstream": "mcp error -32001: request timed out", "tool-slow": "timed out", "tool-serialize": "object of type tea is not json serializable",
	"tool-protocol-class": "cannot construct instance of io.modelcontextprotocol.spec.x", "tool-disposed": "cannot access a disposed object", "docker-exec": "exec: \"tea\": executable file not found in $PATH", "404-route": "no route matched with those values", "registration-policy": "policy 'trusted hosts' rejected request", "token-scope-other": "scope 'tea' that doesn't exist on the resource", "token-scope-none": "no scopes were requested", "token-parameter": "'resource' parameter is not supported",
	"tool-limit-other": "您的账户已达到速率限制", "tool-balance-other": "余额不足", "tool-key-other": "鉴权失败", "prompt-typed": "expected number, received string", "tool-foreign": "items.0.owner: expected string", "resource-slash": "unknown resource",
	"tool-converted": "input should be a valid string", "tool-undeclared": "unexpected keyword argument", "tool-meta": "unexpected additional properties [\"_meta\"]", "tool-global": "fetch is not defined", "tool-exception-none": "name 'false' is not defined", "tool-exception": "object reference not set to an instance", "tool-exception-any": "nil pointer dereference",
	"tool-arguments-absent": "expected object, received undefined", "tool-application": "is thunderbird running?", "tool-token-passed": "access token expired", "400-session-get": "no session", "apigw-key": "forbidden", "apigw-path": "missing authentication token", "token-resource-scope": "the resource doesn't match with the requested scopes",
	"stray-maven": "[INFO] Scanning for projects...", "stray-gradle": "> Task :run", "stray-npm": "> tea@1.0.0 start", "stray-dotenv": "[dotenv@17.2.0] injecting env", "stray-spring": " :: Spring Boot ::  (v3.4)", "stray-buildpack": "Calculating JVM memory based on 1K available memory",
	"stray-java-log": "12:00:00.000 [main] INFO  a.B - started", "stray-dotnet": "info: Microsoft.Hosting.Lifetime[14]", "stray-make": "make: Entering directory '/x'", "stray-installer": "Collecting mcp",
	"tool-browser": "executable doesn't exist at /root/chrome", "tool-no-arguments": "input is not of type object", "tool-encoded": "input should be a valid dictionary", "tool-misfit": "field required", "tool-schema": "field required", "tool-inner": "field required", "status-lifespan": "task group is not initialized", "tool-zod": "keyvalidator._parse is not a function", "tool-certificate": "self signed certificate", "not-http-tls": "\x15\x03\x03", "not-http-2": "\x00\x00\x12\x04", "not-http-ssh": "SSH-2.0",
	"node-modules":             "/srv/a.js:1\nimport { A } from \"a\";\n       ^\n\nSyntaxError: Unexpected token {\n    at Module._compile (internal/modules/cjs/loader.js:723:23)",
	"npx-cache-required":       requiredBy("zod", "/root/.npm/_npx/1/node_modules/x/index.js"),
	"node-dependency-required": requiredBy("./lib/x", "/srv/node_modules/y/index.js"),
	"node-required":            requiredBy("./gone", "/srv/index.js"),
	"python-syntax":            "  File \"a.py\", line 3\n    print(f\"{x}\")\n               ^\nSyntaxError: invalid syntax",
}

// situationOf is a situation in which a row is told.
func situationOf(t *testing.T, r *row) situation {
	t.Helper()
	s := situation{"returned": "POST http://a.test/mcp returned 400 Bad Request.", "offered": "2025-11-25", "older": "2025-06-18"}
	for name, want := range r.When {
		first, _, _ := strings.Cut(want, "|")
		switch {
		case name == "is":
			if s["is"] = exampleErrors[want]; s["is"] == nil || !isError[want](exampleErrors[want]) {
				t.Fatalf("%s: no error is %q", r.ID, want)
			}
		case want == "*" || want == "":
			s[name] = map[string]string{"*": "x", "": ""}[want]
		default:
			s[name] = first
		}
	}
	if class := s.text("status"); class != "" {
		s["class"] = class[:1]
	}
	if r.Match != "" {
		line, ok := exampleLines[r.ID]
		if i := slices.IndexFunc(known, func(k knownLine) bool { return k.id == r.ID && k.want != "" }); i >= 0 {
			line, ok = known[i].line, true
		}
		if !ok {
			t.Fatalf("%s: no line is known", r.ID)
		}
		s["lines"] = []string{line}
	}
	return s
}

// told is what the rows of a place say in a situation.
func told(where string, s situation) string {
	if where == "stderr" || where == "listening" || where == "source" {
		lines, _ := s["lines"].([]string)
		text := ""
		for _, f := range candidates(s, strings.Split(strings.Join(lines, "\n"), "\n"), "stderr", "listening") {
			text += f.Cause + " " + f.Remedy.Text + "\n"
		}
		return text
	}
	why, _ := find(where, s)
	return why.Cause + "\n" + why.Remedy.Text
}

// Each row is told in its own situation, and what it claims is not told in any situation that
// contradicts it, by that row or by another one.
func TestRows_InSituationsThatContradictThem(t *testing.T) {
	told2, pairs := 0, 0
	fallen := map[string]bool{}
	for _, r := range catalog.Read[row](failuresText) {
		s := situationOf(t, &r)
		for _, c := range against {
			claim := regexp.MustCompile(c.claim)
			if !claim.MatchString(string(r.Cause)) && !claim.MatchString(string(r.Try)) || c.only != "" && !slices.Contains(strings.Split(c.only, "|"), r.Where) {
				continue
			}
			pairs++
			with := maps.Clone(s)
			maps.Copy(with, c.facts)
			text := told(r.Where, with)
			for line := range strings.Lines(text) {
				if claim.MatchString(line) {
					told2++
					fallen[r.ID] = true
					t.Errorf("%s, although %s: %s", r.ID, c.name, strings.TrimSpace(line))
					break
				}
			}
		}
	}
	if pairs < 60 {
		t.Errorf("only %d pairs of a row and a fact against it", pairs)
	}
	t.Logf("%d pairs, %d told, %d rows", pairs, told2, len(fallen))
}

// What is said for a claim is said in the situation of its row: the facts against it do not hide it
// everywhere.
func TestRows_InTheirOwnSituation(t *testing.T) {
	for _, r := range catalog.Read[row](failuresText) {
		if r.Cause == "" || r.Where == "listening" || r.Where == "stderr" || r.Where == "source" {
			continue // known_test.go has the lines
		}
		s := situationOf(t, &r)
		for name := range r.Unless {
			if r.Unless[name] == "" && s.text(name) == "" {
				s[name] = "x"
			}
		}
		if s.contradicts(r.Unless) {
			t.Errorf("%s: the conditions contradict each other", r.ID)
		}
	}
}

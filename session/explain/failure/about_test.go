package failure

import (
	"maps"
	"testing"
)

// aboutLines are messages for the rows of "message", each as another program writes it.
var aboutLines = map[string]string{
	"about-run":                 "index is missing. Run `tea index` first",
	"about-run-given":           "this machine is not activated. Activate with: teatool activate KEY",
	"about-system":              "called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }",
	"about-unhandled":           "called `Result::unwrap()` on an `Err` value: NoTea",
	"about-file":                "The configuration file 'tea.json' was not found and is not optional.",
	"about-upstream-ended":      "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
	"about-upstream-none":       "no healthy upstream",
	"about-upstream-slow":       "upstream request timeout",
	"about-login-behind":        "Bad credentials",
	"about-login-service":       "Bad credentials",
	"about-deserialize":         "Invalid message format",
	"about-page":                "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
	"about-json":                "config is not valid JSON",
	"about-option":              "Requires net access, run again with the --allow-net flag",
	"about-suggestion":          "Unknown name brwe. Did you mean brew?",
	"about-clock":               "RequestTimeTooSkewed",
	"about-tls-plain":           "[SSL: WRONG_VERSION_NUMBER] wrong version number",
	"about-files":               "OSError: [Errno 24] Too many open files",
	"about-encoding":            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0",
	"about-table":               "no such table: notes",
	"about-module":              "ModuleNotFoundError: No module named 'tealeaf'",
	"about-refused":             "Can't reach database server at `db:5432`",
	"about-refused-call":        "Can't reach database server at `db:5432`",
	"about-cut":                 "read ECONNRESET",
	"about-allowlist":           "Your IP address 203.0.113.9 is not in the allowlist of this workspace",
	"about-mfa":                 "Two-factor authentication is required for this organization",
	"about-platform":            "The deployment could not be found on Vercel",
	"about-timeout":             "Task timed out after 3.00 seconds",
	"about-credentials":         "Unable to locate credentials",
	"about-repository":          "fatal: not a git repository",
	"about-syntax":              "yaml: line 3: mapping values are not allowed",
	"about-variable":            "KeyError: 'TEA_KEY'",
	"about-enable-url":          "The API is disabled. Enable it at https://tea.test/apis then retry",
	"about-enable":              "MCP access is disabled for this workspace",
	"about-csrf":                "CSRF token mismatch.",
	"about-host":                "DisallowedHost: you may need to add 'tea' to ALLOWED_HOSTS.",
	"about-cloud-run":           "Error: Forbidden Your client does not have permission to get URL /mcp from this server.",
	"about-plan":                "This feature requires the Pro plan",
	"about-rate":                "rate limit exceeded, retry in 30s",
	"about-region":              "This service is not available in your region",
	"about-key":                 "No API key found in request",
	"about-key-server":          "Incorrect API key provided",
	"about-login":               "Not logged in.",
	"about-scope":               "Unauthorized: missing scope read:issues",
	"about-permission-none":     "RBAC: access denied",
	"about-settings":            "ZodError: site.url: Required",
	"about-permission":          "RBAC: access denied",
	"about-space":               "no space left on device",
	"about-lock":                "database is locked",
	"about-versions":            "store version 7 is newer than this binary supports (5)",
	"about-right-command":       "You don't have Brew Tea permission",
	"about-right-call":          "You don't have Brew Tea permission",
	"about-upstream-ended-call": "reset reason: connection termination",
	"about-upstream-none-call":  "no healthy upstream",
	"about-upstream-slow-call":  "upstream request timeout",
	"about-damaged":             "database disk image is malformed",
	"about-set":                 "TOKEN must be set",
	"about-setting":             "unknown key \"tols\" in the file",
	"about-command":             "unknown command \"kettle\"",
	"about-size":                "Output exceeds maximum allowed size (25000 tokens)",
	"about-choice":              "Project 'abc' not found. Available projects: x, y",
	"about-encoded":             "invalid percent-encoded token: \"a%b\"",
	"about-mode":                "Permissions 0644 for '/srv/key' are too open.",
	"about-function":            "FUNCTION_INVOCATION_FAILED",
	"about-unreached":           "Could not connect to Chrome",
	"about-function-missing":    "execute_sql RPC function not found",
	"about-run-container":       "Run 'npx playwright install chrome'",
	"about-state":               "workspace not bound",
	"about-state-settings":      "Tea client is not configured or available",
	"about-missing":             "query workspace: Field required",
	"about-later":               "Service is under maintenance",
	"about-unsupported":         "file locks are not supported",
	"about-unknown-start":       "function \"slug\" not defined",
	"about-unknown-plain-start": "default backend not found",
	"about-unknown":             "function \"slug\" not defined",
	"about-unknown-plain":       "default backend not found",
	"about-fault":               "internal error: entered unreachable code: should be handled elsewhere",
	"about-value":               "must match pattern ^[a-z]+$",
	"about-url":                 "See https://tea.test/help",
}

func init() { maps.Copy(exampleLines, aboutLines) }

// situationOfMessage is a situation in which a row of "message" may be told.
func situationOfMessage(r *row) situation {
	s := situation{}
	if r.ID == "about-login" { // about-login-behind is for calls
		s["token_sent"] = true
	}
	if r.ID == "about-refused-call" { // about-refused is for connecting
		s["connected"] = true
	}
	for name, want := range r.When {
		if want == "*" {
			want = "true"
		}
		s[name] = want
	}
	if want, ok := r.When["status"]; ok && want != "" {
		s["status"] = "403"
	}
	return s
}

// Each message is about one thing: the row that is told is its own.
func TestAboutMessage_Rows(t *testing.T) {
	for i := range rows()["message"] {
		r := &rows()["message"][i]
		line, ok := aboutLines[r.ID]
		if !ok {
			t.Errorf("%s: no example", r.ID)
			continue
		}
		why, ok := aboutMessage(situationOfMessage(r), line)
		if !ok || why.Remedy.ID != r.ID {
			t.Errorf("%s: %q is told as %q: %s", r.ID, line, why.Remedy.ID, why.Cause)
		}
	}
}

// Forms of other programs than those that the rows were written for.
func TestAboutMessage_Forms(t *testing.T) {
	stdio, http, called := situation{"stdio": true}, situation{"status": "400"}, situation{"stdio": true, "connected": true}
	for _, c := range []struct {
		s        situation
		message  string
		row      string
		contains string
	}{
		{stdio, "vault is sealed; please run vaultctl unseal first", "about-run", `"vaultctl unseal"`},
		{stdio, "No index found. Run: 'ctx build --all' in the project", "about-run", `"ctx build --all"`},
		{called, "Session store is locked by another process (pid 77)", "about-lock", "Another process"},
		{called, "Failed to acquire a lock: Could not obtain lock on cache", "about-lock", "Another process"},
		{called, `{"error":{"message":"Insufficient credits","code":402}}`, "about-plan", `"Insufficient credits"`},
		{http, "Your trial has ended", "about-plan", "paid for or licensed"},
		{called, "API request failed with 403: missing required scope 'repo:read'", "about-scope", "repo:read"},
		{http, "insufficient permissions for this dataset", "about-permission", "may not do this"},
		{stdio, "cache was written by a newer version than this one: schema version mismatch", "about-versions", "Two versions"},
		{stdio, "archive is truncated: unexpected end of file", "about-damaged", "damaged"},
		{called, "No browser page is open", "about-state", "not in the state"},
		{called, "The repository is not initialized", "about-state", "not in the state"},
		{stdio, "ConfigError: workspace_dir is not set", "about-set", `"workspace_dir"`},
		{called, "Refresh token has been revoked", "about-login-behind", "not signed in"},
		{called, "Authorization required. Find your key in the settings", "about-login-behind", "not signed in"},
		{http, "Deployment is temporarily unavailable", "about-later", "for a time"},
		{called, "Response too large: 1,200,000 characters", "about-size", "larger"},
		{http, "Invalid CSRF token", "about-csrf", "CSRF"},
		{stdio, "Refusing to write. Pass the --allow-write option to permit it", "about-option", "--allow-write"},
		{stdio, "error: missing required option --tenant", "about-option", "--tenant"},
		{stdio, "use --help for more information", "", ""},
		{called, "No resource 'tae'. Did you mean 'tea'?", "about-suggestion", "tea"},
		{called, "JWT rejected: token used before issued", "about-clock", "clocks"},
		{http, "timestamp is too old: 512 seconds", "about-clock", "clocks"},
		{called, "Post \"https://api.tea.test\": http: server gave HTTP response to HTTPS client", "about-tls-plain", "plain http"},
		{http, "tls: first record does not look like a TLS handshake", "about-tls-plain", "plain http"},
		{called, "ENOSPC: System limit for number of file watchers reached, watch '/srv'", "about-files", "watch"},
		{stdio, "accept: too many open files", "about-files", "limit"},
		{called, "stream did not contain valid UTF-8", "about-encoding", "encoding"},
		{stdio, "UnicodeEncodeError: 'charmap' codec can't encode character", "about-encoding", "encoding"},
		{called, "relation \"users\" does not exist LINE 1: select * from users", "about-table", "users"},
		{http, "Unknown column 'color' in 'field list'", "about-table", "color"},
		{stdio, "Caused by: java.lang.ClassNotFoundException: com.acme.Tea", "about-module", "com.acme.Tea"},
		{called, "Error: Cannot find module 'sharp'", "about-module", "sharp"},
		{http, "connect ECONNREFUSED 10.0.0.3:6379", "about-refused", "10.0.0.3:6379"},
		{stdio, "failed to connect to redis at cache.internal:6379", "about-refused", "cache.internal:6379"},
		{called, "socket hang" + " up", "about-cut", "cut"},
		{http, "ConnectionResetError: Connection reset by peer", "about-cut", "cut"},
		{http, "ip_not_allowed", "about-allowlist", "permitted"},
		{called, "host tea.test is not whitelisted", "about-allowlist", "permitted"},
		{called, "AADSTS50076: you must use multi-factor authentication to access", "about-mfa", "organization"},
		{http, "Resource protected by organization SAML enforcement", "about-mfa", "organization"},
		{http, "Application not found", "about-platform", "platform"},
		{http, "The endpoint tea-pot.ngrok-free.app is offline. ERR_NGROK_3200", "about-platform", "platform"},
		{called, "Application not found", "", ""},
		{http, "Function timed out after 10s", "about-timeout", "10s"},
		{called, "query timed out after 30000 ms", "about-timeout", "30000"},
		{stdio, "Your default credentials were not found.", "about-credentials", "finds no credentials"},
		{called, "Could not load credentials from any providers", "about-credentials", "finds no credentials"},
		{stdio, "yaml.scanner.ScannerError: mapping values are not allowed here", "about-syntax", "YAML"},
		{stdio, "config: toml: line 4: expected value", "about-syntax", "TOML"},
		{http, "KeyError: 'OPENAI_API_KEY'", "about-variable", "OPENAI_API_KEY"},
		{stdio, "The client option must be set by passing api_key or by setting the OPENAI_API_KEY environment variable", "about-variable", "OPENAI_API_KEY"},
		{called, "TEA_TOKEN is not configured", "about-variable", "TEA_TOKEN"},
		{called, "fatal: detected dubious ownership in repository at '/repo' To add an exception for this directory, call: git config --global --add safe.directory /repo", "about-run-given", "git config --global"},
		{stdio, "this machine is not activated. Activate with: teatool activate KEY", "about-run-given", "teatool activate"},
		{http, "Account suspended for unpaid invoices", "about-plan", "unpaid"},
		{http, "upstream prematurely closed connection while reading response header", "about-upstream-ended", "ended it before it responded"},
		{http, "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure", "about-upstream-none", "does not reach the server"},
		{http, "failure to get a peer from the ring-balancer", "about-upstream-none", "does not reach the server"},
		{http, "upstream timed out while reading response header", "about-upstream-slow", "stopped waiting"},
		{called, "svn: E215004: No more credentials or we tried too many times. Authentication failed", "about-login-behind", "where the server is started"},
		{called, "Login failed for user 'tea'", "about-login-behind", "where the server is started"},
		{http, "Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum JsonRpcMessage", "about-deserialize", "MCP library"},
		{stdio, "Unrecognized field \"applyDefaults\" (class tea.Form), not marked as ignorable", "about-deserialize", "MCP library"},
		{called, "permission_deny:use tools", "about-permission", "may not do this"},
		{called, "{\"code\":7,\"message\":\"no_permission\"}", "about-permission", "may not do this"},
		{stdio, "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", "about-page", "a page (HTML)"},
		{http, "invalid character '<' looking for beginning of value", "about-page", "a page (HTML)"},
		{stdio, "SyntaxError: Unexpected token } in JSON at position 41", "about-json", "not valid JSON"},
		{stdio, "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", "about-json", "not valid JSON"},
		{called, "the message is fine", "", ""},
		{called, "Unknown tool: tea", "", ""},
		{called, "tea not found", "", ""},
	} {
		s := maps.Clone(c.s)
		why, _ := aboutMessage(s, c.message)
		if why.Remedy.ID != c.row {
			t.Errorf("%q is told as %q (%s), want %q", c.message, why.Remedy.ID, why.Cause, c.row)
		}
		if text := why.Cause + why.Remedy.Text; c.contains != "" && !contains(text, c.contains) {
			t.Errorf("%q: %q does not contain %q", c.message, text, c.contains)
		}
	}
}

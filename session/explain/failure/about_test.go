package failure

import (
	"maps"
	"testing"
)

// aboutLines are messages for the rows of "message", each as another program writes it.
var aboutLines = map[string]string{
	"about-run":             "index is missing. Run `tea index` first",
	"about-enable-url":      "The API is disabled. Enable it at https://tea.test/apis then retry",
	"about-enable":          "MCP access is disabled for this workspace",
	"about-csrf":            "CSRF token mismatch.",
	"about-host":            "DisallowedHost: you may need to add 'tea' to ALLOWED_HOSTS.",
	"about-cloud-run":       "Error: Forbidden Your client does not have permission to get URL /mcp from this server.",
	"about-plan":            "This feature requires the Pro plan",
	"about-rate":            "rate limit exceeded, retry in 30s",
	"about-region":          "This service is not available in your region",
	"about-key":             "No API key found in request",
	"about-key-server":      "Incorrect API key provided",
	"about-login":           "Not logged in.",
	"about-scope":           "Unauthorized: missing scope read:issues",
	"about-permission-none": "RBAC: access denied",
	"about-settings":        "ZodError: site.url: Required",
	"about-permission":      "RBAC: access denied",
	"about-space":           "no space left on device",
	"about-lock":            "database is locked",
	"about-versions":        "store version 7 is newer than this binary supports (5)",
	"about-damaged":         "database disk image is malformed",
	"about-set":             "TOKEN must be set",
	"about-setting":         "unknown key \"tols\" in the file",
	"about-command":         "unknown command \"kettle\"",
	"about-size":            "Output exceeds maximum allowed size (25000 tokens)",
	"about-choice":          "Project 'abc' not found. Available projects: x, y",
	"about-state":           "workspace not bound",
	"about-missing":         "query workspace: Field required",
	"about-later":           "Service is under maintenance",
	"about-unsupported":     "file locks are not supported",
	"about-unknown":         "function \"slug\" not defined",
	"about-unknown-plain":   "default backend not found",
	"about-fault":           "internal error: entered unreachable code: should be handled elsewhere",
	"about-value":           "must match pattern ^[a-z]+$",
	"about-url":             "See https://tea.test/help",
}

func init() { maps.Copy(exampleLines, aboutLines) }

// situationOfMessage is a situation in which a row of "message" may be told.
func situationOfMessage(r *row) situation {
	s := situation{}
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
		{called, "Refresh token has been revoked", "about-login", "not signed in"},
		{called, "Authorization required. Find your key in the settings", "about-login", "not signed in"},
		{http, "Deployment is temporarily unavailable", "about-later", "for a time"},
		{called, "Response too large: 1,200,000 characters", "about-size", "larger"},
		{http, "Invalid CSRF token", "about-csrf", "CSRF"},
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

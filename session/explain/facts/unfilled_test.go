package facts

import (
	"net/http"
	"testing"

	"mcptea/client/transport"
)

func TestUnfilled(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   Attempt
		want Unfilled
	}{
		{"a header", Attempt{Own: http.Header{"Authorization": {"Bearer ${TEA_TOKEN}"}}}, Unfilled{"${TEA_TOKEN}", "the header Authorization", false}},
		{"an input of VS Code", Attempt{Own: http.Header{"X-Key": {"${input:tea-key}"}}}, Unfilled{"${input:tea-key}", "the header X-Key", false}},
		{"a secret with such characters", Attempt{Own: http.Header{"X-Key": {"a$B_C${d}e"}}}, Unfilled{}},
		{"the URL", Attempt{Failed: transport.Exchange{URL: "https://tea.test/mcp?key=$%7BTEA_KEY%7D"}}, Unfilled{"${TEA_KEY}", "the URL", false}},
		{"an argument", Attempt{Argv: []string{"tea", "--dir", "%APPDATA%\\tea"}}, Unfilled{"%APPDATA%", "argument 2 of the command", false}},
		{"an argument of a shell", Attempt{Argv: []string{"sh", "-c", "exec tea ${TEA_DIR}"}}, Unfilled{}},
		{"a variable", Attempt{Argv: []string{"tea"}, Set: []string{"TEA_URL=x", "TEA_KEY={{tea_key}}"}}, Unfilled{"{{tea_key}}", "the variable TEA_KEY", false}},
		{"a placeholder", Attempt{Argv: []string{"tea"}, Set: []string{"TEA_KEY=<your key>"}}, Unfilled{"a placeholder", "the variable TEA_KEY", true}},
		{"a price", Attempt{Argv: []string{"tea", "$5", "100%"}, Set: []string{"PRICE=$12"}}, Unfilled{}},
	} {
		if got := unfilledOf(tt.of); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestPackageRun(t *testing.T) {
	for want, argv := range map[string][]string{
		"@tea/mcp@1.2":  {"npx", "-y", "@tea/mcp@1.2", "--port", "3"},
		"tea-mcp":       {"/usr/bin/uvx", "--python", "3.12", "tea-mcp"},
		"tea-package":   {"uvx", "--from", "tea-package", "tea-command"},
		"tea-dlx":       {"pnpm", "dlx", "tea-dlx"},
		"tea-of-uv":     {"uv", "tool", "run", "tea-of-uv"},
		"":              {"uv", "run", "server.py"},
		"tea-of-cmd":    {`npx.cmd`, "tea-of-cmd"},
		"with-packages": {"npx", "-p", "tea", "with-packages"},
	} {
		if got := packageRun(argv); got != want {
			t.Errorf("%q: %q, want %q", argv, got, want)
		}
	}
}

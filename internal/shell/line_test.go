package shell_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/shell"
)

func TestShell_AddTarget(t *testing.T) {
	for _, tc := range []struct {
		flags     []shell.Flag
		target    client.Target
		want      string
		variables []string
	}{
		{nil, client.Target{Argv: []string{"my server", "--x"}}, `-- 'my server' --x`, nil},
		{
			[]shell.Flag{{Name: "lenient", Bool: true, Value: "true"}, {Name: "env", Value: "API_KEY=hunter2hunter2"}, {Name: "env", Value: "DEBUG=1"}, {Name: "env-file", Value: "secret_key.env", Public: true}},
			client.Target{Argv: []string{"srv", "--api-key", "abcdef0123456789abcd", "--token=abcdef0123456789abcdxx"}},
			`--lenient --env API_KEY="$API_KEY" --env DEBUG=1 --env-file secret_key.env -- srv --api-key "$API_KEY_2" --token="$TOKEN"`,
			[]string{"API_KEY", "API_KEY_2", "TOKEN"},
		},
		{
			[]shell.Flag{{Name: "header", Value: "Authorization: Bearer abc"}, {Name: "header", Value: "X-Trace: on"}, {Name: "token", Value: "t", Variable: "MCPTEA_TOKEN"}},
			client.Target{URL: "https://user:pw@h.example/mcp?api_key=KEYKEYKEY&x=1"},
			`--header 'Authorization: Bearer '"$MCPTEA_TOKEN" --header 'X-Trace: on' --token "$MCPTEA_TOKEN_2" --url https://user:"$PASSWORD"'@h.example/mcp?api_key='"$API_KEY"'&x=1'`,
			[]string{"MCPTEA_TOKEN", "MCPTEA_TOKEN_2", "PASSWORD", "API_KEY"},
		},
		{
			[]shell.Flag{{Name: "clean-env", Bool: true, Value: "false"}, {Name: "header", Value: "X-Api-Key: same-value-1"}, {Name: "header", Value: "X-Api-Key: same-value-1"}},
			client.Target{URL: "http://h/"},
			`--clean-env=false --header 'X-Api-Key: '"$X_API_KEY" --header 'X-Api-Key: '"$X_API_KEY" --url http://h/`,
			[]string{"X_API_KEY"},
		},
	} {
		var l shell.Line
		l.AddTarget(tc.flags, tc.target)
		got, err := l.For(shell.Bash)
		if err != nil || got != tc.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, tc.want)
		}
		if !slices.Equal(l.Variables(), tc.variables) {
			t.Errorf("variables %v, want %v", l.Variables(), tc.variables)
		}
	}
}

// A variable that the environment has for another server is not in the command: pasted, it would send
// that secret to this one.
func TestShell_VariableOfAnotherServer(t *testing.T) {
	for value, want := range map[string]string{"token-of-another": "MCPTEA_TOKEN_3", "token-of-this": "MCPTEA_TOKEN", "": "MCPTEA_TOKEN"} {
		t.Setenv("MCPTEA_TOKEN", value)
		t.Setenv("MCPTEA_TOKEN_2", value)
		var l shell.Line
		l.AddTarget([]shell.Flag{{Name: "token", Value: "token-of-this", Variable: "MCPTEA_TOKEN"}}, client.Target{URL: "http://h/"})
		text, err := l.For(shell.Bash)
		if err != nil || text != `--token "$`+want+`" --url http://h/` {
			t.Errorf("with the value %q in the environment: %s, %v", value, text, err)
		}
	}
}

// What the user has typed without echo is in the arguments of the server: a copied command must not
// have it.
func TestShell_AddTarget_PrivateValues(t *testing.T) {
	for _, target := range []client.Target{
		{Argv: []string{"serve", "--mode=plain-4711-x", "plain-4711"}, Private: []string{"plain-4711", "a"}},
		{Argv: []string{"serve", "PLAIN-4711 and plain%2D4711", "1234"}, Private: []string{"plain-4711", "1234"}},
		{URL: "http://127.0.0.1:1/plain-4711/mcp", Private: []string{"plain-4711"}},
	} {
		var l shell.Line
		l.AddTarget(nil, target)
		text, err := l.For(shell.Bash)
		if words := l.Words()[1:]; !slices.Equal(words, target.Argv) && !slices.Equal(words, []string{target.URL}) {
			t.Errorf("the words are %q", words)
		}
		if err != nil || strings.Contains(text, "4711") || strings.Contains(text, "1234") || !strings.Contains(text, "$MCPTEA_VALUE") {
			t.Errorf("%s %v", text, err)
		}
	}
}

package settings_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/hosts"
)

// A server gets the environment of the run without the secrets of mcptea, and what the flags set.
func TestEnviron(t *testing.T) {
	own := app.Env{"PATH=/bin", "COLOR=red", "MCPTEA_TOKEN=secret", "MCPTEA_INPUT_KEY=secret", "MCPTEA_TIMEOUT=1s"}
	for name, tt := range map[string]struct {
		flags []string
		want  []string
		wrong bool
	}{
		"no flag":     {nil, []string{"PATH=/bin", "COLOR=red", "MCPTEA_TIMEOUT=1s"}, false},
		"--clean-env": {[]string{"--clean-env"}, []string{"PATH=/bin"}, false},
		"-e":          {[]string{"--clean-env", "-e", "COLOR", "-e", "MCPTEA_INPUT_KEY", "-e", "A=b=c"}, []string{"PATH=/bin", "COLOR=red", "MCPTEA_INPUT_KEY=secret", "A=b=c"}, false},
		"-e not set":  {[]string{"-e", "HOME"}, nil, true},
	} {
		p, set := settings.New(&app.App{Ctx: t.Context(), Env: own}), pflag.NewFlagSet("", pflag.ContinueOnError)
		p.Flags.DeclareTarget(set)
		if err := set.Parse(tt.flags); err != nil {
			t.Fatal(err)
		}
		to := client.Target{Argv: []string{"server"}}
		if err := p.Complete(&to); (err != nil) != tt.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, to.Env); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The token of the environment is sent, unless a flag sets the header.
func TestBearer_OfTheEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		env     app.Env
		headers []string
		token   string
		want    http.Header
		wrong   bool
	}{
		"not set":             {app.Env{}, nil, "", http.Header{}, false},
		"set":                 {app.Env{"MCPTEA_TOKEN=a"}, nil, "", http.Header{"Authorization": {"Bearer a"}}, false},
		"--token precedes":    {app.Env{"MCPTEA_TOKEN=a"}, nil, "b", http.Header{"Authorization": {"Bearer b"}}, false},
		"-H precedes":         {app.Env{"MCPTEA_TOKEN=a"}, []string{"authorization: Basic x"}, "", http.Header{"authorization": {"Basic x"}}, false},
		"a line break":        {app.Env{"MCPTEA_TOKEN=a\nb"}, nil, "", http.Header{}, true},
		"-H and --token both": {app.Env{}, []string{"Authorization: x"}, "b", http.Header{"Authorization": {"x"}}, true},
	} {
		p := settings.New(&app.App{Ctx: t.Context(), Env: tt.env})
		p.Flags = settings.Flags{Transport: "auto", Headers: tt.headers, Auth: settings.AuthFlags{Token: tt.token}}
		to := client.Target{URL: "https://example.com/mcp"}
		if err := p.Complete(&to); (err != nil) != tt.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, to.Header); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An entry sets what its env file has, unless the file was read before: what the user was shown
// then is what the server gets.
func TestEntryEnvironment_File(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("A=file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := []hosts.Field{{Name: "B", Value: "entry"}, {Name: "C", Unset: true}}
	for name, tt := range map[string]struct {
		server hosts.Server
		want   []string
		wrong  bool
	}{
		"no file":      {hosts.Server{Expanded: hosts.Launch{Env: own}}, []string{"B=entry"}, false},
		"a file":       {hosts.Server{Expanded: hosts.Launch{Env: own, EnvFile: file}}, []string{"A=file", "B=entry"}, false},
		"read before":  {hosts.Server{Expanded: hosts.Launch{Env: own, EnvFile: file}, FileEnv: []hosts.Field{{Name: "A", Value: "shown"}}}, []string{"A=shown", "B=entry"}, false},
		"no such file": {hosts.Server{Expanded: hosts.Launch{EnvFile: file + "x"}}, nil, true},
	} {
		p := settings.New(&app.App{Ctx: t.Context(), Env: app.Env{}})
		p.Flags = settings.Flags{Transport: "auto", Entry: &tt.server}
		to := client.Target{Argv: []string{"server"}}
		err := p.Complete(&to)
		if diff := cmp.Diff(tt.want, to.Env); diff != "" || (err != nil) != tt.wrong {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

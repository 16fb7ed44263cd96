package settings

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptea/cli/app"
	"mcptea/client"
)

// A server gets the environment of the run without the secrets of mcptea, and what the flags set.
func TestEnviron(t *testing.T) {
	own := app.Env{"PATH=/bin", "COLOR=red", "MCPTEA_TOKEN=secret", "MCPTEA_INPUT_KEY=secret", "MCPTEA_TIMEOUT=1s"}
	for name, tt := range map[string]struct {
		flags Flags
		want  []string
		wrong bool
	}{
		"no flag":     {Flags{}, []string{"PATH=/bin", "COLOR=red", "MCPTEA_TIMEOUT=1s"}, false},
		"--clean-env": {Flags{cleanEnv: true}, []string{"PATH=/bin"}, false},
		"-e":          {Flags{cleanEnv: true, env: []string{"COLOR", "MCPTEA_INPUT_KEY", "A=b=c"}}, []string{"PATH=/bin", "COLOR=red", "MCPTEA_INPUT_KEY=secret", "A=b=c"}, false},
		"-e not set":  {Flags{env: []string{"HOME"}}, nil, true},
	} {
		tt.flags.Transport = "auto"
		p := New(&app.App{Ctx: t.Context(), Env: own})
		p.Flags = tt.flags
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
		p := New(&app.App{Ctx: t.Context(), Env: tt.env})
		p.Flags = Flags{Transport: "auto", Headers: tt.headers, Auth: AuthFlags{Token: tt.token}}
		to := client.Target{URL: "https://example.com/mcp"}
		if err := p.Complete(&to); (err != nil) != tt.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, to.Header); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

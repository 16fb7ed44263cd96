package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/internal/shell"
)

// parsed are the flags and words of a command line, parsed as a command does.
func parsed(t *testing.T, args ...string) (*program, *pflag.FlagSet) {
	t.Helper()
	p := newProgram(os.Stdin, os.Stdout, os.Stderr, nil)
	root := p.root("")
	if err := root.ParseFlags(args); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return p, root.Flags()
}

// Each flag is either one of the target or known to be none.
func TestTargetFlags_AreComplete(t *testing.T) {
	_, set := parsed(t)
	set.VisitAll(func(f *pflag.Flag) {
		if _, ok := settings.TargetFlags[f.Name]; ok == slices.Contains(settings.OtherFlags, f.Name) {
			t.Errorf("--%s must be in one of targetFlags and otherFlags", f.Name)
		}
		delete(unusedTargetFlags, f.Name)
		if kind, ok := settings.TargetFlags[f.Name]; ok && kind.Bool != (f.Value.Type() == "bool") {
			t.Errorf("--%s is of type %s", f.Name, f.Value.Type())
		}
	})
	for name := range unusedTargetFlags {
		t.Errorf("there is no --%s", name)
	}
}

var unusedTargetFlags = func() map[string]bool {
	names := map[string]bool{}
	for name := range settings.TargetFlags {
		names[name] = true
	}
	return names
}()

// Each flag that a copied command does not repeat is repeated by a start from Recent, told there as left out, or
// changes nothing of what runs.
func TestRunFlags_AreComplete(t *testing.T) {
	aside := []string{
		"url", "server", // the target itself
		"attach",                                   // the session of another program
		"theme", "mouse", "ascii", "trace", "json", // how it is shown
		"help", "version",
	}
	_, set := parsed(t)
	for _, name := range settings.OtherFlags {
		kind, repeated := settings.RunFlags[name]
		_, told := settings.Unrepeated[name]
		n := 0
		for _, is := range []bool{repeated, told, slices.Contains(aside, name)} {
			if is {
				n++
			}
		}
		if n != 1 {
			t.Errorf("--%s is in %d of RunFlags, Unrepeated and the list of the test", name, n)
		}
		if f := set.Lookup(name); repeated && f != nil && (kind.Bool != (f.Value.Type() == "bool") || !kind.Bool && kind.Joined != (f.NoOptDefVal != "")) {
			t.Errorf("--%s is of type %s, without a value %q", name, f.Value.Type(), f.NoOptDefVal)
		}
	}
}

// What is written for a target must be read as the same target.
func TestTargetFlags_RoundTrip(t *testing.T) {
	file := func(name string) string {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, args := range [][]string{
		{"--", "srv", "--x", "it's"},
		{"--as-client", "codex", "--client-info", `{"name":"it's"}`, "--client-capabilities", "{}", "--", "srv"},
		{"-e", "A=b c", "-e", "B=", "-e", "HOME", "--env-file", "my.env", "--clean-env", "--cwd", "/tmp", "--root", "a", "--root", "b,c", "--", "srv"},
		{"--clean-env=false", "--lenient", "--protocol", "2025-06-18", "--timeout", "90s", "--connect-timeout", "2m", "--", "srv", "--", "x"},
		{"--url", "https://h/mcp?a=b", "--transport", "sse", "-H", "A: b", "-H", "C:", "-H", "X: a,b"},
		{"--url", "https://h/mcp", "--cacert", file("a.pem"), "--cacert", file("b,c.pem"), "--cert", file("c.pem"), "--key", file("c.key"), "-k", "--tls-server-name", "n"},
		{"--url", "https://h/mcp", "--token", "tok,en", "--client-id", "c", "--client-secret", "s", "--client-key", "k.pem", "--client-metadata", "https://c/m"},
		{"--url", "https://h/mcp", "--scope", "a b", "--scope", "c", "--issuer", "https://i", "--grant", "enterprise", "--assertion", "f", "--id-token", "g", "--idp-token-endpoint", "https://j", "--idp-client-id", "i", "--token-store", "off", "--open-browser", "--auth-timeout", "1m"},
	} {
		first, set := parsed(t, args...)
		to := client.Target{URL: first.Flags.URL}
		if to.URL == "" {
			to.Argv = set.Args()
		}
		var l shell.Line
		l.AddTarget(settings.GivenTargetFlags(set), to)
		again, set2 := parsed(t, l.Words()...)
		if diff := cmp.Diff(first.Flags, again.Flags, cmp.AllowUnexported(settings.Flags{}, settings.AuthFlags{}, settings.TLSFlags{})); diff != "" {
			t.Errorf("%q is written as %q:\n%s", args, l.Words(), diff)
		}
		if !slices.Equal(set.Args(), set2.Args()) {
			t.Errorf("%q: the command is %q", args, set2.Args())
		}
	}
}

// Certificates are found from another directory, and without a variable that has to be set.
func TestTargetFlags_FilesOfTLS(t *testing.T) {
	path, err := filepath.Abs("ca.pem")
	if err != nil {
		t.Fatal(err)
	}
	_, set := parsed(t, "--url", "https://h/mcp", "--cacert", "ca.pem")
	var l shell.Line
	l.AddTarget(settings.GivenTargetFlags(set), client.Target{URL: "https://h/mcp"})
	if got := l.Words(); !slices.Equal(got, []string{"--cacert", path, "--url", "https://h/mcp"}) || len(l.Variables()) > 0 {
		t.Errorf("it is written as %q with the variables %q", got, l.Variables())
	}
}

func TestFlags_HelpHasTheirHeadings(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if group := app.Annotation(f, app.GroupAnnotation); group != "" && !slices.Contains(flagGroups, group) {
				t.Errorf("%s --%s is under the heading %q, which the help does not have", cmd.CommandPath(), f.Name, group)
			}
		})
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	check(newProgram(os.Stdin, os.Stdout, os.Stderr, nil).root(""))
}

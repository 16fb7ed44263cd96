package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A negative number or time is an error of each command: auth serve --life -1s issued tokens that had expired.
func TestFlags_NegativeNumbers(t *testing.T) {
	tried := 0
	var walk func(c *cobra.Command, words []string)
	walk = func(c *cobra.Command, words []string) {
		for _, sub := range c.Commands() {
			walk(sub, append(words[:len(words):len(words)], sub.Name()))
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			value, isNumber := map[string]string{"duration": "-1s", "int": "-1", "float64": "-0.5"}[f.Value.Type()]
			if !isNumber || !c.Runnable() {
				return
			}
			tried++
			line := append(words[:len(words):len(words)], "--"+f.Name, value)
			if _, stderr, code := called(t, line...); code != 2 || !strings.Contains(stderr, "--"+f.Name+" ") {
				t.Errorf("mcptea %s: exit code %d, %s", strings.Join(line, " "), code, stderr)
			}
		})
	}
	walk(newProgram(os.Stdin, os.Stdout, os.Stderr, nil).root(""), nil)
	if tried < 20 {
		t.Errorf("only %d flags were found", tried)
	}
}

// A flag that would have no effect is refused with the flag that it needs.
func TestFlags_RequireAnother(t *testing.T) {
	for line, want := range map[string]string{
		"listen event:x --max-age 1s -- cat":          "--max-age requires --cursor",
		"listen event:x --no-refresh -- cat":          "--no-refresh and --uri are not for event:NAME",
		"listen event:x --rotate 5s -- cat":           "--rotate, --respond and --linger require --webhook",
		"info --client-key-id x http://127.0.0.1:1":   "require --client-key\n",
		"info --client-key-cert x http://127.0.0.1:1": "require --client-key\n",
		"info --client-key-alg x http://127.0.0.1:1":  "require --client-key\n",
		"check --events-trigger x -- cat":             "--events-trigger has no effect without --events",
		"check --token-lowscope x http://127.0.0.1:1": "--token-lowscope does not begin with env: or file:",
	} {
		if _, stderr, code := called(t, strings.Fields(line)...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("mcptea %s: exit code %d, %s", line, code, stderr)
		}
	}
}

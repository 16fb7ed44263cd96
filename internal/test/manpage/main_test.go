package main

import (
	"strings"
	"testing"

	"mcptea/cli"
)

// Each command has a page with all sections, and no page repeats the flags of all commands.
func TestPages_Sections(t *testing.T) {
	all := pages(cli.Commands())
	for _, name := range []string{"mcptea", "mcptea-call", "mcptea-auth-login", "mcptea-servers-wrap"} {
		if all[name] == "" {
			t.Errorf("%s has no page", name)
		}
	}
	for name, text := range all {
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"} {
			if strings.Count(text, ".SH "+section+"\n") != 1 {
				t.Errorf("%s: section %s is there %d times", name, section, strings.Count(text, ".SH "+section+"\n"))
			}
		}
		if name != "mcptea" && strings.Contains(text, `\-\-cacert`+" FILE") {
			t.Errorf("%s repeats a flag of all commands", name)
		}
	}
	if text := all["mcptea-call"]; !strings.Contains(text, `.B \-\-tool TOOL`) {
		t.Errorf("a flag has no value:\n%.900s", text)
	}
}

package target

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/revision"
)

// wrongCommand returns the error for the words after -- that start no server: a URL, or a line of another program. own
// are the words of the mcptea command before them.
func wrongCommand(cmd *cobra.Command, commandWords, argv []string) error {
	if len(argv) == 0 {
		return nil
	}
	if err := addsServer(argv); err != nil {
		return err
	}
	if IsURL(argv[0]) {
		return app.Usage("Write the URL without --: "+lineOf(cmd, commandWords, exactURL(argv[0])), "the words after -- are a command, and %q is a URL", client.Target{URL: argv[0]}.String())
	}
	return inPlaceOfServer(cmd, commandWords, argv)
}

// addsServer returns the error for the words of a command that adds a server to a host, or nil.
func addsServer(words []string) error {
	command, adds := hosts.AddsServer(words)
	if !adds {
		return nil
	}
	return app.Usage("Quote the whole line as one word, or write the command that starts the server.", "%s adds a server to the file of an application; mcptea does not run it", command)
}

// inspectorLine returns the command line of mcptea for a command that ends with flags of the MCP Inspector, such as --method
// tools/list, or "" for another command.
func inspectorLine(cmd *cobra.Command, argv []string) string {
	at := slices.Index(argv, "--method")
	if at < 1 || at+1 >= len(argv) {
		return ""
	}
	if _, known := revision.Lookup(argv[at+1]); !known {
		return ""
	}
	words := strings.Fields(meant[argv[at+1]])
	if len(words) == 0 {
		words = []string{"send", argv[at+1]}
	}
	var server []string
	for i := 0; i < len(argv); i++ {
		value := ""
		if i+1 < len(argv) {
			value = argv[i+1]
		}
		switch argv[i] {
		case "--cli":
			continue
		case "--method", "--transport":
		case "--tool-name", "--uri", "--prompt-name", "--tool-arg", "--prompt-args":
			words = append(words, value)
		default:
			server = append(server, argv[i])
			continue
		}
		i++
	}
	if len(server) == 0 {
		return ""
	}
	if !IsURL(server[0]) {
		server = append([]string{"--"}, client.Target{}.Shown(server)...)
	}
	return lineOf(cmd.Root(), words, server...)
}

// What the commands of [wrappers] do, and the beginning of the advice.
const (
	doesFront, frontAdvice     = "starts a program in front of the server", "mcptea takes its place: "
	doesInstall, installAdvice = "adds the server to the file of an application, and does not start it", "To start the server: "
)

// wrappers holds commands of other programs that take the words of a server and do not start the server itself on their
// stdio, with the words that start it instead.
var wrappers = []struct {
	words, instead []string
	does, advice   string
}{
	{[]string{"mcp", "dev"}, []string{"mcp", "run"}, doesFront, frontAdvice},
	{[]string{"mcp", "install"}, []string{"mcp", "run"}, doesInstall, installAdvice},
	{[]string{"fastmcp", "dev"}, []string{"fastmcp", "run"}, doesFront, frontAdvice},
	{[]string{"fastmcp", "install"}, []string{"fastmcp", "run"}, doesInstall, installAdvice},
	{[]string{"@modelcontextprotocol/inspector"}, nil, doesFront, frontAdvice},
	{[]string{"mcp-inspector"}, nil, doesFront, frontAdvice},
}

// starters are words that may come before the words of a wrapper.
var starters = []string{"npx", "-y", "--yes", "pnpm", "dlx", "bunx", "uv", "run", "uvx", "python", "python3", "-m", "yarn"}

// inPlaceOfServer returns the error for a command that does not start an MCP server on its stdio, but starts an inspector
// or adds the server to an application. It returns nil for another command.
func inPlaceOfServer(cmd *cobra.Command, commandWords, argv []string) error {
	if line := inspectorLine(cmd, argv); line != "" {
		return app.Usage("Write: "+line, "--method is a flag of the MCP Inspector, and would go to the server")
	}
	begin := 0
	for begin < len(argv) && slices.Contains(starters, argv[begin]) {
		begin++
	}
	rest := argv[begin:]
	for _, w := range wrappers {
		if len(rest) <= len(w.words) || !isWrapper(rest, w.words) {
			continue
		}
		server := rest[len(w.words):]
		if len(w.instead) > 0 {
			if i := slices.IndexFunc(server, hasEnding); i >= 0 { // after the name of a host
				server = server[i:]
			}
			server = slices.Concat(argv[:begin], w.instead, server)
		}
		for len(server) > 1 && strings.HasPrefix(server[0], "-") {
			server = server[1:]
		}
		if IsURL(server[0]) {
			server = []string{exactURL(server[0])}
		} else {
			server = append([]string{"--"}, client.Target{}.Shown(server)...)
		}
		return app.Usage(w.advice+lineOf(cmd, commandWords, server...), "%s %s", strings.Join(argv[:begin+len(w.words)], " "), w.does)
	}
	return nil
}

// isWrapper reports whether words begin with the words of a wrapper, whose first may have a version.
func isWrapper(words, wrapper []string) bool {
	for i, w := range wrapper {
		if words[i] != w && (i > 0 || !strings.HasPrefix(words[i], w+"@")) {
			return false
		}
	}
	return true
}

// MoreThanTarget returns the error for words after the target that a command does not accept, or
// nil if there are none. For a kind of list, the error proposes mcptea list.
func (p *Target) MoreThanTarget(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	if err := addsServer(words); err != nil {
		return err
	}
	hint := TargetHint
	if IsKind(words[0]) {
		hint = "mcptea list " + words[0] + " lists them."
	} else if i := slices.IndexFunc(words, func(w string) bool { return hasServer(w, p.Flags.Server) }); i >= 0 {
		hint = "Write one of them: " + lineOf(cmd, nil, words[i]+"#"+p.Flags.Server)
	}
	return app.Usage(hint, "%s takes only a server, found %q", cmd.Name(), words[0])
}

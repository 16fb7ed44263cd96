package target

import (
	"slices"
	"strings"
)

// meant maps words that other programs use to the words of mcptea, or to "" if the target is enough.
var meant = map[string]string{
	"inspect": "", "inspector": "", "connect": "", "run-server": "", "start": "", "serve": "", "dev": "", "ui": "", "tui": "", "gui": "", "web": "", "client": "", "debug": "", "shell": "", "repl": "", "test-server": "", "browse": "", "interactive": "",

	"tools": "list tools", "tools list": "list tools", "tools ls": "list tools", "list-tools": "list tools", "tools/list": "list tools",
	"resources": "list resources", "resources list": "list resources", "resources ls": "list resources", "list-resources": "list resources", "resources/list": "list resources",
	"resources templates": "list templates", "templates": "list templates", "resource-templates": "list templates", "resources/templates/list": "list templates",
	"prompts": "list prompts", "prompts list": "list prompts", "prompts ls": "list prompts", "list-prompts": "list prompts", "prompts/list": "list prompts",
	"ls": "list", "show": "list",

	"tools call": "call", "tool call": "call", "tools run": "call", "tool": "call", "call-tool": "call", "tools/call": "call", "run-tool": "call", "invoke": "call", "exec": "call", "execute": "call",
	"resources read": "read", "resource": "read", "read-resource": "read", "resources/read": "read", "get-resource": "read", "get": "read", "cat": "read",
	"prompts get": "prompt", "get-prompt": "prompt", "prompts/get": "prompt",
	"ping": "send ping", "request": "send", "raw": "send", "rpc": "send", "jsonrpc": "send", "post": "send",
	"subscribe": "listen", "tail": "listen", "follow": "listen", "notifications": "listen",

	"status": "info", "describe": "info", "initialize": "info", "capabilities": "info", "diagnose": "info", "health": "info", "about": "info",
	"test": "check", "validate": "check", "verify": "check", "conformance": "check", "audit": "check", "scan": "check", "compliance": "check",
	"load": "bench", "perf": "bench", "stress": "bench", "benchmark": "bench", "loadtest": "bench", "load-test": "bench",

	"proxy": "tap", "bridge": "tap", "mcp-remote": "tap", "mcp-proxy": "tap", "gateway": "tap", "relay": "tap", "record": "tap", "sniff": "tap", "capture": "tap", "spy": "tap", "intercept": "tap",
	"wrap": "servers wrap", "unwrap": "servers unwrap", "ps": "servers", "hosts": "servers", "server": "servers", "server list": "servers", "server ls": "servers", "servers list": "servers", "clients": "servers", "configured": "servers",
	"taps": "tap --list", "view": "open", "log": "open", "logs": "open", "play": "open", "history": "open", "recordings": "open",
	"watch": "--watch", "reload": "--watch",
	"compare": "diff", "convert": "export", "fake": "mock", "stub": "mock", "simulate": "mock",
	"login": "auth login", "logout": "auth logout", "signin": "auth login", "token": "auth status", "tokens": "auth status", "oauth": "auth",
	"update": "help install", "upgrade": "help install", "self-update": "help install", "uninstall": "help install", "remove": "help install", "install": "help install", "setup": "help install",
	"settings": "config", "configure": "config", "completions": "completion", "docs": "help", "man": "help", "manual": "help", "usage": "help", "why": "explain", "error": "explain",
}

// NoCounterpart returns a sentence about a word of other programs that mcptea has no command for, or "".
func NoCounterpart(word string) string { return notMeant[strings.ToLower(word)] }

// notMeant maps words of other programs that have no counterpart to sentences.
var notMeant = map[string]string{
	"init": noProject, "new": noProject, "create": noProject, "scaffold": noProject, "generate": noProject, "template": noProject,
	"add":    "mcptea adds no server to a file of another application. To connect to one: mcptea -- COMMAND. To give it a name, add it under servers in the file that mcptea config path prints.",
	"theme":  choosesTheme,
	"themes": choosesTheme,
	"jq":     "jq is a flag: mcptea list tools --jq EXPR TARGET. For a recording: mcptea export FILE --to jsonl | jq EXPR",
	"grep":   findsTools + " For a recording: mcptea export FILE --to jsonl --filter WORD",
	"search": findsTools,
	"find":   findsTools,
}

const choosesTheme = "mcptea config themes lists the themes. --theme NAME chooses one, and theme in the file that mcptea config path prints does for all sessions."

const findsTools = "mcptea servers --find WORDS searches the tools of all configured servers."

const noProject = "mcptea creates no project. To try it without a server: mcptea demo. To serve tools that a file declares: mcptea mock --declare FILE"

// meaning returns the likely meaning of words that are not a command, and how many words it covers.
func meaning(words []string) (instead string, taken int, known bool) {
	if len(words) == 2 && fileLine(words[1:]) == "open" && slices.Contains([]string{"show", "cat", "view", "read", "less", "inspect"}, strings.ToLower(words[0])) {
		return "open", 1, true
	}
	for taken = min(2, len(words)); taken > 0; taken-- {
		if instead, known = meant[strings.ToLower(strings.Join(words[:taken], " "))]; !known {
			continue
		}
		switch {
		case instead == "check" && slices.ContainsFunc(words[taken:], isScript):
			instead = "run"
		case strings.HasPrefix(instead, "help "): // a page, whatever is to be installed or removed
			taken = len(words)
		}
		return instead, taken, true
	}
	return "", 0, false
}

// isScript reports whether a word is the file of a script of mcptea run.
func isScript(word string) bool { return strings.HasSuffix(word, ".txtar") }

// isMeant reports whether a word is one that other programs have for a command of mcptea: it
// starts no program of this name.
func isMeant(words []string) bool {
	_, _, known := meaning(words)
	return known
}

// behind returns the words of a command line, except the first taken words of words.
func behind(all, words []string, taken int) []string {
	at := slices.Index(all, words[0])
	if at < 0 {
		return words[taken:]
	}
	return slices.Concat(all[:at], all[min(at+taken, len(all)):])
}

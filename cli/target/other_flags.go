package target

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An otherFlag is a flag that other programs have, and that mcptea lacks.
type otherFlag struct {
	names    string // without dashes; one letter for a shorthand
	commands string // commands of mcptea that the hint applies to, or "" for all; "mcptea" is the inspector
	requires string // a flag of the command, or ""
	hint     string
}

const (
	authFlags = "--token VALUE sends Authorization: Bearer VALUE, and -H \"Name: value\" sends another header."
	asWord    = "Arguments are words, without a flag: mcptea call TOOL key=value -- COMMAND."
	asCommand = "The command of the server follows --, without a flag: mcptea info -- COMMAND ARG…"
	listing   = "mcptea list prints whole lists; --jq selects from them."
)

// otherFlags are read in order: the first row that fits is the hint.
var otherFlags = []otherFlag{
	{names: "cli", hint: "mcptea needs no such flag: mcptea list, call and read are commands, as in mcptea list tools -- COMMAND."},
	{names: "method", hint: "The method is a word: mcptea send METHOD -- COMMAND; for tools mcptea list tools and mcptea call TOOL."},
	{names: "tool-name", hint: "The tool is a word: mcptea call TOOL -- COMMAND."},
	{names: "tool-arg param arg argument a", commands: "call app bench prompt", hint: asWord},
	{names: "tool-arg", hint: asWord},
	{names: "d data", commands: "call app bench prompt send", hint: "The JSON object of the arguments is a word, without a flag, as in mcptea call TOOL '{\"key\": 1}' -- COMMAND."},
	{names: "X request", hint: "mcptea sends MCP messages and chooses the HTTP method: mcptea send METHOD URL sends a request of any method."},
	{names: "port p P listen http https serve", commands: "demo", hint: "--listen ADDRESS serves the demo over HTTP: mcptea demo --listen 3000."},
	{names: "port p P outputTransport output-transport http", commands: "tap", hint: "--listen ADDRESS is for hosts that speak HTTP: mcptea tap --listen 3000 -- COMMAND."},
	{names: "port p P http", commands: "mcp", requires: "listen", hint: "--listen ADDRESS is for hosts that speak HTTP: mcptea mcp --listen 3000."},
	{names: "port p P", commands: "mock", requires: "listen", hint: "--listen ADDRESS serves the recording over HTTP: mcptea mock FILE --listen 3000."},
	{names: "port p P", hint: "The port is a part of the URL: mcptea http://127.0.0.1:3000/mcp."},
	{names: "V", hint: "mcptea --version prints the version."},
	{names: "short", commands: "version", hint: "--json prints the version alone as JSON: mcptea version --json."},
	{names: "sse", hint: "A URL is enough, since mcptea tries both transports over HTTP; --transport sse chooses HTTP+SSE."},
	{names: "http streamable-http streamableHttp allow-http", hint: "mcptea needs no such flag: a URL is enough."},
	{names: "stdio command cmd args exec target", commands: "tap", hint: "The command of the server follows --, without a flag: mcptea tap -- COMMAND ARG…; a URL is a word."},
	{names: "stdio command cmd exec", hint: asCommand},
	{names: "target endpoint host", hint: "A URL is a word, without a flag: mcptea info URL. " + asCommand},
	{names: "bearer bearer-token auth authorization api-key apikey access-token u user basic", requires: "token", hint: authFlags},
	{names: "x proxy", hint: "mcptea uses the proxy of the environment: HTTPS_PROXY, HTTP_PROXY and NO_PROXY."},
	{names: "m max-time connect-timeout request-timeout", requires: "timeout", hint: "--timeout 30s bounds each request."},
	{names: "trace verbose debug v", requires: "trace", hint: "--trace prints the frames."},
	{names: "trace verbose debug v", requires: "record", hint: "--record FILE keeps every frame, and mcptea open FILE shows them."},
	{names: "verbose debug", commands: "mcptea", hint: "Commands print the frames with --trace, such as: mcptea info --trace TARGET. The inspector shows all frames."},
	{names: "log-level loglevel", hint: "A server that declares logging gets its level by a request: mcptea send logging/setLevel '{\"level\": \"debug\"}' TARGET."},
	{names: "q quiet silent", hint: "Results are on stdout and all else on stderr: 2>/dev/null leaves the results."},
	{names: "no-color nocolor color colour no-colour", hint: "NO_COLOR=1 in the environment turns colors off; output to a file or a pipe has none."},
	{names: "format output-format output", requires: "to", hint: "--to names the format: mcptea export --to FORMAT."},
	{names: "json", requires: "to", hint: "--to names the format: mcptea export --to FORMAT."},
	{names: "format output-format f", commands: "check", hint: "--json prints JSON, --junit FILE and --sarif FILE write reports."},
	{names: "format output-format", hint: "--json prints JSON, and --jq filters it."},
	{names: "level severity strict fail-level min-severity", commands: "check lint", hint: "--fail-on warning ends with exit code 1 for warnings too, and --fail-on error only for errors."},
	{names: "fix", commands: "check lint", hint: "mcptea changes no file of a server: each finding says how to fix it, and mcptea explain ID says more."},
	{names: "a all l long limit cursor page page-size per-page", commands: "list", hint: listing},
	{names: "code rule method", commands: "explain", hint: "The topic is a word: mcptea explain -32602."},
	{names: "latest", hint: "mcptea open lists the recordings, the newest first."},
}

// OtherFlag returns the hint for a flag that other programs have, or "" for another flag.
func OtherFlag(cmd *cobra.Command, missing *pflag.NotExistError) string {
	name := missing.GetSpecifiedName()
	if missing.GetSpecifiedShortnames() != "" && len(name) > 1 {
		name = name[:1]
	}
	if (len(name) == 1) != (missing.GetSpecifiedShortnames() != "") {
		return ""
	}
	for _, f := range otherFlags {
		if !slices.Contains(strings.Fields(f.names), name) ||
			f.commands != "" && !slices.Contains(strings.Fields(f.commands), cmd.Name()) ||
			f.requires != "" && cmd.Flags().Lookup(f.requires) == nil {
			continue
		}
		return f.hint
	}
	return ""
}

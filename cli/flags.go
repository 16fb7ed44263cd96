package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client/hosts"
	"mcptea/client/revision"
	"mcptea/session/lint/rules"
)

// flags are the values of the flags that several commands share. A command
// declares the groups that it needs; the others keep their default values.
type flags struct {
	url       string
	server    string // NAME or HOST/NAME of a configured server
	transport string
	// entry is the configured server that is the target; nil for other targets.
	entry   *hosts.Server
	headers []string

	env      []string
	envFile  string
	cleanEnv bool
	cwd      string

	protocol       string
	lenient        bool
	timeout        time.Duration
	connectTimeout time.Duration
	roots          []string
	answers        []string
	sampler        string

	watch []string // paths; watchDefault for the one that fits the target
	build string   // command line for the shell

	mute         []string
	noHeuristics bool

	auth authFlags

	task bool
	ttl  time.Duration
	// noValidate sends arguments that do not match the input schema.
	noValidate bool

	record string
	// recordLimit is the maximum size of a recording, as the user wrote it.
	recordLimit string

	faults    []string
	faultSeed uint64

	config string
	theme  string
	pins   string
	mouse  bool
}

// addConnection declares the flags of a command that connects to a server:
// target, protocol, authorization and recording.
func (p *connection) addConnection(cmd *cobra.Command) {
	f := &p.flags
	f.addTarget(cmd)
	f.addProtocol(cmd)
	f.auth.addTo(cmd)
	f.addRecording(cmd)
	f.addFaults(cmd)
}

// addRequest declares the flags of a command that connects to a server and prints
// what it has found.
func (p *connection) addRequest(cmd *cobra.Command) {
	f := &p.flags
	p.addConnection(cmd)
	p.addOutput(cmd)
	p.addFile(cmd)
	f.addConfig(cmd)
}

func (f *flags) addTarget(cmd *cobra.Command) {
	declare(cmd, groupTarget, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.url, "url", "", "connect to this `URL`")
		fs.StringVar(&f.server, "server", "", "use this server of another application's configuration; mcptea servers lists them  `[HOST/]NAME`")
		fs.StringVar(&f.transport, "transport", "auto", "`transport`: auto, stdio, http (Streamable HTTP) or sse (HTTP+SSE)")
		fs.StringArrayVarP(&f.headers, "header", "H", nil, "send this HTTP header; \"Name:\" removes a header; repeatable  `\"NAME: VALUE\"`")
		fs.StringArrayVarP(&f.env, "env", "e", nil, "set an environment variable of the server; NAME alone passes on the current value; repeatable  `NAME=VALUE`")
		fs.StringVar(&f.envFile, "env-file", "", "set the variables in this `FILE` of NAME=VALUE lines")
		fs.BoolVar(&f.cleanEnv, "clean-env", false, "pass on only PATH, HOME, LANG and similar variables")
		fs.StringVar(&f.cwd, "cwd", "", "start the server in this `DIR`")
	})
	completes(cmd, "transport", "auto", "stdio", "http", "sse")
	_ = cmd.RegisterFlagCompletionFunc("server", completeServers)
	_ = cmd.MarkFlagDirname("cwd")
	_ = cmd.MarkFlagFilename("env-file")
}

func (f *flags) addProtocol(cmd *cobra.Command) {
	declare(cmd, groupProtocol, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.protocol, "protocol", "auto", "request this protocol `VERSION`; 2026-07-28 has no initialize handshake")
		fs.BoolVar(&f.lenient, "lenient", false, "continue past protocol violations that a client must reject, and report them")
		f.declareTimeouts(fs)
		fs.StringArrayVar(&f.roots, "root", nil, "offer this `DIR` to the server as a root; repeatable")
		fs.StringArrayVar(&f.answers, "answer", nil, "reply to server requests; KIND: sampling, elicitation, roots; HOW: ask, accept, decline, cancel, error, none, @file.json, JSON; repeatable  `KIND=HOW`")
		fs.StringVar(&f.sampler, "sampler", "", "respond to sampling with this `COMMAND`: params on its stdin, result on its stdout, as JSON")
	})
	completes(cmd, "answer", "sampling=ask", "sampling=decline", "sampling=error", "sampling=none", "elicitation=ask", "elicitation=accept", "elicitation=decline", "elicitation=cancel", "elicitation=error", "elicitation=none", "roots=ask", "roots=decline", "roots=error")
	completes(cmd, "protocol", append([]string{"auto"}, revisionNames()...)...)
	_ = cmd.MarkFlagDirname("root")
}

func (f *flags) declareTimeouts(fs *pflag.FlagSet) {
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "maximum `TIME` without a response or progress of a request")
	fs.DurationVar(&f.connectTimeout, "connect-timeout", 30*time.Second, "maximum `TIME` without a response while connecting")
}

func (f *flags) declareNoValidate(fs *pflag.FlagSet) {
	fs.BoolVar(&f.noValidate, "no-validate", false, "send the arguments although they do not match the input schema of the tool")
}

func (f *flags) addLint(cmd *cobra.Command) {
	declare(cmd, groupLint, func(fs *pflag.FlagSet) {
		f.declareMute(fs)
		fs.BoolVar(&f.noHeuristics, "no-heuristics", false, "disable the rules that decide by wording, timing or similarity")
	})
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("mute", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		for _, e := range rules.Catalogue() {
			ids = append(ids, e.ID+"\t"+e.Slug)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
}

func (f *flags) declareMute(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.mute, "mute", nil, "ignore the findings of this `RULE`, named by id or slug, such as J030; repeatable")
}

func (f *flags) addRecording(cmd *cobra.Command) {
	declare(cmd, groupRecording, f.declareRecording)
	_ = cmd.MarkFlagFilename("record")
}

func (f *flags) declareRecording(fs *pflag.FlagSet) {
	fs.StringVar(&f.record, "record", "", "record the session in this `FILE`; \"off\" disables recording (default: on in the inspector and tap, off in other commands)")
	fs.StringVar(&f.recordLimit, "record-limit", defaultRecordLimit, "maximum `SIZE` of the recording, such as 500MB; 0 is unlimited")
}

func (f *flags) addConfig(cmd *cobra.Command) {
	declare(cmd, groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.config, "config", "", "read settings from this `FILE`; \"off\" reads none (see mcptea config)")
	})
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
}

// addScreen declares the flags of the inspector's screen.
func (p *connection) addScreen(cmd *cobra.Command) {
	f := &p.flags
	declare(cmd, groupOutput, func(fs *pflag.FlagSet) {
		f.declareTheme(fs)
		f.declareMouse(fs)
	})
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return themeCatalog().Names(), cobra.ShellCompDirectiveNoFileComp
	})
	declare(cmd, groupRecording, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.pins, "pins", "", "keep pinned calls in this `FILE`, a script for mcptea run (default: mcptea.txtar)")
	})
	_ = cmd.MarkFlagFilename("pins", "txtar")
	p.addASCII(cmd)
	f.addConfig(cmd)
}

func (f *flags) declareTheme(fs *pflag.FlagSet) {
	fs.StringVar(&f.theme, "theme", "", "color theme of the inspector, by `NAME`; mcptea themes lists them")
}

func (f *flags) declareMouse(fs *pflag.FlagSet) {
	fs.BoolVar(&f.mouse, "mouse", true, "handle the mouse; --mouse=false leaves it to the terminal, to select text")
}

func revisionNames() []string {
	var names []string
	for _, r := range revision.All() {
		names = append(names, string(r))
	}
	return names
}

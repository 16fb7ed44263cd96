package settings

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/profile"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint/rules"
	"mcptea/session/intercept"
)

// Flags are the values of the flags that several commands share. A command
// declares the groups that it needs; the others keep their default values.
type Flags struct {
	URL       string
	Attach    string   // anyShared, an id, or empty
	Server    string   // NAME or HOST/NAME of a configured server
	Yes       bool     // the user consents to commands that project files start
	Inputs    []string // ID=VALUE, of the entry
	Transport string
	// Entry is the configured server that is the target; nil for other targets.
	Entry *hosts.Server
	// EntryName is the name of the server as given with --server.
	EntryName string
	Headers   []string

	env      []string
	envFile  string
	cleanEnv bool
	killLeft bool
	cwd      string

	Protocol       string
	Lenient        bool
	asName         string // name of a client, or path of its file
	asInfo         string
	asCapabilities string
	As             *profile.Profile // the client of --as-client and the like; nil for mcptea itself
	noApps         bool
	noSkills       bool
	Timeout        time.Duration
	ConnectTimeout time.Duration
	roots          []string
	Answers        []string
	Sampler        string

	Watch []string // paths; watchDefault for the path that suits the target
	Build string   // command line for the shell

	mute         []string
	NoHeuristics bool

	TLS  TLSFlags
	Auth AuthFlags
	// givenHTTP is the first flag on the command line that only a server over HTTP has a use for.
	givenHTTP *pflag.Flag

	// NoValidate sends arguments that do not match the input schema.
	NoValidate bool

	Record string
	// RecordLimit is the maximum size of a recording, as the user wrote it.
	RecordLimit string

	faults    []string
	FaultSeed uint64

	Trace string // traceLines, traceFull, or empty

	Config string
	Theme  string
	Pins   string
	Mouse  bool
	Filter string // initial filter of the inspector
}

// DeclareTarget declares the flags that select the server and configure its start.
func (f *Flags) DeclareTarget(fs *pflag.FlagSet) {
	fs.StringVar(&f.URL, "url", "", "connect to this `URL`")
	fs.StringVar(&f.Server, "server", "", "use this server of another application's configuration; mcptea servers lists them  `[HOST/]NAME`")
	f.DeclareYes(fs)
	f.DeclareInput(fs)
	fs.StringVar(&f.Transport, "transport", "auto", "use this `transport`: auto, stdio, http (Streamable HTTP) or sse (HTTP+SSE)")
	fs.StringArrayVarP(&f.Headers, "header", "H", nil, "send this HTTP header; \"Name:\" removes a header; repeatable  `\"NAME: VALUE\"`")
	fs.StringArrayVarP(&f.env, "env", "e", nil, "set an environment variable of the server; NAME alone passes on the current value; repeatable  `NAME=VALUE`")
	fs.StringVar(&f.envFile, "env-file", "", "set the variables in this `FILE` of NAME=VALUE lines")
	fs.BoolVar(&f.cleanEnv, "clean-env", false, "pass on only PATH, HOME, LANG and similar variables")
	fs.StringVar(&f.cwd, "cwd", "", "start the server in this `DIR`")
}

// DeclareKillLeft declares --kill-left.
func (f *Flags) DeclareKillLeft(fs *pflag.FlagSet) {
	fs.BoolVar(&f.killLeft, "kill-left", false, "also end processes that the server has started in a session of their own, when it ends")
}

// DeclareYes declares --yes.
func (f *Flags) DeclareYes(fs *pflag.FlagSet) {
	fs.BoolVar(&f.Yes, "yes", false, "use a server that a file of the project has, such as .mcp.json, without a question")
}

// DeclareInput declares --input.
func (f *Flags) DeclareInput(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.Inputs, "input", nil, "set the value of ${input:ID} in the server's entry; VALUE may be env:NAME or file:PATH, as it must be for a password; repeatable  `ID=VALUE`")
}

// AddProtocol declares the flags about the protocol.
func (f *Flags) AddProtocol(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupProtocol, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.Protocol, "protocol", "auto", "request this protocol `VERSION`; 2026-07-28 has no initialize handshake")
		fs.BoolVar(&f.Lenient, "lenient", false, "continue past protocol violations that a client must reject, and report them")
		fs.BoolVar(&f.noApps, "no-apps", false, "do not declare MCP Apps, as a host that shows no apps")
		fs.BoolVar(&f.noSkills, "no-skills", false, "do not declare skills, as a host that loads no skills")
		f.declareAs(fs)
		f.DeclareTimeouts(fs)
		fs.StringArrayVar(&f.roots, "root", nil, "offer this `DIR` to the server as a root; repeatable")
		fs.StringArrayVar(&f.Answers, "answer", nil, "reply to server requests; KIND: sampling, elicitation, roots; HOW: ask, accept, decline, cancel, error, none, @file.json, JSON; repeatable  `KIND=HOW`")
		fs.StringVar(&f.Sampler, "sampler", "", "respond to sampling with this `COMMAND`: params on its stdin, result on its stdout, as JSON")
	})
	app.Completes(cmd, "answer", "sampling=ask", "sampling=decline", "sampling=error", "sampling=none", "elicitation=ask", "elicitation=accept", "elicitation=decline", "elicitation=cancel", "elicitation=error", "elicitation=none", "roots=ask", "roots=decline", "roots=error")
	app.Completes(cmd, "protocol", append([]string{"auto"}, RevisionNames()...)...)
	_ = cmd.MarkFlagDirname("root")
	_ = cmd.RegisterFlagCompletionFunc("as-client", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return hosts.ClientIDs, cobra.ShellCompDirectiveDefault
	})
}

// DeclareTimeouts declares --timeout and --connect-timeout.
func (f *Flags) DeclareTimeouts(fs *pflag.FlagSet) {
	fs.DurationVar(&f.Timeout, "timeout", time.Minute, "maximum `TIME` without a response or progress of a request")
	fs.DurationVar(&f.ConnectTimeout, "connect-timeout", 30*time.Second, "maximum `TIME` without a response while connecting")
}

// DeclareNoValidate declares --no-validate.
func (f *Flags) DeclareNoValidate(fs *pflag.FlagSet) {
	fs.BoolVar(&f.NoValidate, "no-validate", false, "send the request although the server does not list the tool, or the arguments do not match its input schema")
}

// AddLint declares the flags about findings.
func (f *Flags) AddLint(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupLint, func(fs *pflag.FlagSet) {
		f.DeclareMute(fs)
		fs.BoolVar(&f.NoHeuristics, "no-heuristics", false, "disable the rules that decide by wording, timing or similarity")
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

// DeclareMute declares --mute.
func (f *Flags) DeclareMute(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.mute, "mute", nil, "ignore the findings of this `RULE`, named by id or slug, such as J030; several with commas, repeatable")
}

// AddRecording declares the flags about the recording.
func (f *Flags) AddRecording(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupRecording, f.DeclareRecording)
	_ = cmd.MarkFlagFilename("record")
}

// DeclareRecording declares --record and --record-limit.
func (f *Flags) DeclareRecording(fs *pflag.FlagSet) {
	fs.StringVar(&f.Record, "record", "", "record the session in this `FILE`; \"off\" disables recording (default: on in the inspector and tap, off in other commands)")
	fs.StringVar(&f.RecordLimit, "record-limit", app.DefaultRecordLimit, "maximum `SIZE` of the recording, such as 500MB; 0 is unlimited")
}

// AddConfig declares --config.
func (f *Flags) AddConfig(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupOutput, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.Config, "config", "", "read settings from this `FILE`; \"off\" reads none (see mcptea config)")
	})
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
}

// AddScreen declares the flags of the inspector's screen.
func (p *Settings) AddScreen(cmd *cobra.Command) {
	f := &p.Flags
	app.Declare(cmd, app.GroupOutput, func(fs *pflag.FlagSet) {
		f.DeclareTheme(fs)
		f.DeclareMouse(fs)
		fs.StringVar(&f.Filter, "filter", "", "at first, show only the frames that match this `FILTER`, in the language of Traffic")
	})
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ThemeCatalog().Names(), cobra.ShellCompDirectiveNoFileComp
	})
	app.Declare(cmd, app.GroupRecording, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.Pins, "pins", "", "keep pinned calls in this `FILE`, a script for mcptea run (default: mcptea.txtar)")
	})
	_ = cmd.MarkFlagFilename("pins", "txtar")
	p.AddASCII(cmd)
	f.AddConfig(cmd)
}

// The values of --trace.
const (
	TraceLines = "lines"
	TraceFull  = "full"
)

// AddTrace declares --trace and -v, which no command uses for anything else.
func (f *Flags) AddTrace(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.Trace, "trace", "v", "", "print each frame on stderr, with its secrets redacted; --trace=full also prints the bodies  `[=full]`")
		fs.Lookup("trace").NoOptDefVal = TraceLines
	})
	app.Completes(cmd, "trace", TraceLines, TraceFull)
}

// DeclareTheme declares --theme.
func (f *Flags) DeclareTheme(fs *pflag.FlagSet) {
	fs.StringVar(&f.Theme, "theme", "", "color theme of the inspector, by `NAME`; mcptea config themes lists them")
}

// DeclareMouse declares --mouse.
func (f *Flags) DeclareMouse(fs *pflag.FlagSet) {
	fs.BoolVar(&f.Mouse, "mouse", true, "handle the mouse; --mouse=false leaves it to the terminal, to select text")
}

// RevisionNames returns the protocol versions, as --protocol takes them.
func RevisionNames() []string {
	var names []string
	for _, r := range revision.All() {
		names = append(names, string(r))
	}
	return names
}

// GroupFaults is the heading of the flags of faults.
const GroupFaults = "Faults"

// AddFaults declares the flags that change frames on purpose.
func (f *Flags) AddFaults(cmd *cobra.Command) {
	app.Declare(cmd, GroupFaults, f.declareFaults)
	if cmd.Flags().Lookup("seed") == nil {
		app.Declare(cmd, GroupFaults, func(fs *pflag.FlagSet) {
			fs.Uint64Var(&f.FaultSeed, "seed", 0, "decide the probabilities by this `NUMBER`, to repeat a run")
		})
	}
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("fault", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range intercept.FaultKinds() {
			names = append(names, k.Name+"\t"+k.Summary)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

func (f *Flags) declareFaults(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.faults, "fault", nil, "change messages on purpose, such as drop@0.1 or delay=2s (see mcptea help faults); repeatable  `NAME[=ARG][@PROBABILITY][,tool=NAME]`")
}

func faultNames() []string {
	var names []string
	for _, k := range intercept.FaultKinds() {
		names = append(names, k.Name)
	}
	return names
}

// Elsewhere returns the flags for a server that the command line does not name. They lack the flags and
// environment variables for the named server, such as headers, tokens and certificates.
func (f Flags) Elsewhere() Flags {
	f.Headers, f.Entry, f.givenHTTP = nil, nil, nil
	f.TLS = TLSFlags{authorities: f.TLS.authorities}
	f.Auth = AuthFlags{Store: f.Auth.Store, Timeout: f.Auth.Timeout, Browser: f.Auth.Browser, grant: grantConsent, elsewhere: true}
	return f
}

// For returns the flags for a URL: unchanged for the origin of the target of the command line, and
// [Flags.Elsewhere] for another origin.
func (f Flags) For(target client.Target, to string) Flags {
	targetURL, err := url.Parse(target.URL)
	u, bad := url.Parse(to)
	if err == nil && bad == nil && !target.IsStdio() && mcphttp.SameOrigin(targetURL, u) {
		return f
	}
	return f.Elsewhere()
}

// ParseFaults returns the faults of --fault for a target.
func (f *Flags) ParseFaults(t client.Target) ([]intercept.Fault, error) {
	var faults []intercept.Fault
	for _, text := range f.faults {
		fault, err := intercept.ParseFault(text)
		if err != nil {
			name := text[:strings.IndexAny(text+"=", "=@, ")]
			hint := cmp.Or(app.DidYouMean(name, faultNames()), "The faults are "+strings.Join(faultNames(), ", ")+".")
			return nil, app.Usage(hint, "--fault: %v", err)
		}
		if fault.HTTP() && t.URL == "" {
			return nil, app.Usage("The target is a command; the fault is for a URL.", "--fault %s requires a server over HTTP", fault.Name)
		}
		faults = append(faults, fault)
	}
	return faults, nil
}

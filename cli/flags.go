package cli

import (
	"time"

	"github.com/spf13/cobra"

	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/themes"
)

// flags are those that all commands have.
type flags struct {
	url       string
	transport string
	headers   []string

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
	mute           []string
	noHeuristics   bool

	auth authFlags

	task bool
	ttl  time.Duration

	record string
	// recordLimit is after how many bytes a recording stops, as it was written.
	recordLimit string
	theme       string
	ascii       bool
	json        bool
}

// addTo declares the flags on the root command, and what completes them.
func (f *flags) addTo(cmd *cobra.Command) {
	fs := cmd.PersistentFlags()
	fs.SortFlags = false
	fs.StringVar(&f.url, "url", "", "the server is at this URL")
	fs.StringVar(&f.transport, "transport", "auto", "how to reach the server: auto, stdio, http or sse")
	fs.StringArrayVarP(&f.headers, "header", "H", nil, "send this HTTP header, as \"Name: value\"; \"Name:\" takes one away; repeatable")
	fs.StringArrayVarP(&f.env, "env", "e", nil, "set an environment variable of the server, as NAME=value; NAME alone passes yours on; repeatable")
	fs.StringVar(&f.envFile, "env-file", "", "set variables from a file of NAME=value lines")
	fs.BoolVar(&f.cleanEnv, "clean-env", false, "pass on no variables but PATH, HOME, LANG and the like")
	fs.StringVar(&f.cwd, "cwd", "", "run the server in this directory")
	fs.StringVar(&f.protocol, "protocol", "auto", "offer this protocol revision and no other; 2026-07-28 does without the handshake")
	fs.BoolVar(&f.lenient, "lenient", false, "go on where a client must refuse, such as with a revision that nobody has released or metadata of another server, and say so; tokens still go nowhere else")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "give a request up after so long without answer or progress")
	fs.DurationVar(&f.connectTimeout, "connect-timeout", 30*time.Second, "give connecting up after so long without an answer")
	fs.StringArrayVar(&f.roots, "root", nil, "offer this directory to the server as a root; repeatable")
	fs.StringArrayVar(&f.answers, "answer", nil, "answer what the server asks, as KIND=HOW: sampling or elicitation; ask, decline, cancel, error, none, @file.json or JSON; repeatable (default: ask in the inspector, none elsewhere)")
	fs.StringArrayVar(&f.mute, "mute", nil, "leave out what this rule finds, in the inspector and in lint; its id or slug, such as J030; repeatable")
	fs.BoolVar(&f.noHeuristics, "no-heuristics", false, "leave out the rules that go by wording, timing or likeness and can be wrong, in the inspector and in lint")
	f.auth.addTo(cmd)
	fs.StringVar(&f.record, "record", "", "record the session in this file; \"off\" for none (default: on in the inspector, off elsewhere)")
	fs.StringVar(&f.recordLimit, "record-limit", defaultRecordLimit, "stop recording after so many bytes, such as 500MB; 0 for no limit")
	fs.StringVar(&f.theme, "theme", "", "the colours of the inspector")
	fs.BoolVar(&f.ascii, "ascii", false, "draw with ASCII only")
	fs.BoolVar(&f.json, "json", false, "print JSON, as it came from the server")

	completes(cmd, "transport", "auto", "stdio", "http", "sse")
	completes(cmd, "answer", "sampling=ask", "sampling=decline", "sampling=error", "sampling=none", "elicitation=ask", "elicitation=decline", "elicitation=cancel", "elicitation=error", "elicitation=none")
	completes(cmd, "theme", themes.Names()...)
	completes(cmd, "protocol", append([]string{"auto"}, revisionNames()...)...)
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("mute", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var rules []string
		for _, e := range lint.Catalogue() {
			rules = append(rules, e.ID+"\t"+e.Slug)
		}
		return rules, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.MarkPersistentFlagDirname("cwd")
	_ = cmd.MarkPersistentFlagDirname("root")
}

// completes says what a flag may be.
func completes(cmd *cobra.Command, name string, values ...string) {
	// It fails for a flag that is not there, which a test would notice.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func revisionNames() []string {
	var names []string
	for _, r := range revision.All() {
		names = append(names, string(r))
	}
	return names
}

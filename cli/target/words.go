package target

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/revision"
	"mcptea/internal/shell"
)

// Forms are the forms of a target, for the help and for messages.
var Forms = [][2]string{
	{"URL", "a server over HTTP"},
	{"NAME", "a server of another application, or of config.yaml"},
	{"FILE#NAME", "a server in any mcp.json or server.json"},
	{"FILE.mcpb", "the server of an MCP bundle, or of its folder"},
	{"'{…}'", "an entry of an mcp.json, or a whole file, as JSON"},
	{"'claude mcp add …'", "the line that adds a server, also of codex, gemini and code"},
	{"COMMAND ARG…", "a server over stdio: the command that starts it"},
	{"FILE", "a file of source code, or the directory of a project: the command that runs it is proposed"},
	{"-- COMMAND [ARG…]", "the same, also with flags of its own"},
}

// FormsOf returns the forms of a target that a command takes. JSON is an argument where arguments are taken.
func FormsOf(cmd *cobra.Command) [][2]string {
	if !wordsOf[cmd.Name()].arguments || !cmd.HasParent() {
		return Forms
	}
	return slices.DeleteFunc(slices.Clone(Forms), func(form [2]string) bool { return form[0] == "'{…}'" })
}

// TargetHint explains how to name a server.
const TargetHint = `Name the server:
  http://127.0.0.1:3000/mcp   a server over HTTP (or --url URL)
  -- COMMAND [ARG…]           a server over stdio: the command that starts it
  NAME                        a server that another application has configured (mcptea servers)
  FILE#NAME                   a server in an mcp.json or a server.json
To try mcptea without a server: mcptea demo`

// ownWords are the words that a command takes before a target.
type ownWords struct {
	first     bool            // the first word has a meaning, such as the name of a tool
	names     []revision.List // lists whose entries have the first word as name
	methods   bool            // the first word is a method
	flags     []string        // each stands for the first word
	anything  bool            // the first word may be anything, such as a URL
	arguments bool            // then words such as a=1 and {…}
	files     bool            // the first word is a recording or a script
}

var wordsOf = map[string]ownWords{
	"call":     {first: true, names: []revision.List{revision.Tools}, flags: []string{"tool"}, arguments: true},
	"app":      {first: true, names: []revision.List{revision.Tools}, flags: []string{"tool"}, arguments: true},
	"bench":    {first: true, names: []revision.List{revision.Tools}, flags: []string{"tool", "method"}, arguments: true},
	"prompt":   {first: true, names: []revision.List{revision.Prompts}, flags: []string{"prompt"}, arguments: true},
	"complete": {first: true, names: []revision.List{revision.Prompts, revision.Templates}, flags: []string{"prompt", "template"}, arguments: true},
	"send":     {first: true, methods: true, flags: []string{"raw", "batch"}, arguments: true},
	"read":     {first: true, names: []revision.List{revision.Resources}, flags: []string{"uri"}, anything: true, arguments: true},
	"skill":    {first: true, names: []revision.List{revision.Skills}, anything: true},
	"get":      {first: true},
	"result":   {first: true},
	"cancel":   {first: true},
	"answer":   {first: true, arguments: true},
	"replay":   {first: true, anything: true, files: true},
	"reduce":   {first: true, anything: true, files: true},
	"open":     {first: true, anything: true, files: true},
	"run":      {first: true, files: true},
}

// firstWords returns how many of the first words are the command's own, whatever they are.
func firstWords(cmd *cobra.Command) int {
	w := wordsOf[cmd.Name()]
	given := slices.ContainsFunc(w.flags, func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed
	})
	if w.first && !given {
		return 1
	}
	return 0
}

// targetWord returns the first word that may be a target, and is not the command's own.
func targetWord(cmd *cobra.Command, words []string) (at int, word string) {
	for at = min(firstWords(cmd), len(words)); at < len(words); at++ {
		if !isOwnWord(cmd, words[at]) {
			return at, words[at]
		}
	}
	return len(words), ""
}

// isOwnWord reports whether a word after the first ones is the command's own.
func isOwnWord(cmd *cobra.Command, w string) bool {
	switch {
	case isList(cmd):
		return IsKind(w)
	case cmd.Name() == "skill": // a file, which has a dot or a slash
		return strings.ContainsAny(w, "./") && !IsURL(w) && !isServerFile(w) && !IsProgram(w)
	case cmd.Name() == "listen":
		return IsListened(w) || isArgument(w) && !IsURL(w)
	case cmd.Name() == "run":
		info, err := os.Stat(w)
		return w == "-" || err == nil && info.Mode().IsRegular() && !isServerFile(w) && !IsProgram(w)
	case wordsOf[cmd.Name()].arguments:
		return isArgument(w)
	}
	return false
}

// isArgument reports a word such as a=1, {…}, @file or -.
func isArgument(w string) bool {
	return strings.Contains(w, "=") || w == "" || w == "-" || strings.ContainsAny(w[:1], "{[@\"")
}

// ListenWords are the words of mcptea listen, beside task:ID, event:NAME and the URI of a resource.
var ListenWords = []string{"tools", "prompts", "resources", "events", "logs", "tasks"}

// IsListened reports whether a word selects notifications for mcptea listen. A URI with http or https names a
// server.
func IsListened(w string) bool {
	return slices.Contains(ListenWords, w) || strings.HasPrefix(w, "task:") || strings.HasPrefix(w, "event:") || strings.Contains(w, "://") && !IsURL(w)
}

// isList reports whether a command is mcptea list itself, and not the list command of a group.
func isList(cmd *cobra.Command) bool {
	return cmd.Name() == "list" && (!cmd.HasParent() || !cmd.Parent().HasParent())
}

// IsKind reports whether a word names a kind of list, such as tools or tool.
func IsKind(w string) bool {
	return slices.ContainsFunc(client.ListKinds, func(k client.ListKind) bool { return k.Name == w || k.Name == w+"s" })
}

// SplitTarget separates the target from the words of a command. The target is a URL among
// the words, --url, --server, the words after --, or the words after the command's own:
// the name of a server, FILE#NAME, or a command.
func (p *Target) SplitTarget(cmd *cobra.Command, args []string) (t client.Target, commandWords []string, found bool, err error) {
	if p.Flags.Attach != "" {
		t, commandWords, err = p.attached(cmd, args)
		return t, commandWords, err == nil, err
	}
	words, argv := args, []string(nil)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, argv = args[:dash], args[dash:]
		if len(argv) == 0 {
			return t, words, false, app.Usage("Write the command after it, such as: mcptea -- npx -y some-server", "no command follows --")
		}
	}
	if err := wrongCommand(cmd, words, argv); err != nil {
		return t, words, false, err
	}
	skip := 0
	if wordsOf[cmd.Name()].anything {
		skip = min(firstWords(cmd), len(words))
	}
	commandWords = words[:skip:skip]
	t = client.Target{Argv: argv, URL: cmp.Or(AsURL(p.Flags.URL), exactURL(p.Flags.URL))}
	for _, word := range words[skip:] {
		switch {
		case !IsURL(word):
			commandWords = append(commandWords, word)
		case t.URL != "":
			return t, commandWords, false, app.Usage("Name one server.", "the command line has two URLs")
		default:
			t.URL = exactURL(word)
		}
	}
	switch {
	case t.URL != "" && argv != nil:
		return t, commandWords, false, app.Usage("Name one server.", "the command line has both a URL and a command")
	case p.Flags.Server != "" && (t.URL != "" || argv != nil):
		return t, commandWords, false, app.Usage("Name one server.", "the command line has both --server and a URL or a command")
	case p.Flags.Server != "":
		t, err = p.serverTarget(p.Flags.Server, true)
	case t.URL != "" || argv != nil:
		err = p.Complete(&t)
	default:
		at, _ := targetWord(cmd, commandWords)
		if t, found, err = p.plainTarget(cmd, commandWords[at:]); found {
			commandWords = commandWords[:at]
		} else if err == nil && cmd.HasParent() {
			if t.URL, commandWords = addressAmong(commandWords); t.URL != "" {
				found, err = true, p.Complete(&t)
			}
		}
		if !found || err != nil {
			return t, commandWords, false, err
		}
	}
	if err == nil && cmd.HasParent() {
		p.Announce()
		p.noteFlags(cmd, argv)
	}
	return t, commandWords, err == nil, err
}

// NeedTarget is like [Target.SplitTarget], but fails if the words contain no target.
func (p *Target) NeedTarget(cmd *cobra.Command, args []string) (client.Target, []string, error) {
	t, commandWords, found, err := p.SplitTarget(cmd, args)
	if err == nil && !found {
		err = p.noTarget(cmd, commandWords)
	}
	return t, commandWords, err
}

// plainTarget returns the target that words without -- and without --url name: a server, an
// address without its scheme, or a command that exists.
func (p *Target) plainTarget(cmd *cobra.Command, words []string) (t client.Target, found bool, err error) {
	if len(words) == 0 {
		return t, false, nil
	}
	argv := words
	pasted, m, err := addedBy(words)
	if len(words) == 1 {
		pasted, m, err = p.Pasted(words[0])
	}
	if pasted != nil || err != nil {
		if err == nil {
			t, found, err = p.pastedTarget(pasted, m)
		}
		return t, found, err
	}
	if len(words) == 1 {
		if t, found, err = p.named(words[0]); found || err != nil {
			return t, found, err
		}
		if _, isSource := Source(words[0]); isSource {
			return t, false, nil
		}
		if t.URL = AsURL(words[0]); t.URL != "" && (!cmd.HasParent() || hasPort(words[0])) {
			return t, true, p.Complete(&t)
		}
		if argv = p.quotedCommand(words[0]); len(argv) > 1 {
			if err := inPlaceOfServer(cmd, nil, argv); err != nil {
				return t, false, err
			}
		}
		if len(argv) < 2 && !strings.ContainsAny(words[0], "/\\") {
			return client.Target{}, false, nil
		}
	}
	if !cmd.HasParent() && (isMeant(argv) || len(NearCommands(cmd, argv[0])) > 0) || !Starts(argv[0]) {
		return client.Target{}, false, nil
	}
	if err := inPlaceOfServer(cmd, nil, argv); err != nil {
		return t, false, err
	}
	t = client.Target{Argv: argv}
	if line, err := shell.Bash.Join(shell.Literals(argv...)); err == nil {
		p.Launch = "starts " + line
	}
	return t, true, p.Complete(&t)
}

// quotedCommand returns the words of a command that is one word of the command line.
func (p *Target) quotedCommand(word string) []string {
	if strings.Contains(word, " ") && !IsProgram(word) {
		if words, err := shell.Split(word, p.Env.Lookup); err == nil && len(words) > 0 {
			return words
		}
	}
	return []string{word}
}

// find returns the server with a name, and the label of the server in messages. It searches the user's own
// servers, the servers of a file if files is set, and the servers that other applications have configured. It
// returns nil if no server has the name; missing explains why.
func (p *Target) find(name string, files bool) (s *hosts.Server, label, missing string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, "", "", app.Failed("cannot find the working directory: %v", err)
	}
	return p.findFrom(p.Ctx, dir, name, files)
}

// Find returns the server that --server names in a directory, and how messages call it.
func (p *Target) Find(ctx context.Context, dir, name string) (s *hosts.Server, label string, err error) {
	s, label, _, err = p.findFrom(ctx, dir, name, true)
	if s == nil && err == nil {
		err = app.Usage("", "no application has a server with the name %q", name)
	}
	return s, label, err
}

// findFrom is like find, but for the project of a directory.
func (p *Target) findFrom(ctx context.Context, dir, name string, files bool) (s *hosts.Server, label, missing string, err error) {
	if short := strings.TrimPrefix(name, settings.OwnHost+"/"); p.isOwn(short) {
		s, err = p.ownServer(short)
		return s, short, "", err
	}
	if files {
		if s, label, err = p.fileServerFrom(dir, name); s != nil || err != nil {
			return s, label, "", err
		}
	}
	c, m, err := DiscoverFrom(ctx, dir)
	if err != nil {
		return nil, "", "", app.Failed("cannot read the configuration of other applications: %v", err)
	}
	found := ServersNamed(c, name)
	if s, err = p.oneOf(m, name, found, overridden(c, name, found)); s != nil {
		return s, s.ID(), "", nil
	}
	return nil, "", notConfigured(c, m, name), err
}

// isOwn reports whether a server of the configuration file has a name.
func (p *Target) isOwn(name string) bool {
	_, isConfigured := p.Configured.Servers[name]
	return isConfigured
}

// isPlainName reports whether a word that does not follow --server can be the name of a server. A path or a
// command line cannot, even if an entry of a file has it as its key: a project file must not hijack them.
// HOST/NAME can, unless it is an existing file.
func isPlainName(word string) bool {
	host, _, qualified := strings.Cut(word, "/")
	if qualified && (host == settings.OwnHost || slices.Contains(hosts.IDs(), host)) {
		_, err := os.Lstat(word)
		return err != nil
	}
	return !strings.ContainsAny(word, "/\\") && !strings.ContainsFunc(word, unicode.IsSpace)
}

// named returns the target with a name, if there is one.
func (p *Target) named(name string) (t client.Target, found bool, err error) {
	var s *hosts.Server
	var label string
	if isPlainName(name) {
		s, label, _, err = p.find(name, true)
	} else {
		s, label, err = p.fileServer(name)
	}
	if s == nil || err != nil {
		return t, false, err
	}
	t, err = p.entryTarget(s, label)
	return t, err == nil, err
}

// ConfiguredTarget returns the server with a name, of the user's own or of another application,
// for an agent, which names no files.
func (p *Target) ConfiguredTarget(name string) (client.Target, error) {
	return p.serverTarget(name, false)
}

// serverTarget returns the target of --server.
func (p *Target) serverTarget(name string, files bool) (t client.Target, err error) {
	s, label, missing, err := p.find(name, files)
	switch {
	case err != nil:
		return t, err
	case s == nil:
		return t, app.Usage(missing, "no application has a server with the name %q", name)
	}
	if t, err = p.entryTarget(s, label); err == nil {
		p.Announce()
	}
	return t, err
}

// addressAmong returns the URL of the only word that is an address with a port or an address of this machine,
// without a scheme, and the other words. The URL is "" if there is no such word.
func addressAmong(words []string) (address string, others []string) {
	for i, w := range words {
		if a := AsURL(w); a != "" && hasPort(w) {
			if address != "" {
				return "", words
			}
			address, others = a, slices.Delete(slices.Clone(words), i, i+1)
		}
	}
	if address == "" {
		return "", words
	}
	return address, others
}

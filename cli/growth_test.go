package cli

import (
	"cmp"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
	"mcptea/session/export"
)

// TestGrowth_Commands runs each command of the tree, and each flag that names a file, on a server and on
// files with hostile values: twice the bytes lead to about twice the memory. The command lines are
// made of the words in the usage of a command; a new word is added to usageValues. By default one line of 32 is
// tried, since all of them take minutes: those are tried each night, with MCPTEA_E2E.
func TestGrowth_Commands(t *testing.T) {
	raced.Never(t, "measures memory")
	all := os.Getenv("MCPTEA_E2E") == "1"
	for i, line := range commandLines(t, Commands()) {
		if !all && (i%32 != 0 || line[0] == "diff") { // a diff reads each value once per level
			continue
		}
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			// It also prepares what is prepared once.
			switch code, said := runGrowth(t, growth.Peer{Value: "0"}, line); {
			case code == 2 && !mayBeRefused(line):
				t.Errorf("the command line is refused, so it reads nothing: %s", said)
			case code != 0 && slices.Contains(line, "--update"):
				t.Errorf("the file is not updated: exit code %d: %s", code, said)
			}
			for _, s := range growth.Shapes {
				if s.Usual || all {
					growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost {
						return map[string]growth.Cost{"the command": growth.Of(func() { runGrowth(t, p, line) })}
					})
				}
			}
		})
	}
}

// withoutPeer are commands that read nothing of a peer or a file, or that have a bound of their own, with the reason.
var withoutPeer = map[string]string{
	"help": "prints a page", "version": "prints a line", "completion": "prints a script",
	"reduce": "checks candidates of which each is a whole dialogue; TestToFinding_WorkIsBounded has their bound",
}

func mayBeRefused(line []string) bool {
	words := strings.Join(line, " ")
	return words == "TARGET" || slices.ContainsFunc(refused, func(r string) bool { return strings.Contains(words+" ", r+" ") })
}

// screenCommands maps the commands that require a terminal to what they open.
var screenCommands = map[string]string{"open": "screen", "demo": "screen", "app": "browser"}

// ownFiles are the words of usages for files of a format of its own, by command or flag.
var ownFiles = map[string]string{
	"run": "SCRIPT", "declare": "DECLARED", "baseline": "BASELINE", "as-client": "CLIENT", "batch": "BATCH", "record": "NEW", "output": "NEW",
	"junit": "NEW", "sarif": "NEW", "save-client": "NEW", "write-submission": "NEW", "watch": "DIR", "answer": "elicitation=@JSON",
	"token-expired": "file:JSON", "token-foreign": "file:JSON", "token-lowscope": "file:JSON", "token-second": "file:JSON", "directory-token": "file:JSON", "env-file": "ENV",
}

// flagWords maps flags to the words of their command lines, if the words of the usage exclude the flag.
var flagWords = map[string][]string{"raw": {"TARGET"}, "batch": {"TARGET"}, "env-file": {"--", "true"}, "params": {"--method", "METHOD", "TARGET"}}

// moreFlags maps flags to those that they require.
var moreFlags = map[string][]string{
	"key": {"--cert", "JSON"}, "tls-key": {"--tls-cert", "JSON"}, "client-key": {"--client-id", "c"}, "client-key-cert": {"--client-id", "c", "--client-key", "JSON"},
	"assertion": {"--grant", "jwt-bearer", "--client-id", "c"}, "directory-token": {"--directory", "openai"},
}

// refused are parts of command lines that are refused after what they name was read, or need a terminal or the file of
// a host, which TestGrowth_Pages and TestGrowth_Files have.
var refused = []string{
	"--cacert JSON TARGET", "--cert JSON TARGET", "--client-key JSON --client-id c TARGET", "--config JSON TARGET", "--input JSON TARGET", "--token-store JSON TARGET",
	"--client-key JSON TARGET", "--params JSON TARGET", "auth serve --tls-key JSON --tls-cert JSON", "auth serve --tls-cert JSON", "servers wrap HOST/SERVER", "servers wrap --watch DIR HOST/SERVER", "servers unwrap HOST/SERVER|all",
	"mock --declare DECLARED FILE", "config themes NAME", "app --output NEW TOOL ARG… TARGET", "app --junit NEW TOOL ARG… TARGET", "open FILE TARGET", "open --save-client NEW FILE TARGET", "open --pins JSON FILE TARGET", "task answer ID KEY=JSON… TARGET",
}

// moreWords are words before those of the usage, so that a command is short.
var moreWords = map[string][]string{
	"bench": {"--requests", "2"}, "check": {"--only", "passive"},
}

// commandLines returns the command lines of a command and those below it, made of words that runGrowth
// fills in.
func commandLines(t *testing.T, root *cobra.Command) (lines [][]string) {
	t.Helper()
	seen := map[string]bool{} // flags
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		subs := c.Commands()
		slices.SortStableFunc(subs, func(a, b *cobra.Command) int { // flags are tried on commands without a screen
			return strings.Compare(screenCommands[a.Name()], screenCommands[b.Name()])
		})
		for _, sub := range subs {
			if sub.Runnable() && withoutPeer[sub.Name()] == "" {
				walk(sub, append(slices.Clip(path), sub.Name()))
			}
		}
		_, usage, _ := strings.Cut(c.Use, " ")
		own := alternatives(usage)
		if i := slices.Index(own[0], "FORMAT"); i >= 0 {
			own = nil
			for _, f := range export.Formats() {
				own = append(own, append(slices.Clip(alternatives(usage)[0][:i]), f.Name))
			}
		}
		for i, words := range own {
			if n := len(words); n > 0 && slices.ContainsFunc(subs, func(sub *cobra.Command) bool { return sub.Name() == words[n-1] }) {
				continue // it names the commands below
			}
			lines = append(lines, slices.Concat(path, moreWords[c.Name()], words))
			if i > 0 {
				continue
			}
			c.Flags().VisitAll(func(f *pflag.Flag) {
				if before, ok := updateOf(c, f); ok && !seen[f.Name+f.Usage] {
					seen[f.Name+f.Usage] = true
					lines = append(lines, slices.Concat(path, before, []string{"--" + f.Name}, moreWords[c.Name()], words))
				}
				if value := fileOf(f); value != "" && !seen[f.Name+f.Usage] {
					seen[f.Name+f.Usage] = true
					words := words
					if instead := flagWords[f.Name]; instead != nil {
						words = instead
					}
					lines = append(lines, slices.Concat(path, []string{"--" + f.Name, value}, moreFlags[f.Name], moreWords[c.Name()], words))
				}
			})
		}
	}
	walk(root, nil)
	if len(lines) < 60 {
		t.Errorf("only %d command lines were found", len(lines))
	}
	return lines
}

// updateOf reports whether a flag makes the command write a file that it has read, and the words that name the file.
func updateOf(c *cobra.Command, f *pflag.Flag) (before []string, ok bool) {
	of, ok := strings.CutPrefix(f.Name, "update")
	if file := c.Flag(strings.TrimPrefix(of, "-")); ok && file != nil {
		before = []string{"--" + file.Name, fileOf(file)}
	}
	return before, ok && f.Value.Type() == "bool"
}

// fileOf returns the value of a flag that reads a file, or "".
func fileOf(f *pflag.Flag) string {
	switch value := app.Annotation(f, "mcptea_value"); {
	case ownFiles[f.Name] != "" && value != "":
		return ownFiles[f.Name]
	case strings.Contains(f.Usage, "@file"), strings.Contains(f.Usage, "@FILE"):
		return "@JSON"
	case strings.Contains(strings.ToUpper(value+" "+f.Usage), "FILE") && value != "":
		return "JSON"
	}
	return ""
}

// alternatives returns the ways to write the words of a usage, which has {A | B} for alternatives and [A]
// for what may be left out, which is not.
func alternatives(usage string) [][]string {
	all, before := [][]string{nil}, [][]string(nil)
	for usage = strings.TrimSpace(usage); usage != ""; usage = strings.TrimSpace(usage) {
		var word string
		var options [][]string
		if usage[0] == '{' || usage[0] == '[' {
			end := closing(usage)
			word, options = usage[:end], alternatives(usage[1:end-1])
		} else {
			word, _, _ = strings.Cut(usage, " ")
			options = [][]string{{word}}
		}
		usage = strings.TrimPrefix(usage[len(word):], "…")
		if word == "|" {
			before, all = append(before, all...), [][]string{nil}
			continue
		}
		var more [][]string
		for _, words := range all {
			for _, option := range options {
				more = append(more, slices.Concat(words, option))
			}
		}
		all = more
	}
	return append(before, all...)
}

// closing returns the offset behind the bracket that closes the first one.
func closing(usage string) int {
	depth := 0
	for i, c := range usage {
		if strings.ContainsRune("{[", c) {
			depth++
		} else if strings.ContainsRune("}]", c) {
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(usage)
}

// runGrowth runs a command line with a peer instead of its words.
func runGrowth(t *testing.T, p growth.Peer, line []string) (code int, stderr string) {
	t.Helper()
	server := httptest.NewServer(p)
	defer server.Close()
	return runLine(t, filledIn(t, line, usageValues(t, p, server.URL+"/mcp")))
}

// filledIn returns a command line with values instead of the words of usages.
func filledIn(t *testing.T, line []string, values map[string]string) (args []string) {
	t.Helper()
	for i, word := range line {
		word, _, _ = strings.Cut(strings.TrimSuffix(word, "…"), "|")
		word = strings.TrimSuffix(word, "…")
		if word == "FILE" {
			word = cmp.Or(ownFiles[strings.TrimPrefix(line[max(0, i-1)], "--")], ownFiles[line[0]], word)
		}
		value, ok := values[strings.TrimPrefix(word, "@")]
		before, _, hasFile := strings.Cut(word, "JSON")
		switch {
		case hasFile && strings.HasSuffix(word, "JSON") && !ok:
			args = append(args, before+values["JSON"])
		case ok && word[0] == '@':
			args = append(args, "@"+value)
		case ok:
			args = append(args, value)
		case strings.ToUpper(word) == word && strings.ToLower(word) != word:
			t.Fatalf("the word %s has no value: add it to usageValues", word)
		default:
			args = append(args, word)
		}
	}
	return args
}

// usageValues are the values of the words of usages.
func usageValues(t *testing.T, p growth.Peer, target string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	conversation := ""
	for _, f := range p.Conversation() {
		conversation += map[bool]string{true: "< ", false: "> "}[f.FromServer] + string(f.Bytes) + "\n"
	}
	recording := recordingtest.File(t, "stdio", conversation)
	other := recordingtest.File(t, "stdio", strings.ReplaceAll(conversation, "0", "1"))
	script := "call t {\"a\":" + p.Value + "}\nexpect @value.json\ncall t\nexpect --exact @other.json\n-- value.json --\n{\"structuredContent\":{\"v\":" + p.Value + "}}\n-- other.json --\n{\"other\":" + p.Value + "}\n"
	return map[string]string{
		"SCRIPT": write("s.txtar", script), "NEW": filepath.Join(dir, "new"), "BATCH": write("batch.json", `[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":`+p.Value+`}}]`),
		"DECLARED": write("d.json", `{"tools":[{"name":"t","inputSchema":{"type":"object","x":`+p.Value+`},"responses":[{"structuredContent":`+p.Value+`}]}]}`),
		"BASELINE": write("base.json", `{"v":1,"servers":[{"name":"h","protocol_version":"2025-11-25","capabilities":{"experimental":{"x":`+p.Value+`}},"lists":{"tools":[{"name":"t","inputSchema":{"x":`+p.Value+`}}]}}],"accepted":[]}`),
		"CLIENT":   write("client.json", `{"mcptea_client":1,"id":"c","name":"c","client_info":{"name":"c","version":"1","x":`+p.Value+`},"capabilities":{"experimental":{"x":`+p.Value+`}},"frames":[{"jsonrpc":"2.0","method":"initialize","id":0,"params":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":`+p.Value+`}},"clientInfo":{"name":"c","version":"1"}}}]}`),
		"TARGET":   target, "URL": target, "A": recording, "FILE": recording, "B": other, "DIR": dir, "ENV": write("e.env", "A="+p.Value+"\n"), "JSON": write("v.json", `{"name":"n","version":"1","action":"accept","a":`+p.Value+`}`),
		"KIND": "tools", "TOOL": growth.Tool, "ARG": "a:=" + p.Value[:min(len(p.Value), 64<<10)],
		"URI": "mem://{x}", "PROMPT": growth.Prompt, "NAME=VALUE": "x=y", "NAME": "x", "TEMPLATE": "mem://{x}", "ARG=PREFIX": "x=a",
		"METHOD": "odd/method", "PARAMS": `{"x":1}`, "FRAME": `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "WHAT": "logs", "ID": "task-1", "KEY=JSON": "a=1",
		"HOST": "claude-code", "HOST/NAME": "claude-code/x", "HOST/SERVER": "claude-code/x", "TOPIC": "-32602", "-": "-",
	}
}

// runLine runs a command line on no input, in an environment of its own.
func runLine(t *testing.T, args []string) (code int, stderr string) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	home := t.TempDir()
	env := app.Env{"HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off", "PATH="}
	errs, err := os.CreateTemp(home, "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errs.Close() }()
	p := newProgram(in, out, errs, env)
	ctx, stop := context.WithCancel(p.Ctx)
	defer stop()
	p.Ctx = ctx
	code = p.run(version, args)
	text := make([]byte, 300)
	n, _ := errs.ReadAt(text, 0)
	return code, string(text[:n])
}

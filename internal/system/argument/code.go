package argument

import (
	"fmt"
	"slices"
	"strings"
)

// reader is a kind of program that reads one of its words as code.
type reader struct {
	names []string // names of the programs, without versions
	// evals are options whose argument is code; letters mean the same within a cluster such as -lc.
	evals   []string
	letters string
	// takes are other options with an argument of their own.
	takes []string
	// module is an option whose argument names the code.
	module string
	// script reports that the first word that is not an option names a file with code, or is code.
	script bool
	// dash reports that a single - ends the options, as -- does.
	dash bool
	// repeats reports that options may follow the code.
	repeats bool
	// rest reports that all words after the option, or after the program without evals, are code.
	rest bool
	form string // a line that works
}

const anyForm = "a script of your own that takes the value as an argument"

// readers lists the programs that run code from their arguments. Each word of a line is compared with them,
// since env, sudo, xargs, timeout and others start the program that a later word names.
var readers = []reader{
	{
		names: []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "yash", "rbash", "fish", "csh", "tcsh", "nu", "busybox sh"},
		evals: []string{"--command", "--init-command"}, letters: "c", takes: []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"},
		script: true, dash: true, form: `sh -c 'echo "$1"' sh {%s}`,
	},
	{
		names: []string{"node", "nodejs", "bun", "tsx", "ts-node", "deno eval", "deno repl"}, evals: []string{"-e", "--eval", "-p", "--print", "-pe"},
		takes:  []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"},
		script: true, repeats: true, form: `node -e 'console.log(process.argv[1])' {%s}`,
	},
	{
		names: []string{"python", "pypy", "ipython", "pythonw"}, letters: "c", takes: []string{"-W", "-X"}, module: "-m",
		script: true, form: `python3 -c 'import sys; print(sys.argv[1])' {%s}`,
	},
	{names: []string{"perl", "raku"}, letters: "eE", takes: []string{"-I"}, script: true, repeats: true, form: `perl -e 'print $ARGV[0]' {%s}`},
	{names: []string{"ruby", "jruby"}, letters: "e", takes: []string{"-r", "-I", "-C"}, script: true, repeats: true, form: `ruby -e 'puts ARGV[0]' {%s}`},
	{
		names: []string{"php"}, evals: []string{"-r", "--run", "-B", "--process-begin", "-R", "--process-code", "-E", "--process-end"},
		takes: []string{"-d", "-c", "-z"}, script: true, repeats: true, form: `php -r 'echo $argv[1];' {%s}`,
	},
	{
		names: []string{"lua", "luajit", "rscript", "r", "julia", "groovy", "scala", "elixir", "osascript", "ghc", "swipl", "guile", "clojure", "erl"},
		evals: []string{"-e", "-E", "--eval", "-eval", "--print", "-c", "-g"}, script: true, repeats: true, form: anyForm,
	},
	{
		names: []string{"awk", "gawk", "mawk", "nawk"}, evals: []string{"-e", "--source", "-f", "--file"}, takes: []string{"-F", "-v", "--assign"},
		script: true, repeats: true, form: `awk 'BEGIN { print ARGV[1] }' {%s}`,
	},
	{names: []string{"sed", "gsed"}, evals: []string{"-e", "--expression", "-f", "--file"}, script: true, repeats: true, form: anyForm},
	{
		names: []string{"vim", "vi", "nvim", "ex", "view", "emacs", "emacsclient", "gdb", "lldb"},
		evals: []string{"-c", "--cmd", "-S", "--eval", "-eval", "--execute", "-e", "-ex", "-iex", "--eval-command", "-o", "--one-line"}, repeats: true, form: anyForm,
	},
	{
		names: []string{"su", "runuser", "script", "flock", "npx", "npm", "pnpm", "psql", "mysql", "mariadb", "xterm"},
		evals: []string{"-c", "--command", "--session-command", "--call", "-e", "--execute"}, letters: "c", repeats: true, form: anyForm,
	},
	{names: []string{"env"}, evals: []string{"--split-string"}, letters: "S", takes: []string{"-u", "--unset", "-C", "--chdir"}, repeats: true, form: anyForm},
	{names: []string{"cmd"}, evals: []string{"/c", "/k", "/r"}, rest: true, form: anyForm},
	{names: []string{"powershell", "pwsh"}, rest: true, form: `pwsh -File SCRIPT {%s}`},
	{names: []string{"ssh", "rsh", "tmux", "screen", "watch", "make", "gmake", "parallel", "entr", "wsl", "sqlite3", "duckdb"}, rest: true, form: anyForm},
}

// whyCode returns why a hole of a line is refused, or "": a program reads its word as code.
func whyCode(words []template) string {
	zero := -1 // $0 of a shell, which is often the name of one
	for i := range words {
		name := programName(words[i].written())
		if i == zero {
			continue
		}
		for k := range readers {
			r := &readers[k]
			from := i + 1
			if i+1 < len(words) && slices.Contains(r.names, name+" "+words[i+1].written()) {
				from++
			} else if !slices.Contains(r.names, name) {
				continue
			}
			hole, after := r.reads(words[from:], name)
			if after >= 0 {
				zero = from + after
			}
			if hole != "" {
				return fmt.Sprintf("%s reads the word with {%s} as code, but the value is not your own text; use %s", name, hole, r.formFor(hole))
			}
		}
	}
	if name := words[0].written(); isBatch(name) {
		for _, t := range words[1:] {
			if len(t.holes) > 0 {
				return fmt.Sprintf("cmd reads the words of %s as code, but the value of {%s} is not your own text", name, t.holes[0])
			}
		}
	}
	return ""
}

func (r *reader) formFor(hole string) string {
	if strings.Contains(r.form, "%s") {
		return fmt.Sprintf(r.form, hole)
	}
	return r.form
}

// reads returns a hole in a word that the program reads as code, or "", and the index of the word after
// the only code, or -1.
func (r *reader) reads(words []template, name string) (hole string, after int) {
	if r.rest {
		return r.readsRest(words, name), -1
	}
	pending, done := false, false // the next word is code; there was code
	for i := 0; i < len(words); i++ {
		text := words[i].written()
		switch {
		case text == "--", text == "-" && r.dash:
			if i+1 < len(words) && (pending || r.script && !done) {
				return words[i+1].hole(), -1
			}
			return "", -1
		case isOption(text):
			eval := r.evaluates(text)
			if words[i].hasHole() && (eval || r.script && !done) {
				return words[i].hole(), -1
			}
			pending = pending || eval && !strings.Contains(text, "=")
			isModule := text == r.module
			if isModule || r.takesArgument(text) {
				i++
				if i < len(words) && words[i].hasHole() && r.script && !done {
					return words[i].hole(), -1
				}
			}
			if isModule {
				return "", -1
			}
		case pending:
			if words[i].hasHole() || !r.repeats {
				return words[i].hole(), i + 1
			}
			pending, done = false, true
		case r.script && !done:
			return words[i].hole(), -1
		case r.script:
			return "", -1 // later words are arguments of the script
		}
	}
	return "", -1
}

func isOption(word string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+')
}

// readsRest is like reads, for a program that joins its arguments.
func (r *reader) readsRest(words []template, name string) string {
	within := len(r.evals) == 0
	for i, t := range words {
		text := strings.ToLower(t.written())
		if strings.HasPrefix(name, "p") && (text == "-file" || text == "-f") && i+1 < len(words) { // PowerShell
			return words[i+1].hole()
		}
		within = within || slices.ContainsFunc(r.evals, func(option string) bool { return strings.HasPrefix(text, option) })
		if within && t.hasHole() {
			return t.hole()
		}
	}
	return ""
}

// evaluates reports whether the argument of an option is code.
func (r *reader) evaluates(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	if slices.Contains(r.evals, name) {
		return true
	}
	for _, eval := range r.evals { // -eCODE
		if len(eval) == 2 && strings.HasPrefix(option, eval) {
			return true
		}
	}
	return r.letters != "" && !strings.HasPrefix(option, "--") && strings.ContainsAny(option[1:], r.letters)
}

// takesArgument reports whether an option takes an argument.
func (r *reader) takesArgument(option string) bool {
	if slices.Contains(r.takes, option) {
		return true
	}
	last := option[len(option)-1] // -euo pipefail
	return r.letters == "c" && slices.Contains(r.takes, "-o") && !strings.HasPrefix(option, "--") && (last == 'o' || last == 'O')
}

// programName returns the name of a program without its folder and version.
func programName(word string) string {
	word = strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
	word = strings.TrimSuffix(word, ".exe")
	if short := strings.TrimRight(word, "0123456789.-"); short != "" && word != "sqlite3" {
		return short
	}
	return word
}

// isBatch reports whether a program is a file of commands of Windows.
func isBatch(program string) bool {
	program = strings.ToLower(program)
	return strings.HasSuffix(program, ".bat") || strings.HasSuffix(program, ".cmd")
}

// written returns the word with its holes as text.
func (t *template) written() string {
	text := t.texts[0]
	for i, name := range t.holes {
		text += "{" + name + "}" + t.texts[i+1]
	}
	return text
}

func (t *template) hasHole() bool { return len(t.holes) > 0 }

// hole returns the first hole of a word, or "".
func (t *template) hole() string {
	if len(t.holes) == 0 {
		return ""
	}
	return t.holes[0]
}

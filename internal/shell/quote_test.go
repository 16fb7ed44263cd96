package shell

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile are texts that do harm when they are pasted or quoted badly.
var hostile = []string{
	"-n it's", "--it's", "-v'x", "-e it's\x1b", "--", "-'",
	"", "-", "--help", "-rf", "plain", "two words", "a=b", "=cmd", "~root", "{a,b}", "*", "#x", "a;b", "$HOME", "`id`", "$(id)", `"`, "%self", "@splat",
	"it's", `back\slash`, `\'; echo pwned; '`, `'; echo pwned; '`, "wow!!", "a\u001b[201~\u0003\recho pwned\r", "tab\there", "line\nend", "line end\n",
	"\x7f\x80\x9b201~", "nel\u0085", "ls\u2028ps\u2029", "rtl\u202eevil\u2066", "zero\u200bwidth\u200d\ufeff", "\u2018; echo pwned; \u2019", "\u201c$(id)\u201d",
	"invalid \xff\xfe utf-8", "\xe2\x80", "日本語 é", "👩‍💻", "0123\x1b0123", "%d %s", "\\033", "\u3164", "x\ufe0f", "\x01\x02", "\uFFFD",
	`{"path":"C:\\temp","quote":"\"it's\""}`,
}

func TestQuote_IsPrintable(t *testing.T) {
	for _, shell := range []Kind{Bash, POSIX, Fish, PowerShell} {
		for _, text := range hostile {
			got, err := shell.quote(literal(text))
			if err != nil {
				if shell == Bash || shell == Fish {
					t.Errorf("shell %d, %q: %v", shell, text, err)
				}
				continue
			}
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !isVisible(r) }) {
				t.Errorf("shell %d: %q is written as %q", shell, text, got)
			}
			if strings.Contains(got, "!") {
				t.Errorf("shell %d: history expansion in %q", shell, got)
			}
		}
	}
}

func TestQuote(t *testing.T) {
	for _, tc := range []struct {
		shell Kind
		word  Word
		want  string
	}{
		{Bash, literal("message=hi"), "message=hi"},
		{Bash, literal(""), "''"},
		{Bash, literal("two words"), "'two words'"},
		{Bash, literal("it's"), `$'it\047s'`},
		{Bash, literal("a\x1b[201~\r"), `$'a\033[201~\015'`},
		{Bash, Word{{Text: "Authorization: Bearer "}, {Variable: "TOKEN"}}, `'Authorization: Bearer '"$TOKEN"`},
		{Bash, Word{{Variable: "KEY"}}, `"$KEY"`},
		{Bash, Word{{Text: "--key="}, {Variable: "KEY"}}, `--key="$KEY"`},
		{POSIX, literal("it's 5%"), `"$(printf -- 'it\047s 5\045')"`},
		{POSIX, literal("a b"), "'a b'"},
		{Fish, literal("it's"), `'it'\X27's'`},
		{Fish, literal("a=b"), "'a=b'"},
		{PowerShell, literal("call"), "call"},
		{PowerShell, literal("a=$b"), "'a=$b'"},
		{PowerShell, literal("it's 😀"), `"it$([char]39)s $([char]::ConvertFromUtf32(128512))"`},
		{PowerShell, literal("\u2019; pwned"), `"$([char]8217)$([char]59) pwned"`},
		{PowerShell, Word{{Text: "k="}, {Variable: "KEY"}}, `"k=${env:KEY}"`},
	} {
		if got, err := tc.shell.quote(tc.word); err != nil || got != tc.want {
			t.Errorf("shell %d, %q: %s, %v, want %s", tc.shell, tc.word, got, err, tc.want)
		}
	}
	for _, shell := range []Kind{Bash, POSIX, Fish, PowerShell} {
		if got, err := shell.quote(literal("a\x00b")); err == nil {
			t.Errorf("shell %d writes NUL as %q", shell, got)
		}
	}
}

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		path, system string
		want         Kind
	}{
		{"/bin/bash", "linux", Bash},
		{"/usr/bin/zsh", "darwin", Bash},
		{"/opt/homebrew/bin/fish", "darwin", Fish},
		{"/bin/sh", "linux", POSIX},
		{"/bin/dash", "linux", POSIX},
		{"/bin/tcsh", "linux", POSIX},
		{"", "linux", Bash},
		{"", "windows", PowerShell},
		{`C:\Program Files\PowerShell\7\pwsh.exe`, "windows", PowerShell},
		{`C:\Program Files\Git\usr\bin\bash.exe`, "windows", Bash},
	} {
		if got := Of(tc.path, tc.system); got != tc.want {
			t.Errorf("%s on %s: %d, want %d", tc.path, tc.system, got, tc.want)
		}
	}
}

// shells are the programs that run the tests' command lines. bash and sh are on
// every machine with the tests; the others are used where they are installed.
var shells = []struct {
	program string
	options []string
	shell   Kind
	needed  bool
}{
	{"bash", []string{"--norc", "-c"}, Bash, true},
	{"sh", []string{"-c"}, POSIX, true},
	{"dash", []string{"-c"}, POSIX, false},
	{"zsh", []string{"-f", "-c"}, Bash, false},
	{"ksh", []string{"-c"}, Bash, false},
	{"fish", []string{"--no-config", "-c"}, Fish, false},
	{"pwsh", []string{"-NoProfile", "-Command"}, PowerShell, false},
}

// Each word must come out of a real shell as it went in, and in the other shells
// nothing may run.
func TestQuote_InShells(t *testing.T) {
	for _, sh := range shells {
		path, err := exec.LookPath(sh.program)
		if err != nil {
			if sh.needed && exec.Command("true").Run() == nil {
				t.Errorf("%s is not there", sh.program)
			}
			continue
		}
		for _, text := range hostile {
			quoted, err := sh.shell.quote(Word{{Text: text}, {Text: "end"}})
			if err != nil {
				continue
			}
			out, err := exec.Command(path, append(sh.options, "printf %s "+quoted)...).Output()
			if err != nil || string(out) != text+"end" {
				t.Errorf("%s: %q is written as %s and comes out as %q, %v", sh.program, text, quoted, out, err)
			}
		}
		// Command lines for other shells.
		for _, other := range []Kind{Bash, POSIX, Fish, PowerShell} {
			for _, text := range hostile {
				quoted, err := other.quote(literal(text))
				if err != nil || other == sh.shell {
					continue
				}
				out, _ := exec.Command(path, append(sh.options, "true "+quoted)...).CombinedOutput()
				for line := range strings.SplitSeq(string(out), "\n") {
					if strings.TrimSpace(line) == "pwned" || strings.HasPrefix(line, "uid=") {
						t.Errorf("%s runs what is written for shell %d: %s\n%s", sh.program, other, quoted, out)
					}
				}
			}
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	bash, err := exec.LookPath("bash")
	if err != nil && runtime.GOOS == "windows" {
		f.Skip(err)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := Bash.quote(literal(text))
		if err != nil {
			return
		}
		if strings.ContainsFunc(quoted, func(r rune) bool { return !isVisible(r) }) {
			t.Fatalf("%q is written as %q", text, quoted)
		}
		out, err := exec.Command(bash, "--norc", "-c", "printf %s "+quoted).Output()
		if err != nil || string(out) != text {
			t.Fatalf("%q is written as %s and comes out as %q, %v", text, quoted, out, err)
		}
	})
}

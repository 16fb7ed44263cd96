package shell_test

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcptea/internal/shell"
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

// literal is a word of one text.
func literal(text string) shell.Word { return shell.Word{{Text: text}} }

// quoteWord writes a command line of one word.
func quoteWord(kind shell.Kind, w shell.Word) (string, error) {
	return kind.Join([]shell.Word{w})
}

// isVisible reports whether a character is printable: controls, format characters such as those of
// the text direction, separators of lines, blanks but the ASCII one, and characters that fill a
// place without a sign are not.
func isVisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return false
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.Variation_Selector, r)
}

func TestShell_Quote_IsPrintable(t *testing.T) {
	for _, kind := range []shell.Kind{shell.Bash, shell.POSIX, shell.Fish, shell.PowerShell} {
		for _, text := range hostile {
			got, err := quoteWord(kind, literal(text))
			if err != nil {
				if kind == shell.Bash || kind == shell.Fish {
					t.Errorf("shell %d, %q: %v", kind, text, err)
				}
				continue
			}
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !isVisible(r) }) {
				t.Errorf("shell %d: %q is written as %q", kind, text, got)
			}
			if strings.Contains(got, "!") {
				t.Errorf("shell %d: history expansion in %q", kind, got)
			}
		}
	}
}

func TestShell_Quote(t *testing.T) {
	for _, tc := range []struct {
		shell shell.Kind
		word  shell.Word
		want  string
	}{
		{shell.Bash, literal("message=hi"), "message=hi"},
		{shell.Bash, literal(""), "''"},
		{shell.Bash, literal("two words"), "'two words'"},
		{shell.Bash, literal("it's"), `$'it\047s'`},
		{shell.Bash, literal("a\x1b[201~\r"), `$'a\033[201~\015'`},
		{shell.Bash, shell.Word{{Text: "Authorization: Bearer "}, {Variable: "TOKEN"}}, `'Authorization: Bearer '"$TOKEN"`},
		{shell.Bash, shell.Word{{Variable: "KEY"}}, `"$KEY"`},
		{shell.Bash, shell.Word{{Text: "--key="}, {Variable: "KEY"}}, `--key="$KEY"`},
		{shell.POSIX, literal("it's 5%"), `"$(printf -- 'it\047s 5\045')"`},
		{shell.POSIX, literal("a b"), "'a b'"},
		{shell.Fish, literal("it's"), `'it'\X27's'`},
		{shell.Fish, literal("a=b"), "'a=b'"},
		{shell.PowerShell, literal("call"), "call"},
		{shell.PowerShell, literal("a=$b"), "'a=$b'"},
		{shell.PowerShell, literal("it's 😀"), `"it$([char]39)s $([char]::ConvertFromUtf32(128512))"`},
		{shell.PowerShell, literal("\u2019; pwned"), `"$([char]8217)$([char]59) pwned"`},
		{shell.PowerShell, shell.Word{{Text: "k="}, {Variable: "KEY"}}, `"k=${env:KEY}"`},
	} {
		if got, err := quoteWord(tc.shell, tc.word); err != nil || got != tc.want {
			t.Errorf("shell %d, %q: %s, %v, want %s", tc.shell, tc.word, got, err, tc.want)
		}
	}
	for _, kind := range []shell.Kind{shell.Bash, shell.POSIX, shell.Fish, shell.PowerShell} {
		if got, err := quoteWord(kind, literal("a\x00b")); err == nil {
			t.Errorf("shell %d writes NUL as %q", kind, got)
		}
	}
}

func TestShell_Of(t *testing.T) {
	for _, tc := range []struct {
		path, system string
		want         shell.Kind
	}{
		{"/bin/bash", "linux", shell.Bash},
		{"/usr/bin/zsh", "darwin", shell.Bash},
		{"/opt/homebrew/bin/fish", "darwin", shell.Fish},
		{"/bin/sh", "linux", shell.POSIX},
		{"/bin/dash", "linux", shell.POSIX},
		{"/bin/tcsh", "linux", shell.POSIX},
		{"", "linux", shell.Bash},
		{"", "windows", shell.PowerShell},
		{`C:\Program Files\PowerShell\7\pwsh.exe`, "windows", shell.PowerShell},
		{`C:\Program Files\Git\usr\bin\bash.exe`, "windows", shell.Bash},
	} {
		if got := shell.Of(tc.path, tc.system); got != tc.want {
			t.Errorf("%s on %s: %d, want %d", tc.path, tc.system, got, tc.want)
		}
	}
}

// shells are the programs that run the tests' command lines. bash and sh are on
// every machine with the tests; the others are used where they are installed.
var shells = []struct {
	program string
	options []string
	shell   shell.Kind
	needed  bool
}{
	{"bash", []string{"--norc", "-c"}, shell.Bash, true},
	{"sh", []string{"-c"}, shell.POSIX, true},
	{"dash", []string{"-c"}, shell.POSIX, false},
	{"zsh", []string{"-f", "-c"}, shell.Bash, false},
	{"ksh", []string{"-c"}, shell.Bash, false},
	{"fish", []string{"--no-config", "-c"}, shell.Fish, false},
	{"pwsh", []string{"-NoProfile", "-Command"}, shell.PowerShell, false},
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
		const end = "<end of a word>"
		line, want := "printf %s", []string{}
		for _, text := range hostile {
			if quoted, err := quoteWord(sh.shell, shell.Word{{Text: text}, {Text: end}}); err == nil {
				line, want = line+" "+quoted, append(want, text)
			}
		}
		out, err := exec.Command(path, append(sh.options, line)...).Output()
		if got := strings.Split(string(out), end); err != nil || !slices.Equal(got, append(want, "")) {
			t.Errorf("%s: %q is written as %s and comes out as %q, %v", sh.program, want, line, got, err)
		}
		// Command lines for other shells.
		for _, other := range []shell.Kind{shell.Bash, shell.POSIX, shell.Fish, shell.PowerShell} {
			for _, text := range hostile {
				quoted, err := quoteWord(other, literal(text))
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

func FuzzShell_Quote(f *testing.F) {
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
		quoted, err := quoteWord(shell.Bash, literal(text))
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

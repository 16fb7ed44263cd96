package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// hardValues are values with what texts escape, fold or break.
var hardValues = []string{
	"hunter2-Zq9xPw77", "Z9qX7w", "two words here", "two\nlines-of-it", `a"b'c\d`, "50%25 off", "a+b/c==", "[a-z]+(x|y)$", "a?b=c&d#e;f", "пароль密码", "naïve-Zoë", `{"a":"hidden"}`,
	"\u0001\u007fcontrol", "🔑🔑🔑", "MARKa\\b\\n", "server7", strings.Repeat("x1Y-", 2500), "%2Fhidden%00", "&amp;hidden", "MARKé\u0301",
}

// encodings are how programs write a value.
var encodings = map[string]func(string) string{
	"plain":             func(v string) string { return v },
	"upper case":        strings.ToUpper,
	"lower case":        strings.ToLower,
	"query":             url.QueryEscape,
	"path":              url.PathEscape,
	"all percent":       func(v string) string { return eachByte(v, "%%%02X") },
	"some percent":      func(v string) string { return strings.ReplaceAll(url.PathEscape(v), "2", "%32") },
	"percent twice":     func(v string) string { return url.PathEscape(url.PathEscape(v)) },
	"JSON":              jsonOf,
	"JSON in JSON":      func(v string) string { return jsonOf(jsonOf(v)) },
	"query in JSON":     func(v string) string { return jsonOf(url.QueryEscape(v)) },
	"JSON, all \\u":     func(v string) string { return eachUnit(v, `\u%04x`) },
	"Go":                func(v string) string { q := strconv.QuoteToASCII(v); return q[1 : len(q)-1] },
	"Python bytes":      func(v string) string { return eachByte(v, `\x%02x`) },
	"octal":             func(v string) string { return eachByte(v, `\%03o`) },
	"HTML":              html.EscapeString,
	"HTML, numbers":     func(v string) string { return eachRune(v, "&#%d;") },
	"HTML, hexadecimal": func(v string) string { return eachRune(v, "&#x%X;") },
	"quotes of a shell": func(v string) string { return strings.ReplaceAll(v, "'", `'\''`) },
	"quotes of Python":  func(v string) string { return strings.ReplaceAll(v, "'", `'"'"'`) },
	"hexadecimal":       func(v string) string { return hex.EncodeToString([]byte(v)) },
	"HEXADECIMAL":       func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) },
	"dump":              func(v string) string { return strings.TrimSpace(eachByte(v, "%02x ")) },
	"colons":            func(v string) string { return strings.TrimSuffix(eachByte(v, "%02x:"), ":") },
	"characters":        latin1,
	"NFD":               norm.NFD.String,
	"NFC":               norm.NFC.String,
}

func eachByte(v, format string) string {
	var b strings.Builder
	for i := range len(v) {
		fmt.Fprintf(&b, format, v[i])
	}
	return b.String()
}

func eachRune(v, format string) string {
	var b strings.Builder
	for _, r := range v {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func eachUnit(v, format string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(v)) {
		fmt.Fprintf(&b, format, unit)
	}
	return b.String()
}

func jsonOf(v string) string {
	b, _ := json.Marshal(v) // a string always marshals
	return string(b[1 : len(b)-1])
}

// A value is redacted, whole and nothing else, however a program writes it.
func TestValues_Encodings(t *testing.T) {
	for _, value := range hardValues {
		var v Values
		v.Add("another-value", value)
		for name, encode := range encodings {
			const before, after = "Error: bad key <", "> in line 3"
			if got, want := v.Redact(before+encode(value)+after), before+Mark+after; got != want {
				t.Errorf("%.20q, %s: %.80q of %.80q", value, name, got, encode(value))
			}
		}
	}
}

// In Base64 a value is redacted behind and before other bytes: what is left has no bits of it.
func TestValues_Base64(t *testing.T) {
	for _, value := range hardValues {
		if len(value) > 100 {
			continue // its lines are below
		}
		var v Values
		v.Add(value)
		for _, before := range []string{"", "u", "us", "usr", "user:"} {
			for _, after := range []string{"", "@", "@h", "@ho", "@host"} {
				for name, e := range map[string]*base64.Encoding{"std": base64.StdEncoding, "raw": base64.RawStdEncoding, "URL": base64.URLEncoding, "raw URL": base64.RawURLEncoding} {
					text := e.EncodeToString([]byte(before + value + after))
					got := v.Redact("x " + text + " y")
					head, tail, ok := strings.Cut(got, Mark)
					if !ok || strings.Contains(tail, Mark) {
						t.Errorf("%.20q in %q…%q, %s: %.80q of %.80q", value, before, after, name, got, text)
						continue
					}
					// What is left has bits of the other bytes alone.
					if most := 8 * len(before) / 6; len(head)-len("x ") > most || len(tail)-len(" y") > len(text)-(8*(len(before)+len(value))+5)/6 {
						t.Errorf("%.20q in %q…%q, %s: too much is left: %.80q of %.80q", value, before, after, name, got, text)
					}
				}
			}
		}
	}
	var v Values
	v.Add(strings.Repeat("long value ", 20))
	for width := range map[int]bool{64: true, 76: true} {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("long value ", 20)))
		for from := 0; from < len(text); from += width {
			if got := v.Redact(text[from:min(len(text), from+width)]); got != Mark {
				t.Errorf("a line of %d: %s", width, got)
			}
		}
	}
}

// Bytes that are not a value stay unchanged: the same bytes, in the same memory.
func TestValues_NothingFound(t *testing.T) {
	var v Values
	v.Add("hunter2-Zq9xPw77", "sesame")
	v.AddGiven("1234", "PIN99", "a", "abc")
	for _, text := range []string{
		"", "a", "abc", "hunter", "hunter1-Zq9xPw77", "Error: a banana", "port 12345, 01234, x1234", "pin99", "sesam", `C:\new\table 100% &copy; \u00e4`, "'\\''", "%", "\\", "&#;", "&#x;", "&;", `\u{110000000000}`, "port 1234x",
	} {
		if got := v.Redact(text); got != text {
			t.Errorf("%q of %q", got, text)
		}
		if allocs := testing.AllocsPerRun(10, func() { v.Redact("listening on 127.0.0.1, pid 4711, " + "x") }); allocs > 1 {
			t.Errorf("%v allocations", allocs)
		}
	}
	if got := new(Values).Redact("hunter2"); got != "hunter2" {
		t.Error(got)
	}
}

// A short value that the user has given as a secret is redacted where it is a word of its own.
func TestValues_GivenAsSecrets(t *testing.T) {
	var v Values
	v.AddGiven("1234", "s3cr+", "abc", "")
	for text, want := range map[string]string{
		"bad PIN 1234": "bad PIN ••••", "http://h/1234/mcp?x=1234": "http://h/••••/mcp?x=••••", "12345 and 1234é": "12345 and 1234é", "key s3cr%2B or S3CR+, s3cr+": "key •••• or S3CR+, ••••", "abc": "abc",
		"733363722b": "••••",
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	v.Add("1234") // in both ways
	if got := v.Redact("41234"); got != "41234" {
		t.Error(got)
	}
}

// A value that is a word of a language is redacted as a word.
func TestValues_Words(t *testing.T) {
	var v Values
	v.AddGiven("secret", "server", "tools", "Correct", "correcthorsebattery", "secret7")
	for text, want := range map[string]string{
		"client_secret_basic, secrets, secret": "client_secret_basic, secrets, ••••", "the server of servers": "the •••• of servers", "The Server exited": "The •••• exited", "tools and tooling, /tools/": "•••• and tooling, /••••/",
		"xcorrecthorsebatteryx": "x••••x", "asecret7b": "a••••b", "incorrect": "incorrect", "Tools": "Tools", "c2VydmVy": "••••",
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A text that was cut has no beginning of a value at its end.
func TestValues_CutText(t *testing.T) {
	var v Values
	v.Add("hunter2-Zq9xPw77", strings.Repeat("x1Y-", 2500))
	for text, want := range map[string]string{
		"bad hunter2-": "bad ••••", "bad hunter2-Z… of it": "bad ••••… of it", "bad HUNTER2-Zq...": "bad ••••...", "bad hunter2": "bad hunter2", "hunter2-Y": "hunter2-Y",
		"head " + strings.Repeat("x1Y-", 1000): "head ••••", "hunter2- and": "hunter2- and",
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%.40q: %.40q, want %q", text, got, want)
		}
	}
}

// A value that goes on in the next line of a stream is redacted in both.
func TestLines_ValueOverLines(t *testing.T) {
	var v Values
	v.Add("hunter2-Zq9xPw77", "first line\nsecond one", strings.Repeat("x1Y-", 50))
	long := strings.Repeat("x1Y-", 50)
	for name, c := range map[string]struct{ lines, want string }{
		"two pieces":      {"bad hunter2-|Zq9xPw77 it is|Zq9xPw77", "bad ••••|•••• it is|Zq9xPw77"},
		"three pieces":    {"bad hunter2-|Zq9x|Pw77 it is", "bad ••••|••••|•••• it is"},
		"another line":    {"bad hunter2-|and more|Zq9xPw77", "bad ••••|and more|Zq9xPw77"},
		"another end":     {"bad hunter2-|Zq9xP!", "bad ••••|Zq9xP!"},
		"an empty line":   {"bad hunter2-||Zq9xPw77", "bad ••••||Zq9xPw77"},
		"upper case":      {"bad HUNTER2-|ZQ9XPW77", "bad ••••|••••"},
		"value of lines":  {"a first line|second one b", "a ••••|•••• b"},
		"two in one line": {"hunter2-|Zq9xPw77 hunter2-Zq|9xPw77", "••••|•••• ••••|••••"},
		"wrapped":         {long[:70] + "|" + long[70:140] + "|" + long[140:], "••••|••••|••••"},
	} {
		var l Lines
		var got []string
		for line := range strings.SplitSeq(c.lines, "|") {
			got = append(got, l.Redact(&v, line))
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var l Lines
	if got := l.Redact(nil, "hunter2-Zq9xPw77"); got != "hunter2-Zq9xPw77" {
		t.Error(got)
	}
}

// Each line of a value is a value, however lines end.
func TestValues_LinesOfAValue(t *testing.T) {
	var v Values
	v.Add("first line\nsecond one\r\n  third-line  \rx", `fourth one\nfifth`)
	for _, text := range []string{"first line", "second one", "third-line", "fourth one"} {
		if got := v.Redact(text + "!"); got != Mark+"!" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Values that are beside or within each other are redacted, whatever the order.
func TestValues_Neighbors(t *testing.T) {
	var v Values
	v.Add("hunter2-Zq9xPw77", "Zq9xPw77-more", "second", "pass😀")
	for text, want := range map[string]string{
		"hunter2-Zq9xPw77second": "••••••••", "hunter2-Zq9xPw77-more!": "••••!", "secondsecond": "••••••••", "a secondsecond, b": "a ••••••••, b", "xsecondsecond": "xsecondsecond", "secondsecondx": "secondsecondx", `pass\ud83d\ude00`: "••••", "a=second&b=hunter2-Zq9xPw77": "a=••••&b=••••",
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A redacted error is the error that it was.
func TestValues_Error(t *testing.T) {
	var v Values
	v.Add("hunter2-Zq9xPw77")
	err := fmt.Errorf("fork/exec /opt/hunter2-Zq9xPw77/server: %w", fs.ErrNotExist)
	if got := v.Error(err); got.Error() != "fork/exec /opt/••••/server: file does not exist" || !errors.Is(got, fs.ErrNotExist) || !errors.Is(got, err) {
		t.Error(got)
	}
	if got := v.Error(fs.ErrNotExist); got != fs.ErrNotExist { //nolint:errorlint // it is the same one
		t.Error(got)
	}
	if got := v.Error(nil); got != nil {
		t.Error(got)
	}
}

// What is redacted is what a search without tables finds.
func FuzzValues(f *testing.F) {
	f.Add("hunter2-Zq9xPw77", "bad ", " key")
	f.Add("aaaaaa", "a", "aaab")
	f.Add(`\u0061\"%`, "%4", "1")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		var v Values
		v.Add(value, "another-value")
		got := v.Redact(before + value + after)
		if len(value) >= minValue && !isPlainWord(value) && strings.Contains(lower(got), lower(value)) && !strings.Contains(value, Mark) && !strings.Contains(Mark, value) {
			t.Errorf("%q of %q in %q, %q", got, value, before, after)
		}
		if clean := v.Redact(before); !strings.Contains(clean, Mark) && clean != before {
			t.Errorf("%q of %q", clean, before)
		}
	})
}

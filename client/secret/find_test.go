package secret

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// The planted values below have the form of real tokens and are made up.
const (
	githubToken = "ghp_0123456789abcdefghij0123456789abcdef"
	openaiKey   = "sk-proj-abcDEF0123456789abcDEF"
	webToken    = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
	randomValue = "Zk8sQ2pVb3XyLmN4rT6wAe1B"
)

// Text that is not secret stays: it is the evidence of an error.
func TestText_ProseAndConstants(t *testing.T) {
	for _, text := range []string{
		"invalid_token: Token verification failed", `it reports "invalid_token: unexpected \"aud\" claim value"`, "invalid_token: Token audience mismatch: expected https://a.test/mcp", "invalid_token: Bearer token is expired",
		"  code: 'ERR_IMPORT_ASSERTION_TYPE_MISSING',", `{"code":"unexpected_keyword_argument_in_call"}`, "code: 'ERR_PACKAGE_PATH_NOT_EXPORTED'",
	} {
		if got := Text(text); got != text {
			t.Errorf("%q is redacted: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"Authorization: Token verification":              "Authorization: Token ••••", // a password may be a word
		"access_token: Bearer hunter":                    "access_token: Bearer ••••",
		"access_token: Bearer hunter2":                   "access_token: Bearer ••••",
		"code: 'abcdefghijklmnopqrstuvwxyzabcdefghijkl'": "code: '••••'",
		"code: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ_ABCDEFGHIJK'": "code: '••••'",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

// Code that reads a variable is the evidence of a variable that is missing. The name is not a secret, but
// a value after another word is.
func TestText_CodeThatReadsAVariable(t *testing.T) {
	for _, text := range []string{
		`TOKEN=os.environ["TEAROOM_TOKEN"]`, `    api_key = os.environ['KEY']`, `token = os.getenv("TOKEN")`, `const TOKEN = process.env.TOKEN;`, `const token=process.env["T"]`,
		`apiKey: process.env.API_KEY,`, `let secret = std::env::var("SECRET")`, `password = ENV["PASSWORD"]`, `token := os.Getenv("TOKEN")`, `TOKEN = System.getenv("TOKEN")`,
	} {
		if got := Text(text); got != text {
			t.Errorf("%q is redacted: %q", text, got)
		}
	}
	for _, text := range []string{`TOKEN=environ-` + randomValue, `API_KEY=process.environment` + randomValue, `password=ENVIRONMENT4711x`} {
		if got := Text(text); !strings.Contains(got, Mark) {
			t.Errorf("%q is not redacted", text)
		}
	}
}

func TestText_ValueForms(t *testing.T) {
	for text, want := range map[string]string{
		"use " + githubToken + ", please":                                           "use ••••, please",
		"key " + openaiKey:                                                          "key ••••",
		"jwt=" + webToken:                                                           "jwt=••••",
		"Authorization: Bearer " + randomValue:                                      "Authorization: Bearer ••••",
		"sent Bearer " + randomValue + " to it":                                     "sent Bearer •••• to it",
		`{"password":"hunter2","user":"bob"}`:                                       `{"password":"••••","user":"bob"}`,
		"Server=db;User=sa;Password=hunter2;Encrypt=true":                           "Server=db;User=sa;Password=••••;Encrypt=true",
		"dial postgres://bob:hunter2@db:5432/x failed":                              "dial postgres://bob:••••@db:5432/x failed",
		"GET https://h/s/" + randomValue + "/mcp?x=1 gave 404":                      "GET https://h/s/••••/mcp?x=1 gave 404",
		"AWS_ACCESS_KEY_ID is AKIAABCDEFGHIJKLMNOP":                                 "AWS_ACCESS_KEY_ID is ••••",
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest": "••••\nrest",
	} {
		if got := Text(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestText_ProseUnchanged(t *testing.T) {
	for _, text := range []string{
		"error code: -32602", "exit code=1", "Unexpected token: } in JSON at position 4", "token=$TOKEN and key=<your key>",
		"the session: closed", "missing API key: set API_KEY", "sk-learn-and-other-long-names-of-packages", "progressToken: 5", `"progressToken":"call-1"`, `{"_meta":{"progressToken":"call-1"}}`, `the progress token "call-1"`,
		"npm warn deprecated inflight@1.0.6: This module is not supported", "key: value", "id 0f8fad5b-d9cb-469f-a165-70867728950e",
		"https://example.com/docs/authorization/tokens?page=2", "/usr/lib/node_modules/@scope/server-everything/dist/index.js:12:4",
		"Authorization: none", "there is no token: http://127.0.0.1:35965 refused it", "cookie policy", "password: required", "  -t, --token string     access token", "--tls-key file  --tls-key path",
	} {
		if got := Text(text); got != text {
			t.Errorf("%s\n got %s", text, got)
		}
	}
}

// A word that only refers to a secret, or says what it is like, is not redacted.
func TestText_Placeholders(t *testing.T) {
	for _, value := range []string{
		"null", "none", "true", "false", "undefined", "redacted", "missing", "required", "invalid", "expired", "not", "is", "was", "for", "and", "or",
		"string", "strings", "value", "file", "path", "NULL", "$TOKEN", "${TOKEN}", "<token>", "%TOKEN%", "{token}", "[token]", "****", "••••",
		MadeUp, MadeUp[:3], MadeUp + MadeUp, "https://example.com/" + MadeUp,
	} {
		if text := "API_PASSWORD=" + value; Text(text) != text {
			t.Errorf("%s\n got %s", text, Text(text))
		}
	}
	for _, value := range []string{"nullx", "xnone", "falsehood", "mcptexx", "hunter2"} {
		if text := "API_PASSWORD=" + value; Text(text) != "API_PASSWORD="+Mark {
			t.Errorf("%s\n got %s", text, Text(text))
		}
	}
}

func TestArgs_ValueForms(t *testing.T) {
	for _, c := range []struct{ argv, want []string }{
		{[]string{"srv", githubToken}, []string{"srv", "••••"}},
		{[]string{"srv", randomValue}, []string{"srv", "••••"}},
		{[]string{"srv", "--id=" + randomValue}, []string{"srv", "--id=••••"}},
		{[]string{"srv", "-p", "hunter22"}, []string{"srv", "-p", "••••"}},
		{[]string{"mysql", "-phunter22"}, []string{"mysql", "-p••••"}},
		{[]string{"srv", "-k", "hunter22", "-p", "hunter33"}, []string{"srv", "-k", "••••", "-p", "••••"}},
		{[]string{"srv", "-p", "8080", "-k", "-p", "verbose"}, []string{"srv", "-p", "8080", "-k", "-p", "verbose"}},
		{[]string{"srv", "-p", "123456", "-k", "verbose"}, []string{"srv", "-p", "123456", "-k", "verbose"}},
		{[]string{"srv", "-p", "secret7", "-k", "12345a"}, []string{"srv", "-p", "••••", "-k", "••••"}},
		{[]string{"srv", "-p", "SECRET7", "-k", "12345A"}, []string{"srv", "-p", "••••", "-k", "••••"}},
		{[]string{"srv", "Token: value-1 of a word"}, []string{"srv", "Token: ••••"}},
		{[]string{"npx", "-y", "-p", "server2go", "x"}, []string{"npx", "-y", "-p", "server2go", "x"}},
		{[]string{"npx.cmd", "-y", "-p", "server2go", "x"}, []string{"npx.cmd", "-y", "-p", "server2go", "x"}},
		{[]string{"srv", "--connection-string", "Server=x;Password=abc"}, []string{"srv", "--connection-string", "Server=x;Password=••••"}},
		{[]string{"srv", "--password=two words"}, []string{"srv", "--password=••••"}},
		{[]string{"docker", "run", "-e", "API_KEY=two words", "img"}, []string{"docker", "run", "-e", "API_KEY=••••", "img"}},
		{[]string{"srv", "--url", "https://h/mcp/" + openaiKey}, []string{"srv", "--url", "https://h/mcp/****"}},
		{[]string{"/nix/store/0123456789abcdef0123456789abcdef-node/bin/node", "s.js"}, []string{"/nix/store/0123456789abcdef0123456789abcdef-node/bin/node", "s.js"}},
		{[]string{"srv", "--tokenizer-like", "--api-key"}, []string{"srv", "--tokenizer-like", "--api-key"}},
	} {
		if got := Args(c.argv); !slices.Equal(got, c.want) {
			t.Errorf("%q\n got %q\nwant %q", c.argv, got, c.want)
		}
	}
}

// The value of a header is secret by the name alone where the name has a hyphen, the value a scheme, or a
// quotation mark is ahead. In prose, such as a line that begins with the name, it is not.
func TestFind_HeaderLines(t *testing.T) {
	for text, want := range map[string]string{
		`"Token: abc" was refused`:                       `"Token: ••••" was refused`,
		`'Token: abc' was refused`:                       `'Token: ••••' was refused`,
		`curl -H "Token: abc" http://h`:                  `curl -H "Token: ••••" http://h`,
		"curl -H 'Token: abc' http://h":                  "curl -H 'Token: ••••' http://h",
		"X-Api-Token: abc":                               "X-Api-Token: ••••",
		"Authorization: Basic abc":                       "Authorization: Basic ••••",
		`"key: abc" is not set`:                          `"key: abc" is not set`,
		`"code: E404" was sent`:                          `"code: E404" was sent`,
		"Token: abc":                                     "Token: abc",
		"the token: abc":                                 "the token: abc",
		`the "word" of the token: abc`:                   `the "word" of the token: abc`,
		"Token: " + randomValue + " failed":              "Token: •••• failed",
		"Token: teapots1 failed":                         "Token: •••• failed", // one digit
		"Token: 1234567x failed":                         "Token: •••• failed", // one letter
		"Token: 1234567X failed":                         "Token: •••• failed",
		"Token: teapotss failed":                         "Token: teapotss failed",
		"Token: 12345678 failed":                         "Token: 12345678 failed",
		"Token: TEAPOtea failed":                         "Token: TEAPOtea failed",
		"Token: teaservicewithoneverylongcupname failed": "Token: •••• failed", // as long as no word is
		"Token: easervicewithoneverylongcupname failed":  "Token: easervicewithoneverylongcupname failed",
		"Token: teaPOTst failed":                         "Token: teaPOTst failed", // as words of code do
		"Token: teasPOTS failed":                         "Token: •••• failed",
	} {
		if got := Text(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestURL_PathAndQueryValues(t *testing.T) {
	for raw, want := range map[string]string{
		"https://h/mcp/" + openaiKey + "/x":              "https://h/mcp/****/x",
		"https://h/s/" + randomValue + "/mcp?v=1":        "https://h/s/****/mcp?v=1",
		"https://h/mcp?id=" + githubToken:                "https://h/mcp?id=****",
		"https://h/mcp?" + randomValue:                   "https://h/mcp?****",
		"https://h/cb#access_token=abc&x=1":              "https://h/cb#access_token=****&x=1",
		"/messages?sessionId=a642":                       "/messages?sessionId=a642",
		"https://h/0f8fad5b-d9cb-469f-a165-70867728950e": "https://h/0f8fad5b-d9cb-469f-a165-70867728950e",
		"https://h/0F8fad5b-D9cb-469F-a165-70867728950e": "https://h/0F8fad5b-D9cb-469F-a165-70867728950e", // a UUID in any case
		"https://h/0F8fad5b-D9cb-469F-a165-70867728950G": "https://h/****",                                 // none
		"https://h/0F8fad5b-D9cb-469F-a165+70867728950e": "https://h/0F8fad5b-D9cb-469F-a165+70867728950e", // no value of one alphabet
		"https://h/0123456789abcdef0123456789abcdef":     "https://h/****",
		"https://h/0123456789ABCDEF0123456789ABCDEF":     "https://h/****",
		"https://h/0123456789abcdef0123456789abcdeg":     "https://h/0123456789abcdef0123456789abcdeg",
		"https://h/0123456789abcdef0123456789abcde":      "https://h/0123456789abcdef0123456789abcde",
		"https://u:****@h/":                              "https://u:****@h/",
		"https://evil:p@ss@h/x":                          "https://evil:****@h/x",
	} {
		if got := URL(raw); got != want {
			t.Errorf("%s\n got %s\nwant %s", raw, got, want)
		}
	}
}

func TestFindArgs_Variables(t *testing.T) {
	argv := []string{"srv", "--api-key", "k1", "-H", "Authorization: Bearer abc", "https://u:pw@h/?token=t"}
	var got []string
	for _, f := range FindArgs(argv) {
		got = append(got, f.Name+"="+argv[f.Arg][f.Start:f.End])
	}
	if want := []string{"API_KEY=k1", "TOKEN=abc", "PASSWORD=pw", "TOKEN=t"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, argv := range [][]string{{"srv", "-p", "hunter22"}, {"srv", "-phunter22"}, {"srv", "-khunter22"}} {
		if found := FindArgs(argv); len(found) != 1 || found[0].Name != "PASSWORD" {
			t.Errorf("%q: found %v", argv, found)
		}
	}
	if found := Find("sent with Bearer abcdef0123456789"); len(found) != 1 || found[0].Name != "TOKEN" {
		t.Errorf("found %v", found)
	}
}

// The secrets of the user information are found in their order.
func TestURL_UserAndPassword(t *testing.T) {
	const raw, want = "https://ghp_abcdefghij0123456789:hunter2@host/", "https://****:****@host/"
	if got := URL(raw); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestValues_Redact(t *testing.T) {
	var v Values
	v.AddHeader(http.Header{"Authorization": {"Basic Ym9iOmh1bnRlcjIy"}, "X-Api-Key": {"s3cret/value"}, "Accept": {"application/json"}})
	v.Add("short")
	got := v.Redact(`you sent Basic Ym9iOmh1bnRlcjIy (bob:hunter22), key s3cret/value or s3cret%2Fvalue or czNjcmV0L3ZhbHVl; short application/json`)
	want := `you sent Basic •••• (••••), key •••• or •••• or ••••; short application/json`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := (*Values)(nil).Redact("abc"); got != "abc" {
		t.Errorf("nil set: %q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a=b", "https://u:p@h/?token=x")
	f.Add(`"password" : "`, "\xff\xfe")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a + b, a + " " + githubToken + " " + b} {
			found, at := Find(text), 0
			for _, s := range found {
				if s.Start < at || s.End <= s.Start || s.End > len(text) || s.Name == "" {
					t.Fatalf("%q: %+v", text, found)
				}
				at = s.End
			}
		}
		if strings.Contains(Text(a+" "+githubToken+" "+b), githubToken) && !strings.Contains(a+b, githubToken) {
			t.Fatalf("%q %q", a, b)
		}
		for _, s := range FindURL(a + b) {
			_ = (a + b)[s.Start:s.End]
		}
	})
}

// URLs begin and end in a text where the pattern says.
func FuzzURLsIn(f *testing.F) {
	pattern := regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>|;)\\]+`)
	for _, text := range []string{
		"see https://h/a?b=c, or (file:///x y) and a://b://c", "9a://x 1://x://y http:// a://b@c", "a://", "://", "://a://b", "é+x.y-z://é\xff;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := pattern.FindAllStringIndex(text, -1)
		for start, end := range urlsIn(text) {
			if len(want) == 0 || want[0][0] != start || want[0][1] != end {
				t.Fatalf("a URL is found at %d to %d, want %v, in %q", start, end, want, text)
			}
			want = want[1:]
		}
		if len(want) > 0 {
			t.Fatalf("no URL is found at %v in %q", want, text)
		}
	})
}

// Of Basic credentials the password alone is known, too; a value of less than six bytes would
// hide ordinary words.
func TestValues_PasswordAndLeastLength(t *testing.T) {
	var v Values
	v.AddHeader(http.Header{"Authorization": {"Basic Ym9iOmh1bnRlcjIy"}, "X-Api-Key": {"abc-12"}, "X-Auth": {"abc-3"}})
	if got, want := v.Redact("no user bob with hunter22, key abc-12, auth abc-3"), "no user bob with ••••, key ••••, auth abc-3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A value of the user is masked in each form that a text has it in, and whole: also where a part of it is
// masked by its form.
func TestValues_FormsAndOrder(t *testing.T) {
	for _, value := range []string{"two words here", `quo"ted\'x`, "a&b;c<d>=e", "п@роль:/x", `{"a":"hidden"}`, "https://u:part@h.example/?t=hidden-part", "/hidden/path/x", "a+b/c==", "100%2Fhidden"} {
		var v Values
		v.Add(value)
		u := url.URL{Scheme: "https", Host: "h.test", Path: "/a/" + value + "/b"}
		for name, text := range map[string]string{
			"plain": v.Redact("x " + value + " y"), "Go": v.Redact(fmt.Sprintf("cannot start %q", value)), "path": v.Redact(u.String()), "segment": v.Redact(url.PathEscape(value)),
			"query": v.Redact(url.QueryEscape(value)), "URL": v.RedactURL("https://h.test/x?q=" + url.QueryEscape(value)), "URL itself": v.RedactURL(value),
			"form in lower case": v.Redact("b=" + lowerPercent(url.QueryEscape(value)) + "&c"),
			"component":          v.Redact(strings.ReplaceAll(url.QueryEscape(value), "+", "%20")), "path in lower case": v.Redact(lowerPercent(u.String())), "wire": v.Redact("/x?q=" + ValidQuery(value)),
			"JSON in ASCII": v.Redact(`{"x":"` + asciiJSON(value, "") + `"}`), "JSON for HTML": v.Redact(`{"x":"` + asciiJSON(value, "<>&") + `"}`), "HTML": v.Redact("<b>" + html.EscapeString(value) + "</b>"),
			"shell": v.Redact("'" + strings.ReplaceAll(value, "'", `'\''`) + "'"), "bytes as characters": v.Redact(latin1(value)), "Base64 of URLs": v.Redact(base64.URLEncoding.EncodeToString([]byte(value))),
			"header": v.RedactHeader(http.Header{"X-Thing": {"pre " + value}}).Get("X-Thing"), "Authorization": v.RedactHeader(http.Header{"Authorization": {"Bearer " + value}}).Get("Authorization"),
		} {
			for _, part := range []string{"hidden", "words", "quo", "b;c", "part", value} {
				if strings.Contains(value, part) && strings.Contains(text, part) {
					t.Errorf("%s, %s: %s", value, name, text)
				}
			}
		}
	}
}

// A value is masked in XML that escapes what it has to, and no quotation marks.
func TestValues_XML(t *testing.T) {
	var v Values
	v.Add(`se"cr<et>&x`)
	if got := v.Redact(`<v>se"cr&lt;et&gt;&amp;x</v>`); got != "<v>••••</v>" {
		t.Errorf("got %s", got)
	}
}

// A value is masked in the JSON of servers that escape all but ASCII, and what a browser could read as HTML.
func TestValues_JSONEscapes(t *testing.T) {
	for value, texts := range map[string][]string{
		"pässwort":     {`p\u00e4sswort`},
		"pass😀word":    {`pass\ud83d\ude00word`},
		"a<b>c&d":      {`a\u003cb\u003ec\u0026d`},
		"ä<b>c&d":      {`\u00e4<b>c&d`, `ä\u003cb\u003ec\u0026d`, `\u00e4\u003cb\u003ec\u0026d`},
		"one\x01two":   {`one\u0001two`},
		"one\x1ftwo":   {`one\u001ftwo`},
		"one\x7ftwo":   {`one\u007ftwo`},
		"one\n\t\rtwo": {`one\n\t\rtwo`},
		`one"\two`:     {`one\"\\two`},
		"one two~3":    {`one two~3`},
	} {
		var v Values
		v.Add(value)
		for _, text := range texts {
			if got := v.Redact(`{"echo":"` + text + `"}`); got != `{"echo":"••••"}` {
				t.Errorf("%s", got)
			}
		}
	}
}

// lowerPercent has the digits of percent-encoded bytes in lower case.
func lowerPercent(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(text[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// asciiJSON is a text in a string of JSON, with escapes for what is not ASCII, and for further characters.
func asciiJSON(text, further string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r >= 0x7f || strings.ContainsRune(further, r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

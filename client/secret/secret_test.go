package secret

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestHeaderURLArgs_Redacted(t *testing.T) {
	h := Header(http.Header{
		"Authorization":  {"Bearer abcdef"},
		"X-Api-Key":      {"k123"},
		"Mcp-Session-Id": {"0123456789abcdef"},
		"Content-Type":   {"application/json"},
		"Cookie":         {"sid=abc123; theme=dark"},
		"X-Auth":         {"zzz"},
		"Location":       {"/cb?code=abc&x=1"},
		"Referer":        {"/cb?x=1&token=abc"},
	})
	for name, want := range map[string]string{
		"Authorization": "Bearer •••• (6 characters)", "X-Api-Key": "•••• (4 characters)",
		"Mcp-Session-Id": "01234567… (16 characters)", "Content-Type": "application/json",
		"Cookie": "•••• (22 characters)", "X-Auth": "•••• (3 characters)",
		"Location": "/cb?code=****&x=1", "Referer": "/cb?x=1&token=****",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for url, want := range map[string]string{
		"https://u:secret@h/mcp?token=abc&x=1":  "https://u:****@h/mcp?token=****&x=1",
		"http://h/p?q=1":                        "http://h/p?q=1",
		"https://sk-live@h/mcp?code=abc&sig=d":  "https://****@h/mcp?code=****&sig=****",
		"http://h/%zz?token=abc":                "(not a URL)",
		"http://h/cb?x=1#access_token=abc&y=2":  "http://h/cb?x=1#access_token=****&y=2",
		"http://h/cb#id_token=abc;code=d?sig=e": "http://h/cb#id_token=****;code=****?sig=****",
	} {
		if got := URL(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	got := Args([]string{
		"node", "s.js", "--api-key", "k", "--token=t", "API_KEY=v", "--verbose", "x",
		"postgres://bob:hunter2@db/x", "--header", "Authorization: Bearer sk", "https://h/mcp?a=1&token=sk", "--url=http://u:p@h", "C:\\x", "a:b",
	})
	want := []string{
		"node", "s.js", "--api-key", "••••", "--token=••••", "API_KEY=••••", "--verbose", "x",
		"postgres://bob:****@db/x", "--header", "Authorization: Bearer ••••", "https://h/mcp?a=1&token=****", "--url=http://u:****@h", "C:\\x", "a:b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// The argument of sh -c is shown unchanged, except for the secrets in it.
func TestArgs_Script(t *testing.T) {
	for script, want := range map[string]string{
		"echo Server listening on http://localhost:3000/mcp; sleep 60": "echo Server listening on http://localhost:3000/mcp; sleep 60",
		"curl 'https://u:pw@h/x?token=t&a=1' | sh":                     "curl 'https://u:••••@h/x?token=••••&a=1' | sh",
		"A=1 API_KEY=k  node s.js":                                     "A=1 API_KEY=••••  node s.js",
		`API_KEY="k with spaces" node s.js`:                            `API_KEY="••••" node s.js`,
		"s --api-key k --verbose x":                                    "s --api-key •••• --verbose x",
		"s --token=t; other":                                           "s --token=••••; other",
		`npx r -H "Authorization: Bearer sk" --x y`:                    `npx r -H "Authorization: Bearer ••••" --x y`,
		`npx r -H "X-Api-Key:sk" --x y`:                                `npx r -H "X-Api-Key:••••" --x y`,
		"node -e 'require(\"x\")'":                                     "node -e 'require(\"x\")'",
		"echo a: b://":                                                 "echo a: b://",
	} {
		if got := Args([]string{script})[0]; got != want {
			t.Errorf("%s\n got %s\nwant %s", script, got, want)
		}
	}
}

func FuzzArgs(f *testing.F) {
	f.Add("A=1 --token \"x", "-H")
	f.Add("https://u:p@h/ x", "--key")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := Args([]string{a, b}); len(got) != 2 {
			t.Fatalf("%q", got)
		}
		secret := Args([]string{"run --api-key S3CR3T " + strings.TrimLeft(a, "-")})[0]
		if strings.Contains(secret, "S3CR3T") && !strings.Contains(a, "S3CR3T") {
			t.Fatalf("%q", secret)
		}
	})
}

// Each bound drops the oldest of its kind; a value that is added again counts as new.
func TestValues_Bounds(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("value-%04d", i) }
	bearer := func(v *Values, i int) { v.AddHeader(http.Header{"Authorization": {"Bearer " + name(i)}}) }
	proof := func(v *Values, i int) { v.AddHeader(http.Header{"Dpop": {name(i)}}) }
	for _, tt := range []struct {
		kind  string
		add   func(*Values, int)
		limit int
	}{{"tokens", bearer, maxValues}, {"proofs of DPoP", proof, maxOneTime}} {
		t.Run(tt.kind, func(t *testing.T) {
			var v Values
			v.AddForm(formType, []byte("client_secret=hunter2hunter2"))
			if tt.limit == maxValues {
				v = Values{}
			}
			for i := range tt.limit {
				tt.add(&v, i)
			}
			if got := v.Redact(name(0)); got != Mark {
				t.Errorf("%d values: the first one is %q", tt.limit, got)
			}
			tt.add(&v, 0) // again: the second one is the oldest now
			tt.add(&v, tt.limit)
			for i, want := range map[int]string{0: Mark, 1: name(1), 2: Mark, tt.limit: Mark} {
				if got := v.Redact(name(i)); got != want {
					t.Errorf("value %d is %q after %d, want %q", i, got, tt.limit+1, want)
				}
			}
			if tt.limit == maxOneTime {
				if got := v.Redact("hunter2hunter2"); got != Mark {
					t.Errorf("the client secret is %q", got)
				}
			}
		})
	}
}

// TestValues_OfAFlood has a peer that sends more secrets than are kept: those of the user stay.
func TestValues_OfAFlood(t *testing.T) {
	var v Values
	v.AddHeader(http.Header{"Authorization": {"Bearer correct horse battery"}})
	v.AddHeader(http.Header{"Dpop": {"proof-of-possession"}})
	var b strings.Builder
	for i := range 2 * maxLearned {
		fmt.Fprintf(&b, `,{"password":"generated-%04d"}`, i)
	}
	JSON([]byte("["+b.String()[1:]+"]"), &v, nil)
	const echo = "you sent: correct horse battery, proof-of-possession, generated-0511"
	if got, want := v.Redact(echo), "you sent: ••••, ••••, ••••"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(v.known) + len(v.learned) + len(v.proof); n > maxValues+maxLearned+maxOneTime {
		t.Errorf("%d values are known", n)
	}
}

// TestJSON_MadeUp has arguments that mcptea made up for properties with secret names: they are
// shown, and the name of the program is not redacted from then on.
func TestJSON_MadeUp(t *testing.T) {
	for _, value := range []string{MadeUp, "mcpteamcptea", "mcpteamc", "mcp", "https://example.com/mcptea"} {
		var v Values
		frame := `{"arguments":{"secret":"` + value + `","password":"hunter2hunter2"},"by":"mcptea hunter2hunter2"}`
		want := `{"arguments":{"secret":"` + value + `","password":"••••"},"by":"mcptea ••••"}`
		if got := string(JSON([]byte(frame), &v, nil)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for text, want := range map[string]string{`{"secret":"mcpteaX"}`: `{"secret":"••••"}`, "-12": "-12", "[1]": "[1]", `{"password":1e+5}`: `{"password":"••••"}`, `{"password":-1.5E-3,"a":1}`: `{"password":"••••","a":1}`} {
		if got := string(JSON([]byte(text), nil, nil)); got != want {
			t.Error(got)
		}
	}
}

// A short session id is a secret as well.
func TestHeaders_ShortSessionID(t *testing.T) {
	for id, want := range map[string]string{"abc": "a… (3 characters)", "12345678": "1234… (8 characters)", "x": "… (1 characters)"} {
		if got := headerValue("Mcp-Session-Id", id); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}

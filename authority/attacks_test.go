package authority_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcptea/authority"
)

// Pages in a browser on the same machine must not use the authority.
func TestHandler_OtherPages(t *testing.T) {
	r := start(t, authority.Options{})
	const form = `{"redirect_uris":["http://127.0.0.1:1/x"],"token_endpoint_auth_method":"none"}`
	own, err := url.Parse(r.Issuer())
	if err != nil {
		t.Fatal(err)
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	origin := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Origin", name) }
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"no browser":            {nil, http.StatusCreated},
		"its own page":          {origin(r.Issuer()), http.StatusCreated},
		"localhost":             {host("localhost:" + own.Port()), http.StatusCreated},
		"IPv6":                  {host("[::1]:" + own.Port()), http.StatusCreated},
		"rebound name":          {host("evil.example"), http.StatusForbidden},
		"rebound with port":     {host("evil.example:" + own.Port()), http.StatusForbidden},
		"name with localhost":   {host("localhost.evil.example"), http.StatusForbidden},
		"name with 127.0.0.1":   {host("127.0.0.1.evil.example"), http.StatusForbidden},
		"other address":         {host("192.168.0.1"), http.StatusForbidden},
		"unspecified address":   {host("0.0.0.0:" + own.Port()), http.StatusForbidden},
		"other origin":          {origin("https://evil.example"), http.StatusForbidden},
		"opaque origin":         {origin("null"), http.StatusForbidden},
		"origin of other port":  {origin("http://127.0.0.1:1"), http.StatusForbidden},
		"origin with localhost": {origin("http://localhost.evil.example:" + own.Port()), http.StatusForbidden},
	} {
		if got := r.send(http.MethodPost, "/register", form, c.change); got.status != c.status {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// A code is sent only to programs on this machine.
func TestRegister_RedirectURIs(t *testing.T) {
	r := start(t, authority.Options{})
	for uri, ok := range map[string]bool{
		"http://127.0.0.1/callback":              true,
		"http://localhost:3000/callback":         true,
		"http://[::1]:3000/callback":             true,
		"https://localhost/callback":             true,
		"com.example.app:/callback":              true,
		"cursor://anysphere.cursor-mcp/callback": true,
		"https://evil.example/callback":          false,
		"http://evil.example/callback":           false,
		"http://localhost.evil.example/callback": false,
		"http://127.0.0.1@evil.example/callback": false,
		"http://user@127.0.0.1/callback":         false,
		"http://127.0.0.1:99999999/callback":     false,
		"http://127.0.0.1:0/callback":            false,
		"http://2130706433/callback":             false,
		"http://127.1/callback":                  false,
		"http://localhost%2eevil.example/x":      false,
		"http:///callback":                       false,
		"vbscript:x":                             false,
		"intent://x#Intent;end":                  false,
		"http://127.0.0.1/callback#fragment":     false,
		"http://127.0.0.1/callback#":             false,
		"http://0x7f.1.evil.example/":            false,
		"//127.0.0.1/callback":                   false,
		"/callback":                              false,
		"javascript:alert(1)":                    false,
		"web+evil:x":                             false,
		"irc://evil.example/x":                   false,
		"smb://evil/x":                           false,
		"jar:http://evil!/x":                     false,
		"ms-msdt:x":                              false,
		"tel:1":                                  false,
		"a.:x":                                   false,
		"x..y:/z":                                false,
		"JavaScript:alert(1)":                    false,
		"java\tscript:alert(1)":                  false,
		" javascript:alert(1)":                   false,
		"data:text/html,x":                       false,
		"file:///etc/passwd":                     false,
		"view-source:http://127.0.0.1/":          false,
		"blob:http://127.0.0.1/x":                false,
		"http://127.0.0.1/\r\nSet-Cookie: a=b":   false,
		"":                                       false,
	} {
		text := strings.NewReplacer("\t", `\t`, "\r", `\r`, "\n", `\n`).Replace(uri)
		got := r.send(http.MethodPost, "/register", `{"redirect_uris":["`+text+`"]}`, nil)
		if (got.status == http.StatusCreated) != ok {
			t.Errorf("%q: %d %s", uri, got.status, got.body)
		}
	}
}

func TestAuthorize_RedirectURIs(t *testing.T) {
	r := start(t, authority.Options{})
	client := r.register()
	for uri, ok := range map[string]bool{
		"http://127.0.0.1:65000/callback":          true, // any port of loopback
		"http://127.0.0.1:65000/callback?a=b":      false,
		"http://127.0.0.1:65000/callback/":         false,
		"http://127.0.0.1:65000/other":             false,
		"http://localhost:65000/callback":          false,
		"https://127.0.0.1:65000/callback":         false,
		"HTTP://127.0.0.1:65000/callback":          false,
		"http://[::1]:65000/callback":              false,
		"http://127.0.0.1:65000/callback;x":        false,
		"http://127.0.0.1:65000\\@evil.example/":   false,
		"http://evil.example/callback":             false,
		"http://127.0.0.1:1@evil.example/callback": false,
		"http://127.0.0.1:65000/callback#x":        false,
		"http://127.0.0.1:65000/../callback":       false,
	} {
		q := authorization(client)
		q.Set("redirect_uri", uri)
		got := r.send(http.MethodGet, "/authorize?"+q.Encode(), "", nil)
		if (got.status == http.StatusFound) != ok {
			t.Errorf("%q: %d %s", uri, got.status, got.body)
		}
		if !ok && got.header.Get("Location") != "" {
			t.Errorf("%q: an error is sent to %s", uri, got.header.Get("Location"))
		}
	}
}

// A navigation that a web page may have caused gets no code without the user.
func TestAuthorize_ConsentOfPages(t *testing.T) {
	r := start(t, authority.Options{})
	client := r.register()
	at := "/authorize?" + authorization(client).Encode()
	for site, status := range map[string]int{"": http.StatusFound, "none": http.StatusFound, "same-origin": http.StatusFound, "cross-site": http.StatusOK, "same-site": http.StatusOK, "other": http.StatusOK} {
		got := r.send(http.MethodGet, at, "", func(req *http.Request) {
			if site != "" {
				req.Header.Set("Sec-Fetch-Site", site)
			}
		})
		if got.status != status {
			t.Errorf("Sec-Fetch-Site %q: %d", site, got.status)
		}
	}
}

// pageToken returns the one-time token of a consent page.
func pageToken(page string) string {
	_, rest, _ := strings.Cut(page, `name="request" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	return token
}

func TestConsent_OncePerPage(t *testing.T) {
	r := start(t, authority.Options{Page: true})
	q := authorization(r.register())
	q.Set("scope", `<script>alert(1)</script>" onload="x`)
	page := r.send(http.MethodGet, "/authorize?"+q.Encode(), "", nil)
	if strings.Contains(page.body, "<script") || strings.Contains(page.body, `" onload=`) {
		t.Errorf("the page has a text of the client unescaped: %s", page.body)
	}
	if page.header.Get("X-Frame-Options") != "DENY" || !strings.Contains(page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("the page can be framed: %v", page.header)
	}
	form := url.Values{"request": {pageToken(page.body)}, "do": {"allow"}}
	first := r.send(http.MethodPost, "/consent", form.Encode(), nil)
	second := r.send(http.MethodPost, "/consent", form.Encode(), nil)
	if first.status != http.StatusFound || first.redirected().Get("code") == "" || second.status != http.StatusForbidden {
		t.Errorf("%d, then %d", first.status, second.status)
	}
	if got := r.send(http.MethodPost, "/consent", "request=guessed&do=allow", nil); got.status != http.StatusForbidden {
		t.Errorf("a guessed page: %d", got.status)
	}
	denied := url.Values{"request": {pageToken(r.send(http.MethodGet, "/authorize?"+authorization(r.register()).Encode(), "", nil).body)}, "do": {"deny"}}
	if got := r.send(http.MethodPost, "/consent", denied.Encode(), nil); got.redirected().Get("error") != "access_denied" || got.redirected().Get("code") != "" {
		t.Errorf("denied: %v", got.redirected())
	}
}

// A request that tries to get a token without right.
func TestToken_Attacks(t *testing.T) {
	r := start(t, authority.Options{})
	client, other := r.register(), r.register()
	set := func(name, value string) func(url.Values) { return func(q url.Values) { q.Set(name, value) } }
	for name, change := range map[string]func(url.Values){
		"other verifier":     set("code_verifier", "another-verifier-of-at-least-forty-three-characters"),
		"no verifier":        func(q url.Values) { q.Del("code_verifier") },
		"challenge for it":   set("code_verifier", authorization(client).Get("code_challenge")),
		"other client":       set("client_id", other),
		"unknown client":     set("client_id", "unknown"),
		"no client":          func(q url.Values) { q.Del("client_id") },
		"other redirect":     set("redirect_uri", "http://127.0.0.1:9/other"),
		"other resource":     set("resource", "https://other.example/mcp"),
		"guessed code":       set("code", "code_guess"),
		"no code":            func(q url.Values) { q.Del("code") },
		"code as refresh":    func(q url.Values) { q.Set("grant_type", "refresh_token"); q.Set("refresh_token", q.Get("code")) },
		"client credentials": set("grant_type", "client_credentials"),
		"password":           set("grant_type", "password"),
		"no grant":           func(q url.Values) { q.Del("grant_type") },
	} {
		form := exchange(client, r.code(client))
		change(form)
		if got := r.token(form, nil); got.status/100 != 4 || got.member("access_token") != "" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	for name, change := range map[string]func(url.Values){
		"no challenge":    func(q url.Values) { q.Del("code_challenge") },
		"plain challenge": set("code_challenge_method", "plain"),
		"token response":  set("response_type", "token"),
		"fragment":        set("resource", "https://other.example/mcp#x"),
	} {
		q := authorization(client)
		change(q)
		if got := r.send(http.MethodGet, "/authorize?"+q.Encode(), "", nil); got.redirected().Get("code") != "" {
			t.Errorf("%s: a code was issued", name)
		}
	}
}

// What a request contains is bounded, and what is remembered too.
func TestHandler_Bounds(t *testing.T) {
	r := start(t, authority.Options{})
	if got := r.send(http.MethodGet, "/authorize?a="+strings.Repeat("x", 20<<10), "", nil); got.status != http.StatusRequestURITooLong {
		t.Errorf("a query of 20 KiB: %d", got.status)
	}
	if got := r.send(http.MethodPost, "/register", `{"client_name":"`+strings.Repeat("x", 70<<10)+`"}`, nil); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of 70 KiB: %d", got.status)
	}
	client := r.register()
	code := r.code(client)
	for range 2100 { // more than are remembered
		r.Forge("code", authority.Grant{Client: client, Resource: resource})
	}
	if got := r.token(exchange(client, code), nil); got.status != http.StatusBadRequest {
		t.Errorf("the oldest code is remembered: %d", got.status)
	}
}

// Secrets are in no report, even in a wrong place.
func TestSeen_NoSecret(t *testing.T) {
	var seen []authority.Seen
	r := start(t, authority.Options{Seen: func(s authority.Seen) { seen = append(seen, s) }})
	client := r.register()
	code := r.code(client)
	got := r.token(exchange(client, code), nil)
	access, refresh := got.member("access_token"), got.member("refresh_token")
	confidential := r.send(http.MethodPost, "/register", `{"redirect_uris":["http://127.0.0.1:1/x"]}`, nil)
	secret := confidential.member("client_secret")
	misplaced := authorization(client)
	misplaced.Set("client_id", refresh)
	r.send(http.MethodGet, "/authorize?"+misplaced.Encode(), "", nil)
	misplaced = authorization(client)
	misplaced.Set("redirect_uri", "http://127.0.0.1:1/"+code)
	misplaced.Set("scope", access)
	misplaced.Set(secret, "name")
	r.send(http.MethodGet, "/authorize?"+misplaced.Encode(), "", nil)
	r.send(http.MethodGet, "/"+refresh+"/"+access, "", func(req *http.Request) { req.Header.Set("User-Agent", "agent "+code) })
	r.send(http.MethodPost, "/register", `{"client_name":"`+refresh+`","redirect_uris":["http://127.0.0.1:1/`+code+`"]}`, nil)
	r.send(http.MethodPost, "/introspect", url.Values{"token": {access}}.Encode(), nil)
	page := pageToken(r.send(http.MethodGet, "/authorize?"+authorization(client).Encode(), "", func(req *http.Request) { req.Header.Set("Sec-Fetch-Site", "cross-site") }).body)
	r.send(http.MethodGet, "/consent/"+page, "", nil)
	r.send(http.MethodPost, "/revoke", url.Values{"token": {refresh}}.Encode(), nil)
	r.send(http.MethodPost, "/token", url.Values{"grant_type": {secret}, "client_id": {confidential.member("client_id")}, "client_secret": {secret}}.Encode(), nil)
	text := jsonOf(t, seen) + jsonOf(t, r.Summary())
	for name, value := range map[string]string{"code": code, "access token": access, "refresh token": refresh, "client secret": secret, "verifier": verifier, "page": page} {
		if value == "" || strings.Contains(text, value) {
			t.Errorf("the %s is in the report", name)
		}
	}
}

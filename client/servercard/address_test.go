package servercard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The first and the last address of each private range are private, those beside it are not, in each form.
func TestAddress_Ranges(t *testing.T) {
	for _, c := range []struct{ private, public string }{
		{"10.0.0.0 10.255.255.255", "9.255.255.255 11.0.0.0"},
		{"172.16.0.0 172.31.255.255", "172.15.255.255 172.32.0.0"},
		{"192.168.0.0 192.168.255.255", "192.167.255.255 192.169.0.0"},
		{"169.254.0.0 169.254.169.254 169.254.255.255", "169.253.255.255 169.255.0.0"},
		{"127.0.0.0 127.255.255.255", "126.255.255.255 128.0.0.0"},
		{"0.0.0.0 0.255.255.255", "1.0.0.0"},
		{"100.64.0.0 100.127.255.255", "100.63.255.255 100.128.0.0"},
		{"192.0.0.0 192.0.0.255", "191.255.255.255 192.0.1.0"},
		{"198.18.0.0 198.19.255.255", "198.17.255.255 198.20.0.0"},
		{"224.0.0.0 240.0.0.0 255.255.255.255", "223.255.255.255"},
		{":: ::1 fc00:: fdff:ffff::1 fe80::1 febf::1 fec0::1 feff::1 ff02::1", "2606:4700::1 fbff::1 fe00::1 2000::1"},
		{"::ffff:10.0.0.1 ::ffff:100.64.0.1 ::ffff:0.1.2.3 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::10.0.0.1 64:ff9b::10.0.0.1 2002:0a00:0001::1 2001:0:1::1 64:ff9b:1::1", "::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::8.8.8.8 2002:0808:0808::1 2001:1::1"},
		{"fe80::1%eth0 ::1%1 fec0::1%eth0 64:ff9b::10.0.0.1%1", "2606:4700::1%eth0"},
		{"127.1 127.0.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 0300.0250.1 10.1 0xA.0.0.1 3232235521 0 2852039166 127.0.0.1. 0x7F.0.0.1 00", "134744072 0x08080808 8.8 010.8.8.8 8.8.8.8."},
		{"localhost LOCALHOST a.localhost localhost. localhost.localdomain printer printer.local metadata.google.internal x.home.arpa nas.lan a.intranet x.corp", "example.com localhost.example.com local.example localhostx.com 1.2.3.4.5 256.1.1.1.example"},
		{"１２７.0.0.1 127。0。0。1 ⑩.0.0.1 ｌocalhost １６９.２５４.１６９.２５４", "bücher.example"},
	} {
		for host := range strings.FieldsSeq(c.private) {
			if !isLocal(host) {
				t.Errorf("%s is not private", host)
			}
			if ip, err := netip.ParseAddr(host); err == nil {
				if err := refusePrivate("tcp", netip.AddrPortFrom(ip, 80).String(), nil); err == nil {
					t.Errorf("%s is connected to", host)
				}
			}
		}
		for host := range strings.FieldsSeq(c.public) {
			if isLocal(host) {
				t.Errorf("%s is private", host)
			}
			if ip, err := netip.ParseAddr(host); err == nil {
				if err := refusePrivate("tcp", netip.AddrPortFrom(ip, 80).String(), nil); err != nil {
					t.Errorf("%s is not connected to: %v", host, err)
				}
			}
		}
	}
	if refusePrivate("tcp", "no address", nil) == nil {
		t.Error("what is no address is connected to")
	}
}

// A proxy is asked for nothing in a private network when the host of the catalog is public, and for all
// that is public over https.
func TestDiscover_PrivateThroughProxy(t *testing.T) {
	urls := []string{
		"http://10.0.0.5/admin", "https://10.0.0.6/x", "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/x", "https://localhost:8443/x",
		"https://0x7f000001/x", "https://metadata.google.internal/x", "http://public.example.org/x", "http://127.0.0.1/x", "https://a:b@[::ffff:127.0.0.1]/x",
	}
	var mu sync.Mutex
	var asked []string // under mu, until the proxy is closed
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.Host)
		mu.Unlock()
		if r.URL.Path != wellKnown[0] {
			http.NotFound(w, r)
			return
		}
		var entries []string
		for i, u := range urls {
			entries = append(entries, fmt.Sprintf(`{"identifier":"%d","type":%q,"url":%q}`, i, cardType, u))
		}
		w.Header().Set("Content-Type", catalogType)
		_, _ = w.Write([]byte(`{"specVersion":"1.0","entries":[` + strings.Join(entries, ",") + `]}`))
	}))
	t.Cleanup(proxy.Close)
	through, _ := url.Parse(proxy.URL)
	where := func(home string) Where {
		return Where{URL: home, proxy: func(*http.Request) (*url.URL, error) { return through, nil }}
	}
	d, err := Discover(t.Context(), where("http://public.example/mcp"))
	if err != nil || len(d.Cards) != len(urls)+1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if slices.ContainsFunc(asked, func(a string) bool { return a != "GET public.example" }) {
		t.Errorf("the proxy was asked for %q", asked)
	}
	for i, c := range d.Cards[1:] {
		want := errPrivate.Error()
		if strings.Contains(urls[i], "public.example.org") {
			want = "it is not https, and was not fetched"
		}
		if c.Absent != want || strings.Contains(c.URL, "a:b@") {
			t.Errorf("%s: %q, %s", urls[i], c.Absent, c.URL)
		}
	}
	asked = nil
	if _, err := Discover(t.Context(), where("http://10.0.0.1/mcp")); err != nil || !slices.Contains(asked, "GET 10.0.0.5") || !slices.Contains(asked, "CONNECT 10.0.0.6:443") {
		t.Errorf("a catalog of the own network: %q, %v", asked, err)
	}
}

// User and password of a URL of the host, of a card and of a redirect are neither sent nor shown.
func TestDiscover_NoUserOfAURL(t *testing.T) {
	s, asked := cardHost(t, map[string]string{ // fails with credentials
		"/.well-known/ai-catalog.json": catalogType + ` {"specVersion":"1.0","entries":[{"identifier":"a","type":"` + cardType + `","url":"/a"},{"identifier":"b","type":"` + cardType + `","url":"{login}/b"}]}`,
		"/a":                           "redirect {login}/moved",
		"/moved":                       cardOf(ownRemote),
		"/b":                           cardOf(ownRemote),
	})
	host := strings.TrimPrefix(s.URL, "http://")
	d := discovered(t, "http://user:hunter2@"+host+"/mcp?token=x")
	if len(d.found()) != 2 || !slices.Contains(*asked, "/moved") || !slices.Contains(*asked, "/b") {
		t.Errorf("%+v, asked %q", d.Cards, *asked)
	}
	for _, c := range d.Cards {
		if strings.Contains(c.URL, "hunter2") {
			t.Errorf("it is shown: %s", c.URL)
		}
	}
}

// An entry without a URL leads nowhere, and one with the URL of the catalog is told as that; neither is read
// as a card.
func TestDiscover_EntryWithoutURL(t *testing.T) {
	entry := func(url string) string {
		return `{"identifier":"i","type":"` + cardType + `"` + url + `}`
	}
	s, asked := cardHost(t, map[string]string{
		"/.well-known/ai-catalog.json": catalogType + ` {"specVersion":"1.0","entries":[` + strings.Join([]string{
			entry(""), entry(`,"url":""`), entry(`,"url":5`), entry(`,"url":null`),
			entry(`,"url":"#x"`), entry(`,"url":"?"`), entry(`,"url":"?a=b"`), entry(`,"url":"ai-catalog.json"`), entry(`,"url":"./x/../ai-catalog.json#y"`),
		}, ",") + `]}`,
	})
	d := discovered(t, s.URL)
	if n := len(*asked); n != 2 || len(d.Cards) != 6 || len(d.found()) != 0 {
		t.Errorf("asked %q, %+v", *asked, d.Cards)
	}
	wrong := problems(&d, nil)
	if strings.Count(wrong["CARD-01"], `one of "url" and "data" is required`) != 4 || strings.Count(wrong["CARD-02"], "it is the URL of the catalog itself") != 5 || len(wrong) != 2 {
		t.Errorf("%q", wrong)
	}
}

package apps

import (
	"net/url"
	"strings"
	"testing"
)

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		entry, address string
		want           bool
	}{
		{"https://a.example", "https://a.example/x", true},
		{"https://a.example", "https://A.EXAMPLE:443/x", true},
		{"https://a.example", "https://a.example:8443/x", false},
		{"https://a.example:*", "https://a.example:8443/x", true},
		{"https://a.example", "https://b.a.example/x", false},
		{"https://*.a.example", "https://b.a.example/x", true},
		{"https://*.a.example", "https://a.example/x", false},
		{"https://a.example", "http://a.example/x", false},
		{"http://a.example", "https://a.example/x", true},
		{"https://a.example", "wss://a.example/x", false},
		{"ws://a.example", "wss://a.example/x", true},
		{"wss://a.example", "wss://a.example/x", true},
		{"a.example", "https://a.example/x", true},
		{"https:", "https://a.example/x", true},
		{"wss:", "https://a.example/x", true},
		{"HTTPS:", "https://a.example/x", true},
		{"data:", "https://a.example/x", false},
		{"blob:", "https://a.example/x", false},
		{"*", "https://a.example/x", true},
		{"https://a.example/path", "https://a.example/other", true},
		{"", "https://a.example", false},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := covers([]string{c.entry}, u); got != c.want {
			t.Errorf("%q permits %s: %v", c.entry, c.address, got)
		}
	}
}

func TestRead_Bounds(t *testing.T) {
	for name, text := range map[string]string{
		"tags":         strings.Repeat(`<img src="https://a.example/a">`, maxLoads+1),
		"data":         strings.Repeat(`<img src="data:,x">`, maxLoads) + strings.Repeat(`<img src="https://a.example/a">`, maxLoads),
		"styles":       "<style>" + strings.Repeat(`x { background: url(https://a.example/a) }`, maxLoads+1) + "</style>",
		"open strings": "<style>" + strings.Repeat("url(", 10*maxURLs) + "</style>",
	} {
		p := read(text)
		if len(p.loads) > maxLoads || p.urls > maxURLs {
			t.Errorf("%s: %d loads, %d URLs", name, len(p.loads), p.urls)
		}
		if name != "open strings" && len(p.loads) != maxLoads {
			t.Errorf("%s: %d loads", name, len(p.loads))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`<!doctype html><style>@import "https://a.example"; body{height:100vh}p{background:url( 'x' )}</style><script src=x></script>`)
	f.Add(`<img srcset="a 1x, https://c.example 2x" style="background:url(//d.example/x"><a target=_blank download>`)
	f.Fuzz(func(t *testing.T, text string) {
		p := read(text)
		for i := range p.loads {
			l := &p.loads[i]
			u, relative := l.target()
			if relative && u != nil || u != nil && u.Host == "" {
				t.Errorf("%+v leads to %v", l, u)
			}
			if u != nil {
				covers([]string{l.url, "https://*.a.example:*", "a:b:c", "://"}, u)
			}
		}
	})
}

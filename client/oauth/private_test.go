package oauth

import (
	"net/url"
	"strings"
	"testing"

	"mcptea/client/step"
)

func TestCheckURL_PrivateAddresses(t *testing.T) {
	for _, tt := range []struct{ server, named, refused string }{
		{"https://mcp.example.com/mcp", "https://login.example.com/as", ""},
		{"https://mcp.example.com/mcp", "https://203.0.113.7/as", ""},
		{"https://mcp.example.com/mcp", "https://169.254.169.254/as", "a link-local address"},
		{"https://mcp.example.com/mcp", "https://[fe80::1]/as", "a link-local address"},
		{"https://mcp.example.com/mcp", "https://[::ffff:169.254.169.254]/as", "a link-local address"},
		{"https://mcp.example.com/mcp", "https://10.0.0.1/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://192.168.1.1:8443/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://100.64.1.1/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://[64:ff9b::a00:1]/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://[fd00::1]/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://localhost:8443/as", "of this machine"},
		{"https://mcp.example.com/mcp", "https://127.0.0.1/as", "of this machine"},
		{"https://mcp.example.com/mcp", "https://0.0.0.0/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://１０.0.0.5/as", "a private network"}, // forms that a transport or resolver accepts
		{"https://mcp.example.com/mcp", "https://１２７.0.0.1/as", "of this machine"},
		{"https://mcp.example.com/mcp", "https://2130706433/as", "of this machine"},
		{"https://mcp.example.com/mcp", "https://127.1/as", "of this machine"},
		{"https://mcp.example.com/mcp", "https://0xa000005/as", "a private network"},
		{"https://mcp.example.com/mcp", "https://169.254.43518/as", "a link-local address"},
		{"http://localhost:3000/mcp", "https://10.0.0.1/as", ""},
		{"http://localhost:3000/mcp", "http://127.0.0.1:9000/as", ""},
		{"https://10.1.1.1/mcp", "https://10.0.0.1/as", ""},
		{"https://mcp.corp.internal/mcp", "https://10.0.0.1/as", ""},
		{"http://localhost:3000/mcp", "https://169.254.169.254/as", "a link-local address"},
	} {
		server, err := url.Parse(tt.server)
		if err != nil {
			t.Fatal(err)
		}
		named, err := url.Parse(tt.named)
		if err != nil {
			t.Fatal(err)
		}
		f := &flow{a: &Authorizer{server: server}, cfg: &Config{}, list: step.NewList(1, nil)}
		err = f.checkURL(named, "the authorization server")
		if (err != nil) != (tt.refused != "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s names %s: %v", tt.server, tt.named, err)
		}
		f = &flow{a: &Authorizer{server: server}, cfg: &Config{Lenient: true}, list: step.NewList(1, nil)}
		if err := f.checkURL(named, "the authorization server"); err != nil {
			t.Errorf("%s names %s, with leniency: %v", tt.server, tt.named, err)
		}
	}
}

package remedy_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/shell"
	"mcptea/internal/test/oauthtest"
	"mcptea/session/explain/failure"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
)

// What no line shows of a server does not go with the URL that the user changes it to, or agrees to: its
// client certificate, one that is not verified, and what its authorization server knows the client by. A
// path of the same origin keeps them.
func TestRemedy_OtherOriginForgetsTheClient(t *testing.T) {
	flags := []shell.Flag{{Name: "insecure", Value: "true", Bool: true}, {Name: "cert", Value: "c.pem"}, {Name: "client-id", Value: "me"}, {Name: "cacert", Value: "ca.pem"}, {Name: "tls-server-name", Value: "c.test"}}
	link := session.Link{
		Target:        client.Target{URL: "https://a.test/mcp", TLS: mcphttp.TLS{Insecure: true, Certificate: &tls.Certificate{}, ServerName: "c.test"}},
		Authorization: &oauth.Config{Client: oauth.Client{ID: "me", Secret: remedySecret}, Grant: oauth.Workload{}, Scopes: []string{"all"}, Version: "1"},
	}
	ways := map[string]func(r remedy.Run, to string) (remedy.Run, error){
		"the user edits the line": func(r remedy.Run, to string) (remedy.Run, error) { return r.Parse(to) },
		"a URL is agreed to":      remedy.Run.Elsewhere,
		"a URL is set":            func(r remedy.Run, to string) (remedy.Run, error) { return r.With("url", to) },
		"authorized after a token": func(r remedy.Run, to string) (remedy.Run, error) {
			r, err := r.With("url", to)
			return r.WithoutToken(link), err
		},
		"authorized after a token that was typed there": func(r remedy.Run, to string) (remedy.Run, error) {
			r, err := r.With("url", to)
			if err != nil {
				return r, err
			}
			if r, err = r.Hidden("token", "wrong-token", "wrong-token"); r.Link.Authorization != nil {
				t.Error("there is a token, and an authorization")
			}
			return r.WithoutToken(link), err
		},
	}
	for name, change := range ways {
		for to, same := range map[string]bool{"https://a.test/other": true, "https://a.test:8443/mcp": false, "https://b.test/mcp": false, "http://a.test/mcp": false} {
			r, err := change(remedy.NewRun(link, flags), to)
			if err != nil {
				t.Fatal(err)
			}
			l, named := r.Link, func(name string) bool {
				return slices.ContainsFunc(r.Flags(), func(f shell.Flag) bool { return f.Name == name })
			}
			if kept := l.Target.TLS.Insecure || l.Target.TLS.Certificate != nil || l.Authorization.Client.ID != "" || l.Authorization.Client.Secret != "" || l.Authorization.Grant != nil || l.Authorization.Scopes != nil || named("insecure") || named("cert") || named("client-id"); kept != same {
				t.Errorf("%s, %s: kept is %t: %+v, %+v, %v", name, to, kept, l.Target.TLS, l.Authorization, r.Flags())
			}
			if secret := l.Authorization.Client.Secret; (secret == remedySecret) != same {
				t.Errorf("%s, %s: the secret of the client is %q", name, to, secret)
			}
			if l.Authorization.Version != "1" {
				t.Errorf("%s, %s: no authorization", name, to)
			}
		}
	}
	if link.Authorization.Client.Secret == "" || link.Target.TLS.Certificate == nil {
		t.Error("the link before was changed")
	}
}

func TestRemedy_WaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials, begin := 0, time.Now()
		target := client.Target{URL: "http://127.0.0.1:3000/mcp", Dial: func(context.Context, string, string) (net.Conn, error) {
			if dials++; dials < 4 {
				return nil, errors.New("connection refused")
			}
			conn, _ := net.Pipe()
			return conn, nil
		}}
		if err := remedy.WaitFor(t.Context(), target); err != nil || dials != 4 || time.Since(begin) > time.Minute {
			t.Errorf("%v after %d attempts", err, dials)
		}
		dials = -1 << 30
		if err := remedy.WaitFor(t.Context(), target); err == nil || !strings.Contains(err.Error(), "10 min") {
			t.Errorf("it never ends: %v", err)
		}
	})
}

// authorizing is a session with a server that requires a token, in which the user gives consent.
func authorizing(t *testing.T, setup oauthtest.Setup) *session.Session {
	t.Helper()
	server := oauthtest.Start(setup)
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	s, err := session.Open(session.Config{
		Target: client.Target{URL: server.URL()}, Record: "off", Client: client.Config{Name: "mcptea"},
		Authorization: &oauth.Config{OpenBrowser: func(_ context.Context, at oauth.Consent) error {
			resp, err := http.Get(at.URL)
			if err != nil {
				return err
			}
			return resp.Body.Close()
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.WithoutCancel(t.Context())) })
	return s
}

// A refused authorization is repeated with what its remedy sets, and goes on.
func TestRemedy_OfAnAuthorization(t *testing.T) {
	without := func(name string) func(map[string]any) map[string]any {
		return func(document map[string]any) map[string]any { delete(document, name); return document }
	}
	for name, tt := range map[string]struct {
		setup             oauthtest.Setup
		way               remedy.Way
		flag, typed, text string // text is that of the flag
	}{
		"no registration": {
			oauthtest.Setup{Clients: map[string]string{"mine": ""}, ServerMetadata: without("registration_endpoint")},
			remedy.Type, "client-id", "mine", "--client-id …",
		},
		"a violation": {oauthtest.Setup{ServerMetadata: without("code_challenge_methods_supported")}, remedy.Agree, "lenient", "true", "--lenient"},
		"a scope that is unknown": {
			oauthtest.Setup{Scope: "mcp", Callback: func() func(q url.Values) {
				first := true
				return func(q url.Values) {
					if first {
						q.Del("code")
						q.Set("error", "invalid_scope")
					}
					first = false
				}
			}()},
			remedy.Type, "scope", "mcp", "--scope …",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := authorizing(t, tt.setup)
			run := remedy.NewRun(s.Link(), nil)
			err := s.Connect(t.Context())
			if err == nil {
				t.Fatal("it is authorized at once")
			}
			all := remedy.Of(failure.Explain(err, failure.FactsOf(s)), run, err)
			i := slices.IndexFunc(all, func(r remedy.Remedy) bool { return r.Flag == tt.flag })
			if i < 0 || all[i].Way != tt.way || all[i].FlagText() != tt.text {
				t.Fatalf("the remedies of %v are %+v", err, all)
			}
			next, err := run.With(tt.flag, all[i].Setting(tt.typed))
			if err != nil {
				t.Fatal(err)
			}
			if line := remedyText(t, next); !strings.HasPrefix(line, "--"+tt.flag) {
				t.Errorf("the line is %s", line)
			} else if again, err := next.Parse(line); err != nil || remedyText(t, again) != line {
				t.Errorf("the line %s is not read as it is written: %v", line, err)
			}
			s.SetLink(next.Link)
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if run.Link.Authorization.Lenient || run.Link.Authorization.Client.ID != "" || run.Link.Authorization.Scopes != nil {
				t.Error("the link of the attempt before has changed")
			}
		})
	}
}

// A wrong token gives way to an authorization, with what was set for it before.
func TestRemedy_AuthorizesAfterAToken(t *testing.T) {
	s := authorizing(t, oauthtest.Setup{Scope: "mcp", Clients: map[string]string{"mine": ""}})
	given := s.Link()
	r, err := remedy.NewRun(given, nil).With("client-id", "mine")
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.Hidden("token", "wrong-token", "wrong-token"); err != nil {
		t.Fatal(err)
	}
	s.SetLink(r.Link)
	if err := s.Connect(t.Context()); err == nil {
		t.Fatal("the wrong token is accepted")
	}
	r = r.WithoutToken(given)
	if id := r.Link.Authorization.Client.ID; id != "mine" {
		t.Errorf("the client is %q", id)
	}
	s.SetLink(r.Link)
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

package pane_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/session/session"
)

const address = "https://login.example.com/authorize?client_id=client-7&code_challenge=8HpUHrvdpPmAiS9dewmuPUnBhhyF4FyIwBXk-75eBdI" +
	"&code_challenge_method=S256&redirect_uri=http%3A%2F%2F127.0.0.1%3A44813%2Fcallback&resource=https%3A%2F%2Fmcp.example.com%2Fmcp" +
	"&response_type=code&scope=mcp&state=g6k2upF0nuj993Wlz4EVK5q4WnUWf6dimWA1rBYI0-g"

// asked is a page while consent is required.
func asked(t *testing.T) *serverBench {
	b := newServerBench(t, client.Target{URL: "https://mcp.example.com/mcp"})
	b.st.Steps = []client.Step{
		{Index: 0, Name: client.StepDiscover, State: running, Start: serverNoon, Deadline: serverNoon.Add(30 * time.Second)},
		{Index: 1, Name: client.StepResponse},
	}
	b.tokens(oauth.Running)
	b.refresh(42 * time.Second)
	return b
}

// tokens are the steps to a token, up to consent.
func (b *serverBench) tokens(consent oauth.State) {
	for i, st := range []oauth.Step{
		{Name: oauth.StepChallenge, Detail: "401 Unauthorized, Bearer", State: oauth.Done, Took: 4 * time.Microsecond},
		{Name: oauth.StepResource, Detail: "https://mcp.example.com/.well-known/oauth-protected-resource/mcp: https://mcp.example.com/mcp", State: oauth.Done, Took: 80 * time.Millisecond},
		{Name: oauth.StepServer, Detail: "https://login.example.com", State: oauth.Done},
		{Name: oauth.StepMetadata, Detail: "https://login.example.com/.well-known/openid-configuration", State: oauth.Done, Took: 90 * time.Millisecond, Remarks: []string{"https://login.example.com/.well-known/oauth-authorization-server: not found (404)"}},
		{Name: oauth.StepClient, Detail: "client-7, registered now", State: oauth.Done, Took: 50 * time.Millisecond},
		{Name: oauth.StepConsent, Detail: "waiting for consent in the browser", State: consent, URL: address, Deadline: serverNoon.Add(5 * time.Minute)},
		{Name: oauth.StepToken},
	} {
		st.Flow, st.Index, st.Of, st.Start = 1, i, 7, serverNoon
		b.st.Authorization = append(b.st.Authorization, st)
	}
}

func TestServer_SomebodyIsAsked(t *testing.T) {
	b := asked(t)
	if b.p.Badge() != "!" || !b.busy || !b.p.Consents() {
		t.Errorf("badge %q, busy %v", b.p.Badge(), b.busy)
	}
	b.sees(b.screen(80, 40), "within 4m18s and give your consent", "waits for a token", "o open page", "times out in 4m18s")
	golden.RequireEqual(t, b.screen(80, 22)+b.screen(120, 36))
}

func TestServer_WhatTheKeysDoWhileSomebodyIsAsked(t *testing.T) {
	b := asked(t)
	for key, want := range map[string]string{
		"o": "say: " + address + " of the authorization server", "y": "copy address of the page: " + address, "x": "",
		"enter": "say: " + address + " of the authorization server",
	} {
		if asked := b.at.Press(key); asked != want {
			t.Errorf("%s does %q", key, asked)
		}
	}
	if report := b.p.Report(); strings.Contains(report, "g6k2upF0") || !strings.Contains(report, "login.example.com") {
		t.Errorf("the report would let others answer:\n%s", report)
	}
}

func TestServer_NobodyAgreed(t *testing.T) {
	b := asked(t)
	b.st.Authorization = nil
	b.tokens(oauth.Failed)
	const why = "no consent in the browser within 5 min"
	b.st.Authorization[5].Detail = why
	b.st.Steps[0].State, b.st.Steps[0].Detail, b.st.Phase = failed, why, session.Failed
	b.st.Err = &client.ConnectError{Step: client.StepDiscover, Err: &transport.AuthorizationError{
		Status: &transport.StatusError{Method: "POST", URL: "https://mcp.example.com/mcp", Status: 401}, Err: errors.New(why),
	}}
	b.refresh(6 * time.Minute)
	b.at.Press("space")
	s := b.screen(120, 36)
	b.sees(s, "Connection failed", "no consent in the browser within 5 min.", "authorization", "✗  consent", "(404)")
	if strings.Contains(s, "code_challenge") || b.p.Consents() {
		t.Errorf("consent is still requested:\n%s", s)
	}
}

func TestServer_TokenOfAReadyConnection(t *testing.T) {
	b := asked(t)
	b.st.Authorization = nil
	b.tokens(oauth.Done)
	b.st.Authorization[6].State, b.st.Authorization[6].Detail = oauth.Done, "Bearer token for mcp, expires in 1h00m"
	b.st.Phase = session.Ready
	b.refresh(time.Minute)
	s := b.screen(120, 60)
	b.sees(s, "token       Bearer token for mcp, expires in 1h00m, since 10:31:07", "(404)")
	if strings.Contains(s, "consent") {
		t.Errorf("the steps are still there:\n%s", s)
	}
}

func TestServer_Consent_HostAndUserinfo(t *testing.T) {
	b := asked(t)
	b.st.Authorization[5].URL = "https://accounts.google.com:x@evil.example/authorize?client_id=c"
	b.refresh(42 * time.Second)
	s := b.screen(120, 40)
	b.sees(s, "host        evil.example", "The part before the @ is not the host.", "Open this page on this machine within")
	b.st.Authorization[5].Opened = true
	b.refresh(42 * time.Second)
	b.sees(b.screen(120, 40), "This page was opened in your browser.")
}

// A server decides how long the address is, and not what is on the screen.
// A step-up says which request was refused, and what it asks for, above the page.
func TestServer_Consent_SaysWhatIsAskedForAgain(t *testing.T) {
	b := asked(t)
	for i := range b.st.Authorization {
		b.st.Authorization[i].Flow = 2
	}
	b.st.Authorization[0].Detail = `403 Forbidden to tools/call admin, Bearer insufficient_scope, scope "mcp:admin"`
	b.st.Authorization[5].URL = strings.Replace(address, "scope=mcp", "scope=mcp+mcp%3Aadmin", 1)
	b.refresh(42 * time.Second)
	b.sees(b.screen(120, 36), "why         403 Forbidden to tools/call admin, Bearer insufficient_scope", "scope       mcp mcp:admin")
	long := strings.Repeat("c", 900_000)
	b.st.Authorization[0].Detail += long
	b.st.Authorization[5].URL += "&scope=" + long
	b.refresh(43 * time.Second)
	b.sees(b.screen(120, 36), "host        login.example.com", "more characters; y copies all of it")
}

func TestServer_Consent_HugeClientID(t *testing.T) {
	b := asked(t)
	b.st.Authorization[5].URL = "https://login.example.com/authorize?client_id=" + strings.Repeat("c", 900_000) + "&state=s"
	b.st.Authorization[4].Detail = strings.Repeat("c", 900_000) + ", registered now"
	b.refresh(42 * time.Second)
	b.sees(b.screen(120, 36), "host        login.example.com", "more characters; y copies all of it", "cancel", "consent")
	if len(b.at.Press("y")) < 900_000 {
		t.Error("the copy is cut")
	}
}

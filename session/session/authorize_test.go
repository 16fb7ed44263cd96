package session

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/test/oauthtest"
	"mcptea/record/store"
)

// guarded is a session with a server that requires tokens. ask is called with the page.
func guarded(t *testing.T, ask func(*Session, oauth.Consent) error) (s *Session, file string) {
	t.Helper()
	server := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "session.jsonl")
	s, err := Open(Config{
		Target: client.Target{URL: server.URL()}, Record: file, Client: client.Config{Name: "mcptea"},
		Authorization: &oauth.Config{OpenBrowser: func(_ context.Context, at oauth.Consent) error { return ask(s, at) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return s, file
}

// agree opens the page as the user would.
func agree(_ *Session, at oauth.Consent) error {
	resp, err := http.Get(at.URL)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TestAuthorization_ShownAndRecorded(t *testing.T) {
	consents := 0
	s, file := guarded(t, func(s *Session, at oauth.Consent) error {
		consents++
		return agree(s, at)
	})
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	steps := s.State().Authorization
	if n := len(steps); n != 7 || steps[n-1].Name != oauth.StepToken || steps[n-1].State != oauth.Done {
		t.Errorf("the steps are %+v", steps)
	}
	exchanges := 0
	for i := range s.Store().Snapshot().Rows {
		r, _ := s.Store().Row(int32(i))
		if r.Kind != store.KindExchange || r.Dir == transport.In { // the 401 itself
			continue
		}
		exchanges++
		body, err := s.Store().Body(int32(i))
		x, ok := s.Store().ExchangeOf(r.Exchange)
		if err != nil || !ok || r.Status() != x.Status || !strings.HasPrefix(string(body), `{"s":`) || !strings.HasSuffix(string(body), "}") {
			t.Errorf("row %d: %s, %v", i, body, err)
		}
	}
	if exchanges != 4 {
		t.Errorf("%d exchanges are rows", exchanges)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if consents != 1 {
		t.Errorf("the user was asked %d times", consents)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"k":"auth","flow":1,"step":"consent","state":"done"`, `state=%2A%2A%2A%2A"`, `"said":"client_id=`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the recording does not have %s", want)
		}
	}
	for _, secret := range []string{"access-", "refresh-", "code-"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the recording has %s:\n%s", secret, text)
		}
	}
}

func TestAuthorization_Cancelled(t *testing.T) {
	s, _ := guarded(t, func(s *Session, _ oauth.Consent) error {
		go s.CancelAuthorization()
		return nil
	})
	err := s.Connect(t.Context())
	var refused *transport.AuthorizationError
	if !errors.Is(err, oauth.ErrCancelled) || !errors.As(err, &refused) {
		t.Errorf("it failed with %v", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestClose_EndsAuthorization(t *testing.T) {
	asked := make(chan struct{})
	s, _ := guarded(t, func(*Session, oauth.Consent) error {
		close(asked)
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- s.Connect(context.Background()) }()
	<-asked
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("it connected")
	}
}

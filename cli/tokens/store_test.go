package tokens_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/cli/tokens"
	"mcptea/client/oauth"
)

// The files of a store, in its directory: the tokens, and what is locked while they change.
const (
	tokensFile = "authorizations.json"
	tokensLock = "authorizations.lock"
)

// pocket is a keyring.
type pocket struct {
	held map[string]string
	err  error // why it cannot be used
}

func (p *pocket) Get(key string) (string, error) {
	if text, ok := p.held[key]; ok && p.err == nil {
		return text, nil
	}
	return "", errors.Join(p.err, tokens.ErrNoSecret)
}

func (p *pocket) Set(key, secret string) error {
	if p.err == nil {
		p.held[key] = secret
	}
	return p.err
}

func (p *pocket) Delete(key string) error {
	delete(p.held, key)
	return p.err
}

func saved(resource, issuer string) oauth.StoredToken {
	return oauth.StoredToken{
		Resource: resource, Issuer: issuer,
		Client: oauth.Client{ID: "me", Secret: "hush-client", Issuer: issuer, RedirectURI: "http://127.0.0.1:1/callback"},
		Token: oauth.Token{
			Access: "hush-access", Refresh: "hush-refresh", Type: "DPoP", Scopes: []string{"a", "b"},
			Expires: time.Now().Add(time.Hour).UTC().Truncate(time.Second), Key: []byte("hush-key"),
		},
	}
}

func TestSecrets_GoToTheKeyring(t *testing.T) {
	ring, dir := &pocket{held: map[string]string{}}, filepath.Join(t.TempDir(), "state")
	s := tokens.With(dir, ring)
	s.Warn = func(text string) { t.Errorf("a warning for nothing: %s", text) }
	want := saved("https://h/mcp", "https://issuer")
	if err := errors.Join(s.Save(want), s.Save(saved("https://h/mcp", "https://other")), s.Save(want)); err != nil {
		t.Fatal(err)
	}
	got, err := tokens.With(dir, ring).Load("https://h/mcp")
	if err != nil || len(got) != 2 {
		t.Fatalf("%d entries, %v", len(got), err)
	}
	if !reflect.DeepEqual(want, got[0]) {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
	if other, err := s.Load("https://h/other"); err != nil || len(other) > 0 {
		t.Errorf("another resource got %v, %v", other, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, tokensFile))
	if err != nil || strings.Contains(string(text), "hush") {
		t.Errorf("%v; the file has a secret:\n%s", err, text)
	}
	if err := s.Forget(want); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 || list[0].Issuer != "https://other" || len(ring.held) != 1 {
		t.Errorf("left are %v and %d secrets, %v", list, len(ring.held), err)
	}
}

func TestWithoutKeyring(t *testing.T) {
	for name, ring := range map[string]tokens.Keyring{"none": nil, "broken": &pocket{err: errors.New("no bus")}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := tokens.With(dir, ring)
			var warnings []string
			s.Warn = func(text string) { warnings = append(warnings, text) }
			want := saved("https://h/mcp", "https://issuer")
			if err := errors.Join(s.Save(want), s.Save(want)); err != nil {
				t.Fatal(err)
			}
			if len(warnings) != 1 || !strings.Contains(warnings[0], tokensFile) {
				t.Errorf("warned of %q", warnings)
			}
			got, err := s.Load("https://h/mcp")
			if err != nil || len(got) != 1 {
				t.Fatalf("%d entries, %v", len(got), err)
			}
			if !reflect.DeepEqual(want, got[0]) {
				t.Errorf("got %+v, want %+v", got[0], want)
			}
			info, err := os.Stat(filepath.Join(dir, tokensFile))
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if err := s.Forget(want); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, tokensFile))
			if err != nil || strings.Contains(string(text), "hush") {
				t.Errorf("%v; it was not forgotten:\n%s", err, text)
			}
		})
	}
}

func TestSave_InvalidFileIsKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, tokensFile)
	if err := os.WriteFile(path, []byte("my notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tokens.With(dir, nil)
	if err := s.Save(saved("r", "i")); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "my notes" {
		t.Errorf("now it says %q", text)
	}
}

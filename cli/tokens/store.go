package tokens

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/internal/system"
)

const (
	fileName = "authorizations.json"
	lockName = "authorizations.lock"
	version  = 1

	maxFile = 16 << 20 // bytes
)

// Store keeps authorizations in a folder and a keyring. Its methods may be
// called from any goroutine, and several processes may use one folder.
type Store struct {
	dir  string
	ring Keyring // keyring, or nil to store everything in the file

	// Warn, unless nil, is called with warnings for the user: secrets are stored in a file, or other users
	// could read it. It must be set before the first use.
	Warn func(text string)

	mu     sync.Mutex
	warned bool
}

var _ oauth.Store = (*Store)(nil)

// Open returns the store in a folder, which is made when something is kept.
// Secrets go to the keyring of the system.
func Open(dir string) *Store { return With(dir, systemKeyring{}) }

// With is like [Open], but with another keyring, or without one if it is nil.
func With(dir string, ring Keyring) *Store { return &Store{dir: dir, ring: ring} }

// Entry describes a stored authorization without its secrets.
type Entry struct {
	Resource string    `json:"resource"`
	Issuer   string    `json:"issuer"`
	ClientID string    `json:"client_id"`
	Saved    time.Time `json:"saved"`

	Type        string    `json:"type,omitempty"`
	Scopes      []string  `json:"scopes,omitempty"`
	Expires     time.Time `json:"expires,omitzero"`
	Refreshable bool      `json:"refreshable,omitempty"`

	AuthMethod    string    `json:"auth_method,omitempty"`
	RedirectURI   string    `json:"redirect_uri,omitempty"`
	ClientExpires time.Time `json:"client_expires,omitzero"`

	// Secret is set when the keyring could not be used.
	Secret *secret `json:"secret,omitempty"`
}

// InFile reports whether the secrets are in the file.
func (e Entry) InFile() bool { return e.Secret != nil }

// secret holds the values that others must not be able to read.
type secret struct {
	Access       string `json:"access"`
	Refresh      string `json:"refresh,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"`
	Key          []byte `json:"key,omitempty"`
}

// key returns the name of an entry in the keyring: a hash, which reveals nothing.
func (e Entry) key() string {
	sum := sha256.Sum256([]byte(e.Resource + "\n" + e.Issuer + "\n" + e.ClientID))
	return hex.EncodeToString(sum[:16])
}

// document is the content of the file.
type document struct {
	Version int     `json:"mcptea_authorizations"`
	Entries []Entry `json:"entries"` // entries, newest first
}

// List returns the stored entries, newest first.
func (s *Store) List() ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.read()
	return d.Entries, err
}

// Load implements [oauth.Store].
func (s *Store) Load(resource string) ([]oauth.StoredToken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.read()
	if err != nil {
		return nil, err
	}
	var found []oauth.StoredToken
	var failed error
	for _, e := range d.Entries {
		if e.Resource != resource {
			continue
		}
		text, err := s.secretOf(e)
		switch {
		case errors.Is(err, ErrNoSecret):
			continue // the entry was deleted from the keyring
		case err != nil:
			failed = err
			continue
		}
		found = append(found, e.withSecret(text))
	}
	if len(found) > 0 {
		failed = nil
	}
	return found, failed
}

func (e Entry) withSecret(x secret) oauth.StoredToken {
	return oauth.StoredToken{
		Resource: e.Resource, Issuer: e.Issuer,
		Client: oauth.Client{
			ID: e.ClientID, Secret: x.ClientSecret, Issuer: e.Issuer,
			AuthMethod: e.AuthMethod, RedirectURI: e.RedirectURI, Expires: e.ClientExpires,
		},
		Token: oauth.Token{Access: x.Access, Refresh: x.Refresh, Type: e.Type, Scopes: e.Scopes, Expires: e.Expires, Key: x.Key},
	}
}

func (s *Store) secretOf(e Entry) (x secret, err error) {
	if e.Secret != nil {
		return *e.Secret, nil
	}
	if s.ring == nil {
		return x, ErrNoSecret
	}
	text, err := s.ring.Get(e.key())
	if err != nil {
		return x, err
	}
	if json.Unmarshal([]byte(text), &x) != nil {
		return x, ErrNoSecret
	}
	return x, nil
}

// Save implements [oauth.Store]. If the keyring cannot be used, or the token is too long for it,
// Save writes the file.
func (s *Store) Save(saved oauth.StoredToken) error {
	e := Entry{
		Resource: saved.Resource, Issuer: saved.Issuer, ClientID: saved.Client.ID, Saved: time.Now().UTC().Truncate(time.Second),
		Type: saved.Token.Type, Scopes: saved.Token.Scopes, Expires: saved.Token.Expires, Refreshable: saved.Token.Refresh != "",
		AuthMethod: saved.Client.AuthMethod, RedirectURI: saved.Client.RedirectURI, ClientExpires: saved.Client.Expires,
	}
	x := secret{saved.Token.Access, saved.Token.Refresh, saved.Client.Secret, saved.Token.Key}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.read(); err != nil {
		return err // before anything is stored in the keyring
	}
	if why := s.hide(e, x); why != nil { // the keyring may ask the user, so the file is not locked
		e.Secret = &x
		s.warn(why)
	}
	return s.change(func(d *document) {
		d.Entries = append([]Entry{e}, slices.DeleteFunc(d.Entries, e.is)...)
	})
}

// hide stores a secret in the keyring, or returns why it cannot.
func (s *Store) hide(e Entry, x secret) error {
	if s.ring == nil {
		return errors.New("the keyring is not used")
	}
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return s.ring.Set(e.key(), string(text))
}

func (s *Store) warn(why error) {
	if s.Warn != nil && !s.warned {
		s.warned = true
		s.Warn(fmt.Sprintf("the token is kept in %s, which only you can read, and not in the keyring: %v", s.path(), why))
	}
}

func (e Entry) is(other Entry) bool { return e.key() == other.key() }

// Lock implements [oauth.Store]: a file for each name, in the folder of the store.
func (s *Store) Lock(name string) (release func(), err error) {
	sum := sha256.Sum256([]byte(name))
	return system.Try(filepath.Join(s.dir, "token-"+hex.EncodeToString(sum[:8])+".lock"))
}

// Forget implements [oauth.Store].
func (s *Store) Forget(saved oauth.StoredToken) error {
	return s.Drop(Entry{Resource: saved.Resource, Issuer: saved.Issuer, ClientID: saved.Client.ID})
}

// Drop forgets an entry of [Store.List].
func (s *Store) Drop(e Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.read()
	if err != nil {
		return err
	}
	for _, kept := range d.Entries {
		if e.is(kept) && s.ring != nil && !kept.InFile() {
			if err := s.ring.Delete(kept.key()); err != nil {
				return fmt.Errorf("the keyring does not delete the token: %w", err)
			}
		}
	}
	return s.change(func(d *document) { d.Entries = slices.DeleteFunc(d.Entries, e.is) })
}

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

// tighten takes the permissions of other users from the file.
func (s *Store) tighten() {
	info, err := os.Stat(s.path())
	if err != nil || !info.Mode().IsRegular() || !isLoose(info.Mode()) {
		return
	}
	text := fmt.Sprintf("other users could read the tokens in %s (mode %04o); it is now 0600", s.path(), info.Mode().Perm())
	if err := os.Chmod(s.path(), 0o600); err != nil {
		text = fmt.Sprintf("other users can read the tokens in %s (mode %04o), and that cannot be changed: %v", s.path(), info.Mode().Perm(), err)
	}
	if s.Warn != nil {
		s.Warn(text + "; revoke them if this machine has other users")
	}
}

func (s *Store) read() (d document, err error) {
	s.tighten()
	text, _, err := system.ReadRegular(s.path(), maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, nil
	case err != nil:
		return d, fmt.Errorf("cannot read the authorizations in %s: %w; move it away if it is not a file of mcptea", s.path(), err)
	}
	if err := json.Unmarshal(text, &d); err != nil || d.Version != version {
		return document{}, fmt.Errorf("%s is not a list of authorizations that this program can read; move it away", s.path())
	}
	return d, nil
}

// change changes the content of the file with do, while no other process changes it.
func (s *Store) change(do func(*document)) error {
	return system.UpdateFile(s.path(), filepath.Join(s.dir, lockName), func() ([]byte, error) {
		d, err := s.read()
		if err != nil {
			return nil, err
		}
		do(&d)
		d.Version = version
		text, err := jsonrpc.MarshalIndented(d, "\t")
		return append(text, '\n'), err
	})
}

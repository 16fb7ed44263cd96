package tokens

import (
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the service name of the entries in the keyring.
const service = "mcptea"

// Keyring is a keyring. Its errors explain why it cannot be used, except [ErrNoSecret].
type Keyring interface {
	Get(key string) (string, error)
	Set(key, secret string) error
	Delete(key string) error
}

// ErrNoSecret reports that a keyring has no secret under a key.
var ErrNoSecret = errors.New("the keyring has no such entry")

// systemKeyring is the keyring of the operating system.
type systemKeyring struct{}

// keyringTimeout is long because a keyring may prompt for a password.
const keyringTimeout = time.Minute

// within abandons a keyring call after keyringTimeout. The call cannot be
// cancelled: its goroutine ends with the prompt.
func within(do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	timer := time.NewTimer(keyringTimeout)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("the keyring did not respond within %s", keyringTimeout)
	}
}

func (systemKeyring) Get(key string) (secret string, err error) {
	found := make(chan string, 1)
	err = within(func() error {
		text, err := keyring.Get(service, key)
		found <- text
		return err
	})
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return "", ErrNoSecret
	case err != nil:
		return "", err
	}
	return <-found, nil
}

func (systemKeyring) Set(key, secret string) error {
	return within(func() error { return keyring.Set(service, key, secret) })
}

func (systemKeyring) Delete(key string) error {
	err := within(func() error { return keyring.Delete(service, key) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

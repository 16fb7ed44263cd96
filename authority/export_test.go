package authority

import (
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"sync"
	"time"
)

// SetSlow sets the delay of the answer token-slow.
func (a *Authority) SetSlow(d time.Duration) { a.slow = d }

// The tests of this package use a few keys in turn: making one takes a tenth of a second.
func init() {
	var mu sync.Mutex
	var keys []*rsa.PrivateKey
	next := 0
	generateKey = func() (*rsa.PrivateKey, error) {
		mu.Lock()
		defer mu.Unlock()
		const most = 5 // more than one authority has
		if len(keys) < most {
			key, err := rsa.GenerateKey(rand.Reader, keyBits)
			if err != nil {
				return nil, err
			}
			keys = append(keys, key)
			return key, nil
		}
		next++
		return keys[next%len(keys)], nil
	}
}

// SetDocuments replaces what fetches client ID metadata documents, and returns what restores it.
func SetDocuments(by http.RoundTripper) (restore func()) {
	was := documents
	documents = by
	return func() { documents = was }
}

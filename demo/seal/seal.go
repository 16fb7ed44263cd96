package seal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// The ways in which a token can be wrong.
var (
	errForged  = errors.New("was not made here, or was changed on the way")
	errExpired = errors.New("is too old")
)

// Key makes and opens tokens.
type Key struct{ secret []byte }

// NewKey returns a random key.
func NewKey() *Key {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // it never fails
	return &Key{secret}
}

const (
	timeSize = 8
	headSize = timeSize + sha256.Size
)

// Seal makes a token of some bytes. It opens until the given moment, for the
// same purpose only.
func (k *Key) Seal(purpose string, data []byte, until time.Time) string {
	token := binary.BigEndian.AppendUint64(nil, uint64(until.UnixMilli()))
	token = append(token, k.sum(purpose, token, data)...)
	return base64.RawURLEncoding.EncodeToString(append(token, data...))
}

// Open returns what was sealed. The error is errForged or errExpired.
func (k *Key) Open(purpose, token string, now time.Time) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) < headSize {
		return nil, errForged
	}
	until, sum, data := raw[:timeSize], raw[timeSize:headSize], raw[headSize:]
	if !hmac.Equal(sum, k.sum(purpose, until, data)) {
		return nil, errForged
	}
	if now.UnixMilli() > int64(binary.BigEndian.Uint64(until)) {
		return nil, errExpired
	}
	return data, nil
}

func (k *Key) sum(purpose string, until, data []byte) []byte {
	h := hmac.New(sha256.New, k.secret)
	fmt.Fprintf(h, "%d:%s", len(purpose), purpose) // a hash takes everything
	h.Write(until)
	h.Write(data)
	return h.Sum(nil)
}

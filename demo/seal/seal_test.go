package seal

import (
	"encoding/base64"
	"testing"
	"time"
)

func TestOnlyWhatWasSealedOpens(t *testing.T) {
	k, now := NewKey(), time.Unix(1_000_000, 0)
	token := k.Seal("tea", []byte("green"), now.Add(time.Minute))
	if data, err := k.Open("tea", token, now); err != nil || string(data) != "green" {
		t.Errorf("opened %q, %v", data, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] ^= 1
		if _, err := k.Open("tea", base64.RawURLEncoding.EncodeToString(raw), now); err != ErrForged {
			t.Errorf("with byte %d changed: %v", i, err)
		}
		raw[i] ^= 1
	}
	tests := []struct {
		name, purpose, token string
		key                  *Key
		at                   time.Time
		want                 error
	}{
		{"another purpose", "coffee", token, k, now, ErrForged},
		{"another key", "tea", token, NewKey(), now, ErrForged},
		{"later", "tea", token, k, now.Add(time.Hour), ErrExpired},
		{"empty", "tea", "", k, now, ErrForged},
		{"short", "tea", "AAAA", k, now, ErrForged},
		{"no Base64", "tea", "!!", k, now, ErrForged},
	}
	for _, tt := range tests {
		if _, err := tt.key.Open(tt.purpose, tt.token, tt.at); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

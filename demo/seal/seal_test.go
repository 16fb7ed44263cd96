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
		if _, err := k.Open("tea", base64.RawURLEncoding.EncodeToString(raw), now); err != errForged {
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
		{"another purpose", "coffee", token, k, now, errForged},
		{"another key", "tea", token, NewKey(), now, errForged},
		{"later", "tea", token, k, now.Add(time.Hour), errExpired},
		{"empty", "tea", "", k, now, errForged},
		{"short", "tea", "AAAA", k, now, errForged},
		{"no Base64", "tea", "!!", k, now, errForged},
	}
	for _, tt := range tests {
		if _, err := tt.key.Open(tt.purpose, tt.token, tt.at); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

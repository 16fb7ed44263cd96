package oauth

import (
	"fmt"
	"testing"
)

// Another attempt in the browser ends as the one before, where the authorization server has no client for this program and
// registers none.
func TestRegistersNoClient(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{ErrConsentTimeout, false},
		{&ClientError{Issuer: "https://as.example", Why: "it supports neither"}, true},
		{fmt.Errorf("connect: %w", &ServerError{Where: registrationEndpoint, Status: 401}), true},
		{&ServerError{Where: registrationEndpoint, Status: 404}, true},
		{&ServerError{Where: registrationEndpoint, Status: 500}, false}, // it may work again
		{&ServerError{Where: registrationEndpoint, Status: 400, Code: "invalid_redirect_uri"}, false},
		{&ServerError{Where: "the token endpoint", Status: 401}, false},
	} {
		if got := RegistersNoClient(tt.err); got != tt.want {
			t.Errorf("%v: %v", tt.err, got)
		}
	}
}

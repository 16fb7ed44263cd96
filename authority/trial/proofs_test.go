package trial_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/authority"
	"mcptea/authority/trial"
	"mcptea/internal/jose"
)

// supportsDPoP reports whether the server accepts bound tokens; requires reports whether it accepts only these. With
// settings that end in nonce, each proof has a nonce of the server.
func (s *server) supportsDPoP() bool { return strings.HasPrefix(s.settings, "dpop") }

func (s *server) requiresDPoP() bool { return strings.HasPrefix(s.settings, "dpop-only") }

// A proofClaims has the claims of a proof (RFC 9449 §4.2).
type proofClaims struct {
	Method string `json:"htm"`
	URL    string `json:"htu"`
	ID     string `json:"jti"`
	Issued *int64 `json:"iat"`
	Token  string `json:"ath"`
	Nonce  string `json:"nonce"`
}

// checkProof returns the error code for the proof of a request, or "" if it is right (RFC 9449 §4.3).
func (s *server) checkProof(r *http.Request, token string, c claims) string {
	const invalid = "invalid_dpop_proof"
	var binding struct {
		Thumbprint string `json:"jkt"`
	}
	_ = json.Unmarshal(c.Binding, &binding)
	proofs := r.Header.Values("DPoP")
	switch {
	case binding.Thumbprint == "" && s.fault != "unbound":
		return "invalid_token"
	case len(proofs) == 0 && s.fault == "no-proof":
		return ""
	case len(proofs) == 0, len(proofs) > 1 && s.fault != "two-proofs":
		return invalid
	case proofs[0] == "not-a-proof" && s.fault == "proof-unread":
		return ""
	}
	p, err := jose.Parse(proofs[0])
	if err != nil {
		return invalid
	}
	thumbprint := p.Header.Key.Thumbprint()
	switch {
	case s.fault == "proof-oct" && p.Header.Key.Type == "oct":
		return s.checkSymmetric(proofs[0], binding.Thumbprint)
	case s.fault == "proof-key-id" && p.Header.Key.ID != "":
		thumbprint = p.Header.Key.ID
	case s.fault == "proof-kinds" && p.Header.Key.Type != "EC":
		thumbprint = binding.Thumbprint
	}
	var got proofClaims
	if json.Unmarshal(p.Claims, &got) != nil || !s.isProofSigned(proofs[0], p) {
		return invalid
	}
	age := 24 * time.Hour
	if got.Issued != nil {
		age = time.Since(time.Unix(*got.Issued, 0))
	}
	for fault, wrong := range map[string]bool{
		"proof-any-typ":    p.Header.Type != "dpop+jwt",
		"proof-private":    p.Header.Key.Private != "",
		"proof-any-key":    thumbprint != binding.Thumbprint && binding.Thumbprint != "",
		"proof-any-method": got.Method != r.Method && !(s.fault == "proof-method-case" && strings.EqualFold(got.Method, r.Method)) && !(s.fault == "method-of-post" && r.Method != http.MethodPost),
		"proof-any-url":    got.URL != endpoint && (s.fault != "proof-any-host" || hostOf(got.URL) == hostOf(endpoint)),
		"proof-any-token":  got.Token != jose.SHA256(token) && got.Token != "" && !(s.fault == "proof-token-start" && got.Token[:8] == jose.SHA256(token)[:8]),
		"proof-no-token":   got.Token == "",
		"proof-no-id":      got.ID == "",
		"proof-any-time":   got.Issued != nil && age > 5*time.Minute,
		"proof-any-future": got.Issued != nil && age < -5*time.Minute,
		"proof-no-time":    got.Issued == nil,
		"proof-replay":     s.seenProofs[got.ID],
		"proof-any-nonce":  strings.HasSuffix(s.settings, "nonce") && got.Nonce != serverNonce && got.Nonce != "",
	} {
		if wrong && fault != s.fault {
			return invalid
		}
	}
	s.seenProofs[got.ID] = true
	if strings.HasSuffix(s.settings, "nonce") && got.Nonce == "" {
		return "use_dpop_nonce"
	}
	return ""
}

// checkSymmetric returns the error code for a proof with a symmetric key.
func (s *server) checkSymmetric(text, bound string) string {
	var h struct {
		Key struct {
			Secret string `json:"k"`
		} `json:"jwk"`
	}
	head, _, _ := strings.Cut(text, ".")
	b, _ := base64.RawURLEncoding.DecodeString(head)
	_ = json.Unmarshal(b, &h)
	secret, _ := base64.RawURLEncoding.DecodeString(h.Key.Secret)
	if !isMACOf(text, secret) || jose.SHA256(`{"k":"`+h.Key.Secret+`","kty":"oct"}`) != bound {
		return "invalid_dpop_proof"
	}
	return ""
}

// proofAlgorithm returns the algorithm of proofs that the server accepts.
func (s *server) proofAlgorithm() string {
	for _, a := range []string{"RS256", "EdDSA", "ES384", "PS256", "ES512"} {
		if strings.Contains(s.settings, a) {
			return a
		}
	}
	return "ES256"
}

const serverNonce = "nonce-of-the-server"

// isProofSigned reports whether the server accepts the signature of a proof.
func (s *server) isProofSigned(text string, p *jose.Token) bool {
	k := p.Header.Key
	k.Private = ""
	key, err := k.PublicKey()
	switch {
	case err != nil, p.Header.Algorithm != s.proofAlgorithm() && s.fault != "proof-kinds" && s.fault != "proof-unsigned" && s.fault != "proof-none-alg" && s.fault != "proof-hs" && s.fault != "proof-own-alg":
		return false
	case s.fault == "proof-own-alg" && p.Header.Algorithm != s.proofAlgorithm():
		return true
	case s.fault == "proof-unsigned", s.fault == "proof-none-alg" && p.Header.Algorithm == "none":
		return true
	case s.fault == "proof-hs" && p.Header.Algorithm == "HS256":
		der, _ := x509.MarshalPKIXPublicKey(key)
		i := strings.LastIndexByte(text, '.')
		mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		mac.Write([]byte(text[:i]))
		return jose.Encode(mac.Sum(nil)) == text[i+1:]
	}
	return p.Verify(key) == nil
}

// A server that supports DPoP, or requires it, with and without a nonce, has no finding if it is right.
func TestRun_RightServerWithDPoP(t *testing.T) {
	for _, settings := range []string{"dpop", "dpop-nonce", "dpop-only", "dpop-only-nonce"} {
		synctest.Test(t, func(t *testing.T) {
			results, s, err := run(t, "", settings, nil)
			if err != nil || findings(results) != "" || len(s.users) != 0 {
				t.Errorf("%q: %v, %s, %d sessions left", settings, err, findings(results), len(s.users))
			}
			for _, token := range authority.Tokens() {
				_, sent := results[token.Name]
				nonceless := token.Name == "proof-nonce" && !strings.HasSuffix(settings, "nonce")
				renamed := token.Name == "bearer-small" && s.requiresDPoP()
				if strings.Contains(token.Name, "proof-") && sent == nonceless || renamed && sent {
					t.Errorf("%q: %s was sent: %t", settings, token.Name, sent)
				}
			}
		})
	}
}

// Each fault in the verification of proofs is named, and nothing else.
func TestRun_FaultsOfProofs(t *testing.T) {
	for fault, named := range map[string]string{
		"no-proof":         "E proof-none",
		"proof-unread":     "E proof-garbage",
		"proof-unsigned":   "E proof-altered",
		"proof-none-alg":   "E proof-alg-none",
		"proof-hs":         "E proof-hs256",
		"proof-any-key":    "E proof-key",
		"unbound":          "W proof-unbound",
		"proof-any-method": "E proof-method",
		"proof-any-url":    "E proof-host",
		"proof-any-token":  "E proof-token-other",
		"proof-no-token":   "E proof-token-missing",
		"proof-any-time":   "E proof-old",
		"proof-any-future": "E proof-future",
		"proof-no-time":    "W proof-time-missing",
		"proof-no-id":      "W proof-id-missing",
		"proof-any-typ":    "W proof-typ",
		"proof-private":    "W proof-private-key",
		"two-proofs":       "W proof-two",
		"proof-replay":     "",
		"proof-any-nonce":  "E proof-nonce",
		"proof-any-host":   "E proof-host",

		"proof-key-id":      "E proof-key-kid",
		"proof-kinds":       "E proof-key-kind",
		"proof-oct":         "E proof-oct",
		"proof-method-case": "W proof-method-case",
		"proof-token-start": "E proof-token-start",
		"query-dpop":        "E proof-query",
		"proof-own-alg":     "E proof-alg-other",
		"session-no-proof":  "E later-proof-none",
		"session-bearer":    "E later-bearer",
		"method-of-post":    "E later-proof-method",
		"dpop":              "E dpop-as-bearer",
		"challenge-bearer":  "W challenge-dpop",
	} {
		settings := []string{"dpop", "dpop-only"}
		if fault == "proof-any-nonce" {
			settings = []string{"dpop-nonce", "dpop-only-nonce"}
		}
		switch fault { // these are about tokens with another scheme, and about required proofs
		case "dpop":
			settings = []string{"dpop"}
		case "challenge-bearer":
			settings = []string{"dpop-only"}
		}
		for _, settings := range settings {
			synctest.Test(t, func(t *testing.T) {
				results, _, err := run(t, fault, settings, func(c *trial.Config) { c.Audience, c.Only = endpoint, append(someTokens(fault, named), "proof-again") })
				if got := findings(results); err != nil || got != named {
					t.Errorf("%s of %s: %v, named %s, expected %s", fault, settings, err, got, named)
				}
				if again := results["proof-again"]; (again.Verdict == trial.Info) != (fault == "proof-replay") && fault != "proof-unread" {
					t.Errorf("%s of %s: a proof that is used again is %s", fault, settings, again.Verdict)
				}
			})
		}
	}
}

// The server of mcptea auth serve --dpop has no finding: it shares no code with the server above.
func TestRun_ProtectedServerWithDPoP(t *testing.T) {
	a, err := authority.New(authority.Options{DPoP: true})
	if err != nil {
		t.Fatal(err)
	}
	a.ServeAs(issuer)
	s := &server{settings: "stateless"}
	open := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		_ = json.NewDecoder(r.Body).Decode(&m)
		s.respond(w, m.Method, "")
	})
	m := machine{"127.0.0.1:9400": a.Handler(), "127.0.0.1:3000": a.Protect(func() string { return endpoint }, nil, open)}
	results := make(map[string]trial.Result)
	err = trial.Run(t.Context(), trial.Config{
		URL: endpoint, Authority: a, Transport: m, Only: []string{"proof-*", "none", "garbage", "dpop-as-bearer"}, Report: func(r trial.Result) { results[r.Token] = r },
	})
	if err != nil || findings(results) != "" || results["proof-nonce"].Verdict != trial.Pass || results["proof-again"].Verdict != trial.Pass {
		t.Errorf("%v, %s, %v, %v", err, findings(results), results["proof-nonce"], results["proof-again"])
	}
}

// A proof has an algorithm that the server announces. If there is none that the authority has, this is said.
func TestRun_AlgorithmOfProofs(t *testing.T) {
	for settings, says := range map[string]string{
		"dpop-only-EdDSA": "", "dpop-ES384": "", "dpop-PS256": "", "dpop-only-RS256": "",
		"dpop-ES512": "o proofs are sent: the server accepts only DPoP proofs with ES512, which mcptea cannot make", "dpop-only-ES512": "ES512, which mcptea cannot make",
	} {
		synctest.Test(t, func(t *testing.T) {
			results, s, err := run(t, "", settings, func(c *trial.Config) { c.Only = []string{"proof-*", "none"} })
			var control *trial.ControlError
			r, failed := results["proof-right"], errors.As(err, &control)
			switch {
			case says == "":
				if err != nil || findings(results) != "" || r.Verdict != trial.Pass || results["proof-key-kind"].Verdict != trial.Pass {
					t.Errorf("%s: %v, %s, %v", settings, err, findings(results), r)
				}
			case failed != s.requiresDPoP() || failed && !strings.Contains(control.Text, says) || !failed && (r.Verdict != trial.Unjudged || !strings.Contains(r.Message, says)):
				t.Errorf("%s: %v, %v", settings, err, r)
			}
		})
	}
}

// A server without DPoP gets no proofs.
func TestRun_NoProofsWithoutDPoP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, _, err := run(t, "", "", func(c *trial.Config) { c.Only = []string{"proof-*"} })
		if err != nil || len(results) != 0 {
			t.Errorf("%v, %v", err, results)
		}
	})
}

package authority

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// proofKey returns the thumbprint of the key in the DPoP proof of a token request, or "" if there
// is no proof (RFC 9449 §5).
func (a *Authority) proofKey(x *exchange) (key, reason string) {
	if len(x.r.Header.Values("DPoP")) == 0 {
		return "", ""
	}
	p, reason := a.checkProof(x.r, a.Issuer()+pathToken)
	return p.key, reason
}

// A proof is a verified DPoP proof (RFC 9449 §4.2).
type proof struct {
	key   string // thumbprint of the key
	token string // hash of the access token, or ""
	nonce string
}

// maxProofAge is the maximum difference between the time in a proof and the time of its use.
const maxProofAge = time.Minute

// checkProof verifies the DPoP proof of a request to a URL (RFC 9449 §4.3). If the proof is
// invalid, reason is not empty.
func (a *Authority) checkProof(r *http.Request, to string) (p proof, reason string) {
	texts := r.Header.Values("DPoP")
	if len(texts) != 1 {
		return p, "the request must have one proof"
	}
	t, err := jose.Parse(texts[0])
	if err != nil {
		return p, "it is not a JWT"
	}
	key, err := t.Header.Key.PublicKey()
	if err == nil {
		err = t.Verify(key)
	}
	var claims struct {
		Method string    `json:"htm"`
		URL    string    `json:"htu"`
		ID     string    `json:"jti"`
		Issued jose.Date `json:"iat"`
		Nonce  string    `json:"nonce"`
		Token  string    `json:"ath"`
	}
	switch {
	case t.Header.Type != "dpop+jwt":
		return p, "its typ is not dpop+jwt"
	case err != nil:
		return p, err.Error()
	case json.Unmarshal(t.Claims, &claims) != nil:
		return p, "its claims are not a JSON object with texts and a time"
	case claims.Method != r.Method:
		return p, "htm is " + claims.Method
	case !sameURL(claims.URL, to):
		return p, "htu is " + claims.URL
	case claims.Issued.Time().Sub(a.now()).Abs() > maxProofAge:
		return p, "iat is more than a minute from now"
	case claims.ID == "":
		return p, "it has no jti"
	case !a.firstUse("proof", t.Header.Key.Thumbprint(), claims.ID):
		return p, "its jti was used before"
	}
	return proof{t.Header.Key.Thumbprint(), claims.Token, claims.Nonce}, ""
}

// sameURL reports whether the htu of a proof is a URL without its query and fragment (RFC 9449
// §4.3).
func sameURL(htu, to string) bool {
	u, err := url.Parse(htu)
	return err == nil && u.RawQuery == "" && !strings.Contains(htu, "#") && htu == to
}

// firstUse reports whether the id of a proof or an assertion was not used before by its owner, a client or a key, and
// remembers it. Two owners may use the same id.
func (a *Authority) firstUse(kind, owner, id string) bool {
	id = jose.SHA256(strings.Join([]string{kind, jose.SHA256(owner), id}, " ")) // hashed, so that the key has a fixed length
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.proofs[id] {
		return false
	}
	if len(a.proofs) >= maxProofs {
		clear(a.proofs)
	}
	a.proofs[id] = true
	return true
}

package trial

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mcptea/authority"
)

// proofs is the state of the trial for a server that supports DPoP (RFC 9449).
type proofs struct {
	*authority.Prover
	required bool     // the server accepts only bound tokens
	nonce    string   // the newest DPoP-Nonce of the server, or ""
	control  response // the reaction to a right proof, or the zero value before the first one
}

// schemeDPoP is the scheme of bound tokens.
const schemeDPoP = "DPoP"

// useProofs makes the trial send proofs, if the challenge or the metadata of the server announces DPoP (RFC 9449 §7.1,
// RFC 9728 §2). The error is a *[ControlError] if the server accepts only proofs that the authority cannot make.
func (t *trial) useProofs() error {
	c, d := challengeOf(t.bare), t.resource
	if !c.dpop && len(d.ProofAlgorithms) == 0 && !d.BoundRequired {
		return nil
	}
	accepted := d.ProofAlgorithms
	if len(accepted) == 0 {
		accepted = c.algorithms
	}
	required := d.BoundRequired || c.dpop && !c.bearer
	algorithm, ok := authority.ChooseProofAlgorithm(accepted)
	if !ok {
		text := fmt.Sprintf("the server accepts only DPoP proofs with %s, which mcptea cannot make", strings.Join(accepted, ", "))
		if required {
			return &ControlError{text, "Announce one of " + strings.Join(authority.ProofAlgorithms, ", ") + " in dpop_signing_alg_values_supported."}
		}
		token, _ := authority.TokenNamed("proof-right")
		t.Report(Result{Token: token.Name, Summary: token.Summary, Verdict: Unjudged, Message: "No proofs are sent: " + text + "."})
		return nil
	}
	prover, err := t.Authority.NewProver(algorithm)
	t.proofs = &proofs{Prover: prover, required: required, nonce: t.bare.header.Get("DPoP-Nonce")}
	return err
}

// boundGrant returns the grant of the trial, bound to the key of the proofs if the server accepts only bound tokens.
func (t *trial) boundGrant(g authority.Grant) authority.Grant {
	if t.proofs != nil && t.proofs.required {
		return t.proofs.Bind(g)
	}
	return g
}

// A prove returns the proofs of a request.
type prove func(use authority.Use) []string

// rightProof returns the proof of a right request.
func (t *trial) rightProof(use authority.Use) []string { return []string{t.proofs.Proof(use)} }

// authorize adds the credentials of a message and its session to a request. If the server accepts only bound tokens,
// a token with the scheme Bearer gets the scheme DPoP and a right proof.
func (t *trial) authorize(m message, r *http.Request) {
	if m.session != "" {
		r.Header.Set("Mcp-Session-Id", m.session)
	}
	if m.scheme == "" && m.prove == nil {
		return
	}
	if m.scheme == "Bearer" && !m.unproven && t.proofs != nil && t.proofs.required {
		m.scheme, m.prove = schemeDPoP, t.rightProof
	}
	if m.before != "" {
		r.Header.Add("Authorization", m.before)
	}
	token := m.query
	if m.scheme != "" {
		token = m.token
		r.Header.Add("Authorization", m.scheme+" "+m.token)
	}
	if m.prove == nil {
		return
	}
	bare := *r.URL
	bare.RawQuery, bare.ForceQuery, bare.Fragment, bare.RawFragment = "", false, "", ""
	for _, p := range m.prove(authority.Use{Method: r.Method, URL: bare.String(), Token: token, Nonce: t.proofs.nonce}) {
		r.Header.Add("DPoP", p)
	}
}

// isNewNonce stores the nonce of a response. It reports whether the server rejected a proof because
// the nonce was missing. The request must then be sent again (RFC 9449 §9).
func (t *trial) isNewNonce(got response) bool {
	nonce := got.header.Get("DPoP-Nonce")
	if t.proofs == nil || nonce == "" || nonce == t.proofs.nonce {
		return false
	}
	t.proofs.nonce = nonce
	return got.status == http.StatusUnauthorized && strings.Contains(got.challenge(), "use_dpop_nonce")
}

// isProof reports whether a token is about a proof.
func isProof(name string) bool { return strings.HasPrefix(name, "proof-") }

// needsProofs reports whether a token is only for servers that support DPoP.
func needsProofs(name string) bool {
	return isProof(name) || strings.HasPrefix(name, "later-proof-") || name == "later-bearer"
}

// sendProven sends a bound token with the proof of a name. Without a server that accepts a right one, nothing is sent.
func (t *trial) sendProven(ctx context.Context, name string) response {
	if t.proofs == nil || name == "proof-nonce" && t.proofs.nonce == "" {
		return notApplicable
	}
	if t.proofs.control.header == nil {
		t.proofs.control = t.proven(ctx, t.rightProof)
	}
	switch {
	case name == "proof-right":
		return t.proofs.control
	case !t.proofs.control.accepted:
		return notApplicable
	}
	switch name {
	case "proof-none":
		return t.proven(ctx, func(authority.Use) []string { return nil })
	case "proof-two":
		return t.proven(ctx, func(use authority.Use) []string {
			return append(t.rightProof(use), t.rightProof(use)...)
		})
	case "proof-unbound":
		return t.send(ctx, message{scheme: schemeDPoP, token: t.Authority.Access(t.grant.Unbound()), prove: t.rightProof})
	case "proof-oct":
		return t.send(ctx, message{scheme: schemeDPoP, token: t.Authority.Access(t.proofs.BindToSecret(t.grant)), prove: t.wrongProof(name)})
	case "proof-query":
		return t.send(ctx, message{query: t.Authority.Access(t.proofs.Bind(t.grant)), prove: t.rightProof})
	case "proof-again":
		return t.proveTwice(ctx)
	}
	return t.proven(ctx, t.wrongProof(name))
}

// wrongProof returns the proof of a name.
func (t *trial) wrongProof(name string) prove {
	return func(use authority.Use) []string {
		text, _ := t.proofs.WrongProof(name, use) // a test makes each of them
		return []string{text}
	}
}

// proven sends a bound token with proofs.
func (t *trial) proven(ctx context.Context, p prove) response {
	return t.send(ctx, message{scheme: schemeDPoP, token: t.Authority.Access(t.proofs.Bind(t.grant)), prove: p})
}

// proveTwice sends one request with a proof twice.
func (t *trial) proveTwice(ctx context.Context) response {
	var first []string
	m := message{scheme: schemeDPoP, token: t.Authority.Access(t.proofs.Bind(t.grant)), prove: func(use authority.Use) []string {
		p := t.rightProof(use)
		if use.Method == http.MethodPost { // not the DELETE of the session
			first = p
		}
		return p
	}}
	if !t.send(ctx, m).accepted {
		return notApplicable
	}
	m.prove = func(authority.Use) []string { return first }
	return t.send(ctx, m)
}

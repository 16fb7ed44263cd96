package client

import (
	"fmt"
	"strings"

	"mcptea/client/transport"
)

// noteTLS ends the step of the TLS handshake, which is part of the first request.
func (c *Client) noteTLS(x transport.Exchange) {
	if x.TLS == nil || x.TLS.Failed || !x.HasFrames() {
		return
	}
	if list := read(c, func(s *state) *checklist { return s.steps }); list != nil {
		list.Past(StepTLS, StepDone, HandshakeWords(x.TLS), x.TLS.Took)
	}
}

// HandshakeWords describes the version, the certificate of the server and the client certificate. The texts
// contain names that the server chose.
func HandshakeWords(t *transport.TLS) string {
	words := []string{t.Version}
	if len(t.Chain) > 0 {
		leaf := t.Chain[0]
		words = append(words, fmt.Sprintf("%s by %s until %s", leaf.Subject, leaf.Issuer, leaf.NotAfter.Format("2006-01-02")))
	}
	if t.Insecure {
		words = append(words, "not verified (--insecure)")
	}
	if t.Trusted {
		words = append(words, "trusted by its digest, for this run")
	}
	switch {
	case t.Client != "":
		words = append(words, "client certificate "+t.Client)
	case t.Requested:
		words = append(words, "the server requested a client certificate: none was sent")
	}
	return strings.Join(words, ", ")
}

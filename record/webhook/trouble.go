package webhook

import (
	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// A Trouble describes a fault of a request to the callback, as a sentence without a period.
type Trouble string

// The troubles, except for the mistakes of a signature.
const (
	elsewhere      Trouble = "a request is not for the callback"
	notPost        Trouble = "a request to the callback is not a POST"
	unsigned       Trouble = "a request has no webhook-id, webhook-timestamp or webhook-signature"
	tooLarge       Trouble = "a body is larger than 256 KiB"
	cutOff         Trouble = "a body was not complete"
	tooSlow        Trouble = "a body did not come within 5 s"
	busy           Trouble = "too many requests came at the same time"
	unexplained    Trouble = "the signature does not verify, and none of the usual mistakes explains it"
	inMilliseconds Trouble = "webhook-timestamp is in milliseconds, not in seconds"
	noTime         Trouble = "webhook-timestamp is not a number of seconds"
	tooOld         Trouble = "webhook-timestamp is more than 5 minutes from now"
	notObject      Trouble = "a body is not a JSON object"
	noID           Trouble = "a delivery has no X-MCP-Subscription-Id"
	otherID        Trouble = "a delivery is for another subscription"
	tooEarly       Trouble = "an event came before the challenge"
	beforeResult   Trouble = "an event came before the result of events/subscribe; mcptea requests it again"
	tooLate        Trouble = "a delivery came after the end of the subscription"
	unknownType    Trouble = "a control message has a type that is not known"
	notJSON        Trouble = "the Content-Type of a delivery is not application/json"
)

// Counted is a trouble with the number of its occurrences.
type Counted struct {
	Trouble Trouble
	Count   int
}

// Troubles returns the problems so far, in the order of their first occurrence.
func (r *Receiver) Troubles() []Counted {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Counted
	for _, t := range r.order {
		all = append(all, Counted{t, r.troubles[t]})
	}
	return all
}

// remark counts a trouble of a delivery that is accepted all the same, and notes it there.
func (r *Receiver) remark(t Trouble, d *Delivery) {
	r.count(t, false)
	if d.Trouble != "" {
		d.Trouble += "; "
	}
	d.Trouble += string(t)
}

// count counts a trouble, and returns the number of its occurrences.
func (r *Receiver) count(t Trouble, refused bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if refused {
		r.counts.Refused++
	}
	if r.troubles[t] == 0 {
		if len(r.order) >= maxTroubles {
			return maxKept + 1
		}
		r.order = append(r.order, t)
	}
	r.troubles[t]++
	return r.troubles[t]
}

// signedBy returns the secrets that verify a signature.
func (r *Receiver) signedBy(signature string, m message) record.Signature {
	secrets := r.known()
	current := verify(secrets[0], signature, m)
	switch previous := len(secrets) > 1 && verify(secrets[1], signature, m); {
	case current && previous:
		return record.SignedBoth
	case current:
		return record.SignedCurrent
	case previous:
		return record.SignedPrevious
	}
	return record.SignedWrong
}

// whyWrong tries the usual mistakes on a signature that does not verify.
func (r *Receiver) whyWrong(signature string, m message) Trouble {
	for _, s := range r.known() {
		if found := mistakeOf(s, signature, m); found != "" {
			return "the signature " + Trouble(found)
		}
	}
	return unexplained
}

// known returns the secrets that are accepted, newest first.
func (r *Receiver) known() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.secrets // replaced as a whole
}

// whatOf returns "event", the type of a control message, or "" for other bodies.
func whatOf(body []byte) string {
	if jsonrpc.TypeOf(body) != "object" || !jsonrpc.Valid(body) {
		return ""
	}
	if kind := jsonrpc.Text(body, "type"); kind != "" {
		return kind[:min(len(kind), maxField)]
	}
	return "event"
}

package webhook

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// bounds on requests, and on the stored data about them
const (
	// maxBody is the largest body of a delivery (SEP-3415). A larger one is refused with 413.
	maxBody = 256 << 10
	// maxRequests bounds the concurrent requests. More are refused with 503, so the sender tries again.
	maxRequests = 128
	// maxAge bounds the difference between a timestamp and the current time, in both directions.
	maxAge = 5 * time.Minute
	// maxKept is the number of requests refused for the same reason that are passed on. Later ones are only
	// counted.
	maxKept = 10
	// maxTroubles bounds the kinds of trouble that are counted: the named ones, and the mistakes.
	maxTroubles = 64
	// maxMessages bounds the message ids that are remembered to recognize repeated deliveries. The oldest is
	// dropped first.
	maxMessages = 8192
)

// A Delivery is a POST to the callback, with its body. It was accepted, or was among the first refused for its
// reason.
type Delivery struct {
	record.Delivery
	At   time.Time
	Body []byte // body, or nil if the request was refused before it was read
}

// maxField bounds a header of a delivery that is kept.
const maxField = 512

// deliveryOf reads the headers of a request.
func deliveryOf(q *http.Request) Delivery {
	field := func(name string) string {
		value := q.Header.Get(name)
		return value[:min(len(value), maxField)]
	}
	method := q.Method
	if method == http.MethodPost {
		method = ""
	}
	return Delivery{At: time.Now(), Delivery: record.Delivery{
		Method: method[:min(len(method), maxField)], Message: field("webhook-id"), Timestamp: field("webhook-timestamp"), Signature: field("webhook-signature"),
		Subscription: field("X-MCP-Subscription-Id"), ContentType: field("Content-Type"),
	}}
}

// cutPath returns the path of a request that is not for the callback, cut to maxField.
func cutPath(q *http.Request) string { return q.URL.Path[:min(len(q.URL.Path), maxField)] }

// Receiver answers the POSTs to a callback. It is an [http.Handler].
type Receiver struct {
	token string
	slots chan struct{}

	telling    sync.Mutex // held while told is called
	onDelivery func(Delivery)
	changed    func()

	mu       sync.Mutex
	secrets  []string // newest first; the previous secret is accepted, too
	id       string   // id of the subscription; "" before it is known
	verified bool     // a challenge was answered
	over     bool
	counts   Counts
	troubles map[Trouble]int
	order    []Trouble
	messages map[string]*tries // signed messages and their attempts, by id
	oldest   []string          // ids of messages, oldest first
	plan     Plan              // rest of the plan
}

// tries counts the attempts to deliver a message.
type tries struct {
	n        int       // attempts since the start, or since the last accepted one
	at       time.Time // time of the newest attempt
	accepted bool
}

// Counts holds the number of requests of each kind.
type Counts struct {
	Accepted   int // deliveries with a valid signature, including the Repeated ones
	Challenges int // verifications of the callback that were answered
	Repeated   int // accepted deliveries whose webhook-id an earlier one had
	Refused    int // answered with an error status
	Asked      int // refused because the user has asked for it, in addition to Refused
}

// New returns the receiver of a subscription with a secret.
func New(secret string) *Receiver {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // Read never returns an error
	return &Receiver{
		onDelivery: func(Delivery) {}, changed: func() {}, token: hex.EncodeToString(b), secrets: []string{secret},
		slots: make(chan struct{}, maxRequests), troubles: map[Trouble]int{}, messages: map[string]*tries{},
	}
}

// Tell sets two functions. told is called with each accepted delivery, and with the first that are refused for
// each reason, one at a time. changed is called after each request. Neither may block.
func (r *Receiver) Tell(onDelivery func(Delivery), changed func()) {
	r.telling.Lock()
	defer r.telling.Unlock()
	r.onDelivery, r.changed = onDelivery, changed
}

// tell reports a delivery.
func (r *Receiver) tell(d Delivery) {
	r.telling.Lock()
	defer r.telling.Unlock()
	r.onDelivery(d)
}

// woken records that a request was handled.
func (r *Receiver) woken() {
	r.telling.Lock()
	defer r.telling.Unlock()
	r.changed()
}

// Path returns the path of the callback. Its end cannot be guessed.
func (r *Receiver) Path() string { return "/mcptea/" + r.token }

// Subscribed sets the id of the subscription.
func (r *Receiver) Subscribed(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.id = id
}

// Secret returns the current secret of the subscription. It may be shown only if the user has asked for it.
func (r *Receiver) Secret() string { return r.known()[0] }

// Rotate adds a new secret. The next events/subscribe sets it. The previous secret stays valid
// until the next rotation, because a server signs with both for a while.
func (r *Receiver) Rotate(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = []string{secret, r.secrets[0]}
}

// Over ends the subscription for the receiver. Later deliveries are troubles.
func (r *Receiver) Over() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// Counts returns the number of requests so far.
func (r *Receiver) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}

// refuse answers with a status, and counts why.
func (r *Receiver) refuse(w http.ResponseWriter, status int, t Trouble, d Delivery) {
	if d.Trouble, d.Status = string(t), status; r.count(t, true) <= maxKept {
		r.tell(d)
	}
	w.Header().Set("Connection", "close") // the rest of the body is not read
	Write(w, d)
}

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	defer r.woken()
	d := deliveryOf(q)
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	default:
		r.refuse(w, http.StatusServiceUnavailable, busy, d)
		return
	}
	m := message{id: q.Header.Get("webhook-id"), timestamp: q.Header.Get("webhook-timestamp")}
	signature := q.Header.Get("webhook-signature")
	switch {
	case strings.HasSuffix(q.URL.Path, r.token+record.RedirectedPath):
		r.followed(w, q, d)
		return
	case path.Base(q.URL.Path) != r.token:
		d.Path = cutPath(q)
		r.refuse(w, http.StatusNotFound, elsewhere, d)
		return
	case q.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		r.refuse(w, http.StatusMethodNotAllowed, notPost, d)
		return
	case q.ContentLength > maxBody:
		r.refuse(w, http.StatusRequestEntityTooLarge, tooLarge, d)
		return
	case m.id == "" || m.timestamp == "" || signature == "": // the body is not read
		r.refuse(w, http.StatusUnauthorized, unsigned, d)
		return
	}
	var ok bool
	if m.body, ok = r.body(w, q, d); !ok {
		return
	}
	d.Body, d.What = m.body, whatOf(m.body)
	if d.Signed = r.signedBy(signature, m); !r.authentic(w, signature, m, d) {
		return
	}
	if kind := q.Header.Get("Content-Type"); !isJSON(kind) {
		r.remark(notJSON, &d)
	}
	r.attempt(&d)
	r.acceptVerified(w, q, d)
}

// body reads the body of a request. It returns false when it has refused it.
func (r *Receiver) body(w http.ResponseWriter, q *http.Request, d Delivery) ([]byte, bool) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout)) // may fail in a test
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxBody))
	if err == nil {
		return body, true
	}
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case large:
		r.refuse(w, http.StatusRequestEntityTooLarge, tooLarge, d)
	case errors.Is(err, os.ErrDeadlineExceeded):
		r.refuse(w, http.StatusRequestTimeout, tooSlow, d)
	default:
		r.refuse(w, http.StatusBadRequest, cutOff, d)
	}
	return nil, false
}

// authentic verifies the signature and the timestamp of a message. It returns false when it has refused
// it.
func (r *Receiver) authentic(w http.ResponseWriter, signature string, m message, d Delivery) bool {
	at, err := strconv.ParseInt(m.timestamp, 10, 64)
	switch {
	case d.Signed == record.SignedWrong:
		r.refuse(w, http.StatusUnauthorized, r.whyWrong(signature, m), d)
	case err != nil:
		r.refuse(w, http.StatusBadRequest, noTime, d)
	case record.IsMilliseconds(at):
		r.refuse(w, http.StatusBadRequest, inMilliseconds, d)
	case time.Since(time.Unix(at, 0)).Abs() > maxAge:
		r.refuse(w, http.StatusBadRequest, tooOld, d)
	default:
		return true
	}
	return false
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// acceptVerified handles a message whose signature verifies.
func (r *Receiver) acceptVerified(w http.ResponseWriter, q *http.Request, d Delivery) {
	if jsonrpc.TypeOf(d.Body) != "object" || !jsonrpc.Valid(d.Body) {
		r.refuse(w, http.StatusBadRequest, notObject, d)
		return
	}
	if d.Subscription == "" {
		r.remark(noID, &d)
	}
	if d.What == "verification" {
		if !r.asked(w, q, &d) {
			r.answer(w, d)
		}
		return
	}
	r.mu.Lock()
	id, verified, over := r.id, r.verified, r.over
	r.mu.Unlock()
	switch {
	case over:
		r.refuse(w, http.StatusGone, tooLate, d)
		return
	case id == "" && !verified:
		r.refuse(w, http.StatusServiceUnavailable, tooEarly, d)
		return
	case id == "": // the sender repeats it after the result of events/subscribe
		r.refuse(w, http.StatusServiceUnavailable, beforeResult, d)
		return
	case d.Subscription != "" && d.Subscription != id:
		r.refuse(w, http.StatusGone, otherID, d)
		return
	}
	if !slices.Contains([]string{"event", "gap", "terminated"}, d.What) {
		d.Status = http.StatusOK
		r.remark(unknownType, &d)
		r.tell(d)
		w.WriteHeader(http.StatusOK)
		return
	}
	if !r.asked(w, q, &d) {
		r.deliver(d)
		w.WriteHeader(http.StatusOK)
	}
}

// answer echoes a challenge.
func (r *Receiver) answer(w http.ResponseWriter, d Delivery) {
	r.mu.Lock()
	r.verified = true
	r.counts.Challenges++
	r.mu.Unlock()
	d.Status = http.StatusOK
	r.tell(d)
	Write(w, d)
}

// deliver passes a delivery on.
func (r *Receiver) deliver(d Delivery) {
	r.telling.Lock()
	defer r.telling.Unlock() // reported in the order counted
	d.Again, d.Status = r.accepted(d.Message), http.StatusOK
	r.onDelivery(d)
}

// attempt counts an attempt to deliver a message, and sets the number of the retry in the delivery.
func (r *Receiver) attempt(d *Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.messages[d.Message]
	if m == nil {
		if len(r.oldest) >= maxMessages {
			delete(r.messages, r.oldest[0])
			r.oldest = r.oldest[1:]
		}
		m = &tries{}
		r.messages[d.Message] = m
		r.oldest = append(r.oldest, d.Message)
	}
	if m.n > 0 && !m.accepted {
		d.Retry, d.After = m.n, d.At.Sub(m.at)
	}
	m.n, m.at = m.n+1, d.At
}

// accepted counts a delivery, and reports one whose message was accepted before.
func (r *Receiver) accepted(message string) (again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.Accepted++
	m := r.messages[message] // nil if very many other messages arrived in the meantime
	if m == nil {
		return false
	}
	if again = m.accepted; again {
		r.counts.Repeated++
	}
	m.accepted = true
	return again
}

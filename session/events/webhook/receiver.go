package webhook

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
)

// The bounds of what is taken.
const (
	// maxBody is the largest body of a delivery (SEP-3415). A larger one is refused with 413.
	maxBody = 256 << 10
	// maxRequests bounds the requests that are handled at a time. A further one is refused with 503, and
	// comes again.
	maxRequests = 32
	// maxAge is how old a timestamp may be, and how far in the future.
	maxAge = 5 * time.Minute
	// maxTroubles bounds the kinds of troubles that are counted: those that are named, and the mistakes.
	maxTroubles = 64
	// maxMessages bounds the ids of messages by which deliveries are known that come again. The oldest
	// goes then.
	maxMessages = 8192
)

// Trouble is what is wrong with a request to the callback: a sentence without its end.
type Trouble string

// The troubles, beside the mistakes of a signature.
const (
	elsewhere      Trouble = "a request is not for the callback"
	notPost        Trouble = "a request to the callback is not a POST"
	unsigned       Trouble = "a request has no webhook-id, webhook-timestamp or webhook-signature"
	tooLarge       Trouble = "a body is larger than 256 KiB"
	cutOff         Trouble = "a body did not come to its end"
	busy           Trouble = "too many requests came at the same time"
	unexplained    Trouble = "the signature does not verify, and none of the usual mistakes explains it"
	inMilliseconds Trouble = "webhook-timestamp is in milliseconds, and not in seconds"
	noTime         Trouble = "webhook-timestamp is no number of seconds"
	tooOld         Trouble = "webhook-timestamp is more than 5 minutes from now"
	notObject      Trouble = "a body is not a JSON object"
	noID           Trouble = "a delivery has no X-MCP-Subscription-Id"
	otherID        Trouble = "a delivery is for another subscription"
	tooEarly       Trouble = "an event came before the challenge"
	beforeResult   Trouble = "an event came before the result of events/subscribe; it is asked for again"
	tooLate        Trouble = "a delivery came after the end of the subscription"
	unknownType    Trouble = "a control message has a type that is not known"
	notJSON        Trouble = "the Content-Type of a delivery is not application/json"
)

// Delivery is a POST whose signature verifies.
type Delivery struct {
	At           time.Time
	Message      string // webhook-id
	Subscription string // X-MCP-Subscription-Id
	Kind         string // "event", or the type of a control message
	Body         []byte
	Again        bool // a message with this id came before
}

// Receiver answers the POSTs to a callback. It is an [http.Handler].
type Receiver struct {
	// Delivered is called with each delivery that is accepted, but for challenges, one at a time. It must
	// not block.
	Delivered func(Delivery)
	// Changed is called after each request.
	Changed func()

	token string
	slots chan struct{}

	mu       sync.Mutex
	secrets  []string // the newest first; the one before verifies, too
	id       string   // of the subscription; empty before it is known
	verified bool     // a challenge was answered
	over     bool
	counts   Counts
	troubles map[Trouble]int
	order    []Trouble
	seen     map[string]bool
	oldest   []string
}

// Counts are how many requests came of each kind.
type Counts struct {
	Accepted, Challenges, Again, Refused int
}

// New returns the receiver of a subscription with a secret.
func New(secret string) *Receiver {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	return &Receiver{
		Delivered: func(Delivery) {}, Changed: func() {}, token: hex.EncodeToString(b), secrets: []string{secret},
		slots: make(chan struct{}, maxRequests), troubles: map[Trouble]int{}, seen: map[string]bool{},
	}
}

// Path is the end of the path of the callback, which cannot be guessed.
func (r *Receiver) Path() string { return "/mcptea/" + r.token }

// Subscribed tells the receiver the id of the subscription.
func (r *Receiver) Subscribed(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.id = id
}

// Over tells the receiver that the subscription has ended: what still comes is not wanted.
func (r *Receiver) Over() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// Counts are the requests so far.
func (r *Receiver) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}

// Counted is a trouble and how often it came.
type Counted struct {
	Trouble Trouble
	Count   int
}

// Troubles are what was wrong so far, in the order in which it first came.
func (r *Receiver) Troubles() []Counted {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Counted
	for _, t := range r.order {
		all = append(all, Counted{t, r.troubles[t]})
	}
	return all
}

// note counts a trouble. refused reports that it is why the request is refused.
func (r *Receiver) note(t Trouble, refused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if refused {
		r.counts.Refused++
	}
	if r.troubles[t] == 0 {
		if len(r.order) >= maxTroubles {
			return
		}
		r.order = append(r.order, t)
	}
	r.troubles[t]++
}

// refuse answers with a status, and counts why.
func (r *Receiver) refuse(w http.ResponseWriter, status int, t Trouble) {
	r.note(t, true)
	w.Header().Set("Connection", "close") // what is left of the body is not read
	http.Error(w, string(t), status)
}

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	defer r.Changed()
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	default:
		r.refuse(w, http.StatusServiceUnavailable, busy)
		return
	}
	m := message{id: q.Header.Get("webhook-id"), timestamp: q.Header.Get("webhook-timestamp")}
	signature := q.Header.Get("webhook-signature")
	switch {
	case path.Base(q.URL.Path) != r.token:
		r.refuse(w, http.StatusNotFound, elsewhere)
		return
	case q.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		r.refuse(w, http.StatusMethodNotAllowed, notPost)
		return
	case q.ContentLength > maxBody:
		r.refuse(w, http.StatusRequestEntityTooLarge, tooLarge)
		return
	case m.id == "" || m.timestamp == "" || signature == "": // nothing of its body is read
		r.refuse(w, http.StatusUnauthorized, unsigned)
		return
	}
	var err error
	if m.body, err = io.ReadAll(http.MaxBytesReader(w, q.Body, maxBody)); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			r.refuse(w, http.StatusRequestEntityTooLarge, tooLarge)
		} else {
			r.refuse(w, http.StatusBadRequest, cutOff)
		}
		return
	}
	if !r.authentic(w, signature, m) {
		return
	}
	if kind := q.Header.Get("Content-Type"); !isJSON(kind) {
		r.note(notJSON, false)
	}
	r.take(w, q, m)
}

// authentic verifies the signature and the timestamp of a message. It returns false when it has refused
// it.
func (r *Receiver) authentic(w http.ResponseWriter, signature string, m message) bool {
	r.mu.Lock()
	secrets := slices.Clone(r.secrets)
	r.mu.Unlock()
	at, err := strconv.ParseInt(m.timestamp, 10, 64)
	switch {
	case !slices.ContainsFunc(secrets, func(s string) bool { return verify(s, signature, m) }):
		t := unexplained
		for _, s := range secrets {
			if found := mistakeOf(s, signature, m); found != "" {
				t = "the signature " + Trouble(found)
				break
			}
		}
		r.refuse(w, http.StatusUnauthorized, t)
	case err != nil:
		r.refuse(w, http.StatusBadRequest, noTime)
	case isMilliseconds(at):
		r.refuse(w, http.StatusBadRequest, inMilliseconds)
	case time.Since(time.Unix(at, 0)).Abs() > maxAge:
		r.refuse(w, http.StatusBadRequest, tooOld)
	default:
		return true
	}
	return false
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// take takes a message whose signature verifies.
func (r *Receiver) take(w http.ResponseWriter, q *http.Request, m message) {
	d := Delivery{At: time.Now(), Message: m.id, Subscription: q.Header.Get("X-MCP-Subscription-Id"), Kind: "event", Body: m.body}
	if jsonrpc.TypeOf(m.body) != "object" || !jsonrpc.Valid(m.body) {
		r.refuse(w, http.StatusBadRequest, notObject)
		return
	}
	if kind := jsonrpc.Text(m.body, "type"); kind != "" {
		d.Kind = kind
	}
	if d.Subscription == "" {
		r.note(noID, false)
	}
	if d.Kind == "verification" {
		r.answer(w, m.body)
		return
	}
	r.mu.Lock()
	id, verified, over := r.id, r.verified, r.over
	r.mu.Unlock()
	switch {
	case over:
		r.refuse(w, http.StatusGone, tooLate)
		return
	case id == "" && !verified:
		r.refuse(w, http.StatusServiceUnavailable, tooEarly)
		return
	case id == "": // it comes again when the result of events/subscribe is there
		r.refuse(w, http.StatusServiceUnavailable, beforeResult)
		return
	case d.Subscription != "" && d.Subscription != id:
		r.refuse(w, http.StatusGone, otherID)
		return
	}
	if !slices.Contains([]string{"event", "gap", "terminated"}, d.Kind) {
		r.note(unknownType, false)
		w.WriteHeader(http.StatusOK)
		return
	}
	r.deliver(&d)
	w.WriteHeader(http.StatusOK)
}

// answer echoes a challenge.
func (r *Receiver) answer(w http.ResponseWriter, body []byte) {
	r.mu.Lock()
	r.verified = true
	r.counts.Challenges++
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"challenge":` + jsonrpc.Quote(jsonrpc.Text(body, "challenge")) + `}`))
}

// deliver passes a delivery on.
func (r *Receiver) deliver(d *Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock() // one at a time
	if d.Again = r.seen[d.Message]; d.Again {
		r.counts.Again++
	} else {
		if len(r.oldest) >= maxMessages {
			delete(r.seen, r.oldest[0])
			r.oldest = r.oldest[1:]
		}
		r.seen[d.Message] = true
		r.oldest = append(r.oldest, d.Message)
	}
	r.counts.Accepted++
	r.Delivered(*d)
}

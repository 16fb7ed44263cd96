package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcptea/session/record"
)

// Response is what a receiver answers on purpose, a number of times.
type Response struct {
	Status    int           // of the response; 0 for the one that the delivery deserves
	Delay     time.Duration // before the response
	WrongEcho bool          // a challenge is answered with another one
	Count     int           // how many deliveries are answered so; 0 for all further ones
}

// Plan is what a receiver answers on purpose: each list in its order, then as the deliveries deserve. The zero value
// has it answer nothing so.
type Plan struct {
	Deliveries []Response // to deliveries that would be accepted, but for challenges
	Challenges []Response // to challenges that would be echoed
}

// IsEmpty reports a plan without a response.
func (p Plan) IsEmpty() bool { return len(p.Deliveries)+len(p.Challenges) == 0 }

// The bounds of a plan.
const (
	maxResponses = 100
	maxCount     = 1_000_000
	maxDelay     = 5 * time.Minute
)

// ParsePlan reads responses that are separated by commas: STATUS or delay=TIME, with *N for N deliveries and * for all
// further ones, and challenge= before those to challenges, where wrong is another one that leads to a failed verification.
func ParsePlan(text string) (p Plan, err error) {
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		rest, ofChallenge := strings.CutPrefix(item, "challenge=")
		r, err := parseResponse(rest, ofChallenge)
		if err != nil {
			return Plan{}, fmt.Errorf("%q: %w", item, err)
		}
		list := &p.Deliveries
		if ofChallenge {
			list = &p.Challenges
		}
		if n := len(*list); n > 0 && (*list)[n-1].Count == 0 {
			return Plan{}, fmt.Errorf("%q: the response before it is for all further ones", item)
		}
		if *list = append(*list, r); len(*list) > maxResponses {
			return Plan{}, fmt.Errorf("at most %d responses are possible", maxResponses)
		}
	}
	return p, nil
}

// String is the list that [ParsePlan] reads as the plan.
func (p Plan) String() string {
	items := make([]string, 0, len(p.Deliveries)+len(p.Challenges))
	for _, r := range p.Deliveries {
		items = append(items, r.String())
	}
	for _, r := range p.Challenges {
		items = append(items, "challenge="+r.String())
	}
	return strings.Join(items, ",")
}

// String is the item of [Plan.String], without challenge=.
func (r Response) String() string {
	text := strconv.Itoa(cmp.Or(r.Status, http.StatusOK))
	switch {
	case r.WrongEcho:
		text = "wrong"
	case r.Delay > 0:
		text = "delay=" + r.Delay.String()
	}
	switch r.Count {
	case 0:
		text += "*"
	case 1:
	default:
		text += "*" + strconv.Itoa(r.Count)
	}
	return text
}

// parseResponse reads one response.
func parseResponse(text string, ofChallenge bool) (r Response, err error) {
	what, times, repeated := strings.Cut(text, "*")
	r.Count = 1
	if repeated && times == "" {
		r.Count = 0
	} else if repeated {
		if r.Count, err = strconv.Atoi(times); err != nil || r.Count < 1 || r.Count > maxCount {
			return Response{}, fmt.Errorf("the number behind * is from 1 to %d", maxCount)
		}
	}
	if what == "wrong" && ofChallenge {
		r.WrongEcho = true
		return r, nil
	}
	if delay, ok := strings.CutPrefix(what, "delay="); ok {
		if r.Delay, err = time.ParseDuration(delay); err != nil || r.Delay <= 0 || r.Delay > maxDelay {
			return Response{}, fmt.Errorf("a delay is from 1ms to %s", maxDelay)
		}
		return r, nil
	}
	if r.Status, err = strconv.Atoi(what); err != nil || len(what) != 3 || r.Status < 200 || r.Status > 599 {
		return Response{}, errors.New("it is neither a status from 200 to 599 nor delay=TIME")
	}
	if r.Status/100 == 2 {
		r.Status = 0
	}
	return r, nil
}

// next takes the next response of a list; false if the delivery gets what it deserves.
func next(list *[]Response) (Response, bool) {
	if len(*list) == 0 {
		return Response{}, false
	}
	r := (*list)[0]
	switch r.Count {
	case 0:
	case 1:
		*list = (*list)[1:]
	default:
		rest := append([]Response(nil), *list...) // a plan is not changed
		rest[0].Count--
		*list = rest
	}
	return r, r.Status != 0 || r.Delay != 0 || r.WrongEcho
}

// Respond has the receiver answer on purpose from now on.
func (r *Receiver) Respond(p Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan = p
}

// Plan is what is left of what the receiver answers on purpose.
func (r *Receiver) Plan() Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan
}

// responseTimeout is how long a response may take to be written behind its delay.
const responseTimeout = 5 * time.Second

// asked answers a delivery as the user has asked for, and reports whether it did.
func (r *Receiver) asked(w http.ResponseWriter, q *http.Request, d *Delivery) (answered bool) {
	r.mu.Lock()
	list := &r.plan.Deliveries
	if d.What == "verification" {
		list = &r.plan.Challenges
	}
	a, ok := next(list)
	r.mu.Unlock()
	if !ok {
		return false
	}
	d.Asked, d.Took, d.WrongEcho = true, a.Delay, a.WrongEcho
	if a.Delay > 0 && !hold(w, q, a.Delay) {
		d.Took = time.Since(d.At)
		r.refused(*d)
		return true
	}
	if a.Status == 0 && !a.WrongEcho {
		return false
	}
	if d.Status = http.StatusOK; a.Status != 0 {
		d.Status = a.Status
	}
	if d.Status/100 == 3 {
		w.Header().Set("Location", r.token+record.RedirectedPath) // beside the callback, behind each tunnel
	}
	r.refused(*d)
	Write(w, *d)
	return true
}

// refused tells a delivery that is not accepted, as the user has asked for.
func (r *Receiver) refused(d Delivery) {
	r.mu.Lock()
	r.counts.Asked++
	r.mu.Unlock()
	r.tell(d)
}

// followed answers a request to where a redirect leads.
func (r *Receiver) followed(w http.ResponseWriter, q *http.Request, d Delivery) {
	body, _ := io.ReadAll(http.MaxBytesReader(w, q.Body, maxBody))
	d.Body, d.What, d.Status, d.Redirected = body, whatOf(body), http.StatusOK, true
	d.Path = cutPath(q)
	r.tell(d)
	w.WriteHeader(http.StatusOK)
}

// hold waits before the response. It returns false when the sender does not wait for it any more.
func hold(w http.ResponseWriter, q *http.Request, delay time.Duration) bool {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(delay + responseTimeout)) // a test may have none
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-q.Context().Done():
		return false
	}
}

// Read says what is known of a POST that is answered in another way than by [Receiver.ServeHTTP].
func (r *Receiver) Read(q *http.Request, body []byte) Delivery {
	d := deliveryOf(q)
	d.Body, d.What = body, whatOf(body)
	if d.Message != "" && d.Signature != "" {
		d.Signed = r.signedBy(d.Signature, message{q.Header.Get("webhook-id"), q.Header.Get("webhook-timestamp"), body})
	}
	if d.Signed.IsVerified() {
		r.attempt(&d)
	}
	return d
}

// Write writes the response to a delivery that was read to its end, with its status.
func Write(w http.ResponseWriter, d Delivery) {
	text, media := d.Response(d.Body)
	if media != "" {
		w.Header().Set("Content-Type", media)
	}
	w.WriteHeader(d.Status)
	_, _ = w.Write([]byte(text))
}

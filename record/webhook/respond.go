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

	"mcptea/record"
)

// A Response is a deliberate response of a receiver, for a number of requests.
type Response struct {
	Status    int           // HTTP status; 0 for the status that the delivery deserves
	Delay     time.Duration // delay before the response
	WrongEcho bool          // answer a challenge with a wrong echo
	Count     int           // number of deliveries answered like this; 0 for all later ones
}

// A Plan lists the deliberate responses of a receiver, in order. Later requests get the correct responses.
type Plan struct {
	Deliveries []Response // responses to deliveries that would be accepted, except challenges
	Challenges []Response // responses to challenges that would be echoed
}

// IsEmpty reports a plan without a response.
func (p Plan) IsEmpty() bool { return len(p.Deliveries)+len(p.Challenges) == 0 }

// The bounds of a plan.
const (
	maxResponses = 100
	maxCount     = 1_000_000
	maxDelay     = 5 * time.Minute
)

// ParsePlan parses a comma-separated list of responses: STATUS or delay=TIME, followed by *N for N deliveries
// or * for all later ones. The prefix challenge= makes it a response to challenges; its value wrong stands for
// a wrong echo, which makes the verification fail.
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
			return Plan{}, fmt.Errorf("%q: the response before it is for all later ones", item)
		}
		if *list = append(*list, r); len(*list) > maxResponses {
			return Plan{}, fmt.Errorf("at most %d responses are possible", maxResponses)
		}
	}
	return p, nil
}

// String returns the plan in the form that [ParsePlan] accepts.
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

// String returns the response as an item of [Plan.String], without challenge=.
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
			return Response{}, fmt.Errorf("the number after * is from 1 to %d", maxCount)
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

// next returns the next response of a list, or false if the delivery gets the correct response.
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

// Respond replaces the plan for later requests.
func (r *Receiver) Respond(p Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan = p
}

// Plan returns the rest of the plan.
func (r *Receiver) Plan() Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan
}

// responseTimeout bounds the time to write a response, after its delay.
const responseTimeout = 5 * time.Second

// asked responds to a delivery as the user has requested, and reports whether it did.
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
		w.Header().Set("Location", r.token+record.RedirectedPath) // relative to the callback, so that it works behind any tunnel
	}
	r.refused(*d)
	Write(w, *d)
	return true
}

// refused reports a delivery that is refused because the user has requested that.
func (r *Receiver) refused(d Delivery) {
	r.mu.Lock()
	r.counts.Asked++
	r.mu.Unlock()
	r.tell(d)
}

// followed answers a request to the target of a redirect.
func (r *Receiver) followed(w http.ResponseWriter, q *http.Request, d Delivery) {
	body, _ := io.ReadAll(http.MaxBytesReader(w, q.Body, maxBody))
	d.Body, d.What, d.Status, d.Redirected = body, whatOf(body), http.StatusOK, true
	d.Path = cutPath(q)
	r.tell(d)
	w.WriteHeader(http.StatusOK)
}

// hold waits before the response. It returns false if the sender gives up in the meantime.
func hold(w http.ResponseWriter, q *http.Request, delay time.Duration) bool {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(delay + responseTimeout)) // may fail in a test
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-q.Context().Done():
		return false
	}
}

// Read returns the Delivery for a POST that is not answered by [Receiver.ServeHTTP].
func (r *Receiver) Read(q *http.Request, body []byte) Delivery {
	d := deliveryOf(q)
	d.Body, d.What = body, whatOf(body)
	if d.Message != "" && d.Signature != "" {
		m := message{q.Header.Get("webhook-id"), q.Header.Get("webhook-timestamp"), body}
		if d.Signed = r.signedBy(d.Signature, m); d.Signed == record.SignedWrong {
			d.Trouble = string(r.whyWrong(d.Signature, m))
		}
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

package intercept

import (
	"fmt"
	"time"
)

// Injection is a fault in the hands of a server, which chooses the responses itself that it
// is for.
type Injection struct{ rule rule }

// Inject returns the injection of a fault, without its filter. The error describes a problem of the fault.
func Inject(f Fault) (Injection, error) {
	r, err := newRule(f)
	if err == nil && f.Name == reorder {
		err = fmt.Errorf("fault %s is for a connection, not for one response", f.Name)
	}
	return Injection{r}, err
}

// Probability returns the probability of the fault, from 0 to 1.
func (i Injection) Probability() float64 {
	if i.rule.Probability == 0 {
		return 1
	}
	return i.rule.Probability
}

// Delay returns the delay of the response.
func (i Injection) Delay() time.Duration { return i.rule.delay }

// Status returns the HTTP response that replaces the server's response, or nil for a fault of messages.
func (i Injection) Status() *Status { return i.rule.status }

// Apply returns the frames that replace a response.
func (i Injection) Apply(frame []byte) [][]byte { return i.rule.apply([][]byte{frame}) }

package lint

import (
	"time"

	"mcptea/record"
)

// Delivery is a recorded POST to the callback of a webhook.
type Delivery struct {
	record.Delivery
	Body []byte // empty if it was not read
	Row  int32
}

// Delivery checks a POST to the callback of a webhook.
func (e *Engine) Delivery(at time.Time, d *Delivery) {
	e.st.Now = at
	e.run(e.rulesOf(e.st.Revision).delivery, &Context{St: e.st, Delivery: d, engine: e})
	e.flush()
}

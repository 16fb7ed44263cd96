package webhook

import (
	"net/http"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
)

// A delivery takes memory and time that grow with its body, if its signature is right and if it is not: then other
// forms of the body are tried, to name the mistake.
func TestReceiver_Growth(t *testing.T) {
	raced.Never(t, "measures memory")
	for _, s := range growth.Shapes {
		growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost {
			body := `{"eventId":"e1","data":` + p.Value + `}`
			deliver := func(change func(q *http.Request)) growth.Cost {
				r := newRig(t)
				_, _ = r.post("msg_1", `{"type":"verification","challenge":"a"}`, nil)
				return growth.Of(func() { r.post("e1", body, change) })
			}
			return map[string]growth.Cost{
				"signed":        deliver(nil),
				"signed wrong":  deliver(func(q *http.Request) { q.Header.Set("webhook-signature", "v1,AAAA") }),
				"without a key": deliver(func(q *http.Request) { q.Header.Set("webhook-signature", "v1,") }),
			}
		})
	}
}

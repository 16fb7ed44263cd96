package record

import (
	"cmp"
	"encoding/base64"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// A Delivery is a POST to the callback of a webhook (SEP-3415). The event holds the body. Accepted
// deliveries are recorded, and the first ones refused for each reason. No member contains the
// secret of the subscription.
type Delivery struct {
	Callback string // URL that the client sent in events/subscribe
	// The headers, as received and truncated: webhook-id, webhook-timestamp, webhook-signature,
	// X-MCP-Subscription-Id and Content-Type.
	Message, Timestamp, Signature, Subscription, ContentType string

	Method string // method of the request; "" for POST
	Path   string // path of the request, truncated, or "" for the path of the callback

	Status  int       // HTTP status of the response, or 0
	Trouble string    // description of the fault, or ""
	What    string    // "event", or the type of a control message, or "" if the request was refused before its body was read
	Again   bool      // a message with the same id came before
	Signed  Signature // verdict on its signature

	Retry int           // earlier attempts at the same message that were not accepted
	After time.Duration // time since the previous attempt, for a retry
	Asked bool          // the user requested this response, whatever the delivery contains
	Took  time.Duration // delay of the response that the user requested
	// WrongEcho reports whether mcptea answered a challenge with a wrong echo because the user
	// requested it.
	WrongEcho bool
	// Redirected reports whether the request went to the target of a redirect that the user
	// requested.
	Redirected bool
}

// A Signature is a receiver's verdict on the signature of a delivery.
type Signature string

// The verdicts on a signature.
const (
	NotVerified    Signature = ""         // the request was refused before the signature was verified
	SignedCurrent  Signature = "current"  // valid with the current secret of the subscription
	SignedPrevious Signature = "previous" // valid only with the previous secret
	SignedBoth     Signature = "both"     // one valid signature for each of the two secrets
	SignedWrong    Signature = "no"       // the signature does not verify
)

// IsVerified reports whether the sender has a secret of the subscription. Only the server has it.
func (s Signature) IsVerified() bool { return s == SignedCurrent || s.IsRotation() }

// IsRotation reports whether the server signed while it was changing from one secret to the next.
func (s Signature) IsRotation() bool { return s == SignedPrevious || s == SignedBoth }

// Rotation describes which secrets verify the signature while a server changes its secret. It returns "" if
// only the newest does.
func (s Signature) Rotation() string {
	switch s {
	case SignedPrevious:
		return "previous secret"
	case SignedBoth:
		return "both secrets"
	}
	return ""
}

// IsMilliseconds reports whether a Unix time can only be in milliseconds. webhook-timestamp must be
// in seconds.
func IsMilliseconds(n int64) bool { return n > 100_000_000_000 }

// Words describes the verdict, or returns "" if there is no verdict.
func (s Signature) Words() string {
	switch s {
	case SignedCurrent:
		return "verified"
	case SignedPrevious:
		return "verified with the previous secret"
	case SignedBoth:
		return "verified with both secrets"
	case SignedWrong:
		return "not verified"
	}
	return ""
}

// RedirectedPath is appended to a callback URL. The result is the target of the redirect that the
// user requested.
const RedirectedPath = "/redirected"

// IsRefused reports whether the receiver has refused the delivery.
func (d *Delivery) IsRefused() bool { return d.Status/100 != 2 }

// Name returns the name of the event in the body, or the type of a control message, or "".
func (d *Delivery) Name(body []byte) string {
	if d.What != "event" {
		return d.What
	}
	name, _ := jsonrpc.Start(body, "name")
	text, _ := jsonrpc.Unquote(name)
	return text
}

// Request returns the method of the request and the URL at which it arrived.
func (d *Delivery) Request() (method, address string) {
	method, address = cmp.Or(d.Method, http.MethodPost), d.Callback
	if u, err := url.Parse(d.Callback); err == nil && d.Path != "" {
		u.Path, u.RawPath, u.RawQuery = d.Path, "", ""
		address = u.String()
	}
	return method, address
}

// Fields returns the recorded headers of the request, in the order of Standard Webhooks.
func (d *Delivery) Fields() [][2]string {
	all := [][2]string{
		{"webhook-id", d.Message},
		{"webhook-timestamp", d.Timestamp},
		{"webhook-signature", d.Signature},
		{"X-MCP-Subscription-Id", d.Subscription},
		{"Content-Type", d.ContentType},
	}
	return slices.DeleteFunc(all, func(f [2]string) bool { return f[1] == "" })
}

// Line describes the response to a delivery and the reasons for it. It contains the status, the
// number of the retry, the behavior requested by the user, the verdict on the signature, and the
// fault. Parts that may be truncated come last.
func (d *Delivery) Line() string {
	text := ""
	if d.Status != 0 {
		text = strconv.Itoa(d.Status)
	}
	say := func(separator, more string) {
		if text != "" && more != "" {
			text += separator
		}
		text += more
	}
	say("  ", d.RetryWords())
	say("  ", d.AskedWords())
	if d.Signed != SignedWrong || d.Trouble == "" { // the trouble already describes a wrong signature
		say("  ", d.Signed.Words())
	}
	if d.Again {
		say(", ", "received before")
	}
	say("  ", d.Trouble)
	return text
}

// RetryWords describes the number of the retry, or returns "" for the first attempt.
func (d *Delivery) RetryWords() string {
	if d.Retry == 0 {
		return ""
	}
	return "retry " + strconv.Itoa(d.Retry) + " after " + phrase.Duration(d.After)
}

// AskedWords describes the behavior that the user requested from the receiver, or returns "".
func (d *Delivery) AskedWords() string {
	switch {
	case d.Redirected:
		return "by the requested redirect"
	case !d.Asked:
		return ""
	case d.WrongEcho:
		return "another challenge echoed, as requested"
	case d.Status == 0:
		return "the sender did not wait for the response, held back for " + phrase.Duration(d.Took)
	case d.Status/100 == 3:
		return "redirected, as asked"
	case d.IsRefused() && d.Took == 0:
		return "refused, as asked"
	case d.IsRefused():
		return "refused after " + phrase.Duration(d.Took) + ", as asked"
	}
	return "answered after " + phrase.Duration(d.Took) + ", as asked"
}

// Response returns the body and the media type of the receiver's response to a delivery, or "".
func (d *Delivery) Response(body []byte) (text, media string) {
	switch {
	case d.Status == 0 || d.Redirected:
		return "", ""
	case d.WrongEcho:
		return `{"challenge":"mcptea"}`, "application/json"
	case d.What == "verification" && !d.IsRefused():
		return `{"challenge":` + jsonrpc.Quote(jsonrpc.Text(body, "challenge")) + `}`, "application/json"
	case !d.IsRefused():
		return "", ""
	case d.Trouble == "":
		return d.AskedWords() + "\n", "text/plain; charset=utf-8"
	}
	return d.Trouble + "\n", "text/plain; charset=utf-8"
}

func (d *Delivery) members(c *codec) {
	c.optional("callback", &d.Callback)
	c.optional("id", &d.Message)
	c.optional("timestamp", &d.Timestamp)
	c.optional("signature", &d.Signature)
	c.optional("subscription", &d.Subscription)
	c.optional("type", &d.ContentType)
	c.optional("method", &d.Method)
	c.optional("path", &d.Path)
	positive(c, "status", &d.Status, math.MaxInt16)
	c.optional("trouble", &d.Trouble)
	c.optional("what", &d.What)
	c.flag("again", &d.Again)
	signed := string(d.Signed)
	c.optional("signed", &signed)
	d.Signed = Signature(signed)
	positive(c, "retry", &d.Retry, math.MaxInt32)
	positive(c, "after", &d.After, maxTook)
	c.flag("asked", &d.Asked)
	positive(c, "took", &d.Took, maxTook)
	c.flag("wrong_echo", &d.WrongEcho)
	c.flag("redirected", &d.Redirected)
}

// DeliveryIn reads the line of a delivery except for its body.
func DeliveryIn(line []byte) (d Delivery) {
	d.members(&codec{line: line})
	return d
}

// body encodes or decodes the body of a delivery, written like the bytes of a frame.
func (e *Event) body(c *codec) {
	if c.reads() {
		var body []byte
		body, e.Payload, c.err = payload(c.line, false)
		e.Text = string(body)
		return
	}
	body := []byte(e.Text)
	var p Payload
	if c.dst, p = appendPayloadHead(c.dst, 0, body, hasVerbatim(body)); p.Base64 {
		c.dst = append(base64.StdEncoding.AppendEncode(c.dst, body), '"')
	} else {
		c.dst = append(c.dst, body...)
	}
}

func hasVerbatim(body []byte) bool {
	e := jsonrpc.Scan(body)
	return isVerbatim(body, &e)
}

// PayloadIn returns the position of a delivery's body in its line. size is the length of the line without its
// newline.
func (e *Event) PayloadIn(size int) Payload {
	if hasVerbatim([]byte(e.Text)) {
		return Payload{Offset: size - len("}") - len(e.Text), stored: len(e.Text)}
	}
	stored := base64.StdEncoding.EncodedLen(len(e.Text))
	return Payload{Offset: size - len(`"}`) - stored, stored: stored, Base64: true}
}

// Past returns [Event.Past] for a row. deliveries holds the sorted rows of the deliveries. Programs
// that do not know deliveries do not count them as rows. So the file numbers the other rows without
// deliveries. For the row of a delivery, Past returns the whole number, and such programs find no
// row.
func Past(deliveries []int32, row int32) int32 {
	n, isDelivery := slices.BinarySearch(deliveries, row)
	if isDelivery {
		return row + 1
	}
	return int32(n)
}

// maxCallbacks bounds the remembered callbacks. The oldest is forgotten first.
const maxCallbacks = 500

// Callbacks finds the request that subscribed to a delivery: the first request with the callback.
// The zero value is empty.
type Callbacks struct {
	rows   map[string]int32 // rows by URL
	oldest []string
}

// Frame records the row of a frame if the frame is a request that subscribes to deliveries.
func (c *Callbacks) Frame(f *transport.Frame, row int32) {
	e := &f.Envelope
	if e.Kind != jsonrpc.Request || f.Dir != transport.Out || string(e.MethodText(f.Bytes)) != revision.EventsSubscribe {
		return
	}
	url := jsonrpc.Text(f.Bytes, "params", "delivery", "url")
	if _, known := c.rows[url]; known || url == "" {
		return
	}
	if len(c.oldest) >= maxCallbacks {
		delete(c.rows, c.oldest[0])
		c.oldest = c.oldest[1:]
	}
	if c.rows == nil {
		c.rows = map[string]int32{}
	}
	c.rows[url] = row
	c.oldest = append(c.oldest, url)
}

// Of returns the row of the request that subscribed to a delivery.
func (c *Callbacks) Of(d *Delivery) (row int32, ok bool) {
	row, ok = c.rows[d.Callback]
	return row, ok
}

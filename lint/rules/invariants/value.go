package invariants

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// eventOf returns the JSON value of an event: a message, or the body of a delivery.
func eventOf(c *lint.Context) []byte {
	if c.Delivery != nil {
		return c.Delivery.Body
	}
	return c.M.Bytes
}

// names decodes the names in a pointer (RFC 6901, section 4).
var names = strings.NewReplacer("~1", "/", "~0", "~")

// each returns the values at a pointer. In the pointer, * matches each element of an array.
func each(v []byte, pointer string) [][]byte {
	at := [][]byte{v}
	if pointer == "" {
		return at
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		var next [][]byte
		for _, one := range at {
			if part == "*" {
				for element := range jsonrpc.Elements(one) {
					next = append(next, element)
				}
			} else if x := jsonrpc.Get(one, names.Replace(part)); x != nil {
				next = append(next, x)
			}
		}
		at = next
	}
	return at
}

// valueOf returns the value of an expression, or nil. "/a/b" is a pointer into the thing. "request:/a" is
// a pointer into the params of the request of a result, "stream:/a" into the params of the stream of a
// notification, and "callback:/a" into the params of the subscription of a delivery. "header:webhook-id"
// is a header of a delivery. The refreshBefore of "callback:" is taken from the result.
func valueOf(c *lint.Context, thing []byte, expression string) []byte {
	where, pointer, ok := strings.Cut(expression, ":")
	if !ok || strings.HasPrefix(expression, "/") {
		where, pointer = "", expression
	}
	from := thing
	switch where {
	case "header":
		return []byte(jsonrpc.Quote(headerOf(c.Delivery, pointer)))
	case "request":
		from = c.M.Request.Params
	case "stream":
		from = nil
		if r := c.St.Flows.Find(transport.Out, jsonrpc.TokenOf(jsonrpc.Get(c.M.Params, "_meta", revision.MetaSubscriptionID))); r != nil {
			from = r.Params
		}
	case "callback":
		key := lint.ShortKey(c.Delivery.Callback)
		if pointer == "/refreshBefore" {
			return lint.Own[memory](c.St).leases[key]
		}
		from = lint.Own[memory](c.St).callbacks[key]
	}
	if from == nil {
		return nil
	}
	if found := each(from, pointer); len(found) > 0 {
		return found[0]
	}
	return nil
}

// headerOf returns a header of a delivery.
func headerOf(d *lint.Delivery, name string) string {
	if name == "webhook-timestamp" {
		return d.Timestamp
	}
	return d.Message
}

// isNull reports whether a value is absent or null, which mean the same in Events.
func isNull(v []byte) bool { return v == nil || string(v) == "null" }

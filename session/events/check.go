package events

import (
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/check"
	"mcptea/lint/occurrence"
)

// Check returns the mistakes in the event of an entry of a subscription to the type name: the mistakes that lint
// reports of its frame or its delivery. isChecked reports whether its data was compared with the payloadSchema
// currently listed for the type.
func (t *Tracker) Check(name string, e *Entry) (faults []occurrence.Fault, isChecked bool) {
	of := occurrence.Subscription{Name: name, IsHook: e.Delivery != nil}
	if schema := t.session.Payload(name); jsonrpc.TypeOf(schema) == "object" {
		t.mu.Lock()
		of.Payload = t.payloads.Compile(schema, check.Options{})
		t.mu.Unlock()
	}
	return occurrence.Faults(e.Event.Raw, of)
}

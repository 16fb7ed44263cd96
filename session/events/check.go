package events

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/check"
)

// A Fault is a mistake in an event.
type Fault struct {
	// Place is a JSON pointer into the event, such as /data/total; "payloadSchema" of the schema itself.
	Place string
	// Reason is the rest of a sentence that begins with the place.
	Reason string
	// Schema reports that the data does not conform to the payloadSchema of the type.
	Schema bool
}

// String returns the place and the reason.
func (f Fault) String() string { return f.Place + " " + f.Reason }

// checks keeps the schemas that were read. It is guarded by a lock of its own tracker.
type checks struct{ cache check.Cache }

// maxFaults bounds the faults of one event that are returned.
const maxFaults = 20

// Check returns the mistakes in an event of a subscription: members that are missing or have the wrong type,
// and data that does not conform to the payloadSchema currently listed for the type. isChecked reports whether
// there is such a schema and it can be used.
func (t *Tracker) Check(name string, o Occurrence) (faults []Fault, isChecked bool) {
	faults = shapeFaults(name, o)
	schema := t.session.Payload(name)
	if len(schema) == 0 || len(o.Data) == 0 {
		return faults, false
	}
	t.mu.Lock()
	s := t.checks.cache.Compile(schema, check.Options{})
	t.mu.Unlock()
	if s.Problem() != nil {
		return faults, false
	}
	if first, known := s.Check(o.Data); !known {
		return faults, false
	} else if first == nil {
		return faults, true
	}
	for _, m := range s.Each(o.Data) {
		if len(faults) == maxFaults {
			break
		}
		faults = append(faults, Fault{Place: "/data" + m.About, Reason: m.Reason, Schema: true})
	}
	return faults, true
}

// shapeFaults returns the mistakes in the members of an event (SEP-3415, EventOccurrence).
func shapeFaults(name string, o Occurrence) (faults []Fault) {
	fault := func(place, reason string) { faults = append(faults, Fault{Place: place, Reason: reason}) }
	text := func(member string) (value string, ok bool) {
		raw, there := jsonrpc.Member(o.Raw, member)
		if !there {
			fault("/"+member, "is missing")
			return "", false
		}
		value, ok = jsonrpc.Unquote(raw)
		if !ok {
			fault("/"+member, "is not a string")
		}
		return value, ok
	}
	if id, ok := text("eventId"); ok && id == "" {
		fault("/eventId", "is empty")
	}
	if of, ok := text("name"); ok && of != name {
		fault("/name", "is not that of the subscription")
	}
	if at, ok := text("timestamp"); ok && !isTimestamp(at) {
		fault("/timestamp", "is not a time with a zone in ISO 8601")
	}
	switch {
	case o.Data == nil:
		fault("/data", "is missing")
	case jsonrpc.TypeOf(o.Data) != "object":
		fault("/data", "is not an object")
	}
	if _, ok := cursorOf(o.Raw); !ok {
		fault("/cursor", "is neither a string nor null")
	}
	return faults
}

func isTimestamp(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil
}

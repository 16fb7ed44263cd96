// Package occurrence judges an event of the extension Events (SEP-3415): its members, and its data. The rules of
// lint judge the events of frames and deliveries with it, and a session the events of its subscriptions.
package occurrence

import (
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema/check"
	"mcptea/lint"
	"mcptea/lint/shape"
)

// A Fault is a mistake in an event.
type Fault struct {
	Rule   string // id of the lint rule that reports the mistake in a frame
	Place  string // JSON pointer into the event, such as /data/total
	Reason string // rest of a sentence that starts with the place
}

// String returns the rule, the place and the reason.
func (f Fault) String() string { return f.Rule + " " + f.Place + " " + f.Reason }

// The rules about an event. An event in a frame has the rules of its definition instead of Delivery.
const (
	Delivery  = "V093"
	Name      = "V020"
	Data      = "V021"
	Timestamp = "V022"
	ID        = "V025"
)

// ofProblem maps a difference from the definition to the rule that reports it in a frame.
var ofProblem = map[shape.Problem]string{shape.WrongType: "D001", shape.Missing: "D002", shape.WrongValue: "D003", shape.Null: "D004"}

// A Subscription is what an event is compared with.
type Subscription struct {
	Name    string        // name of the event type, or "" if unknown
	Payload *check.Schema // compiled payloadSchema of the type, or nil if it has none
	IsHook  bool          // the event was delivered to a callback
}

// maxFaults bounds the faults of one event that are returned.
const maxFaults = 20

// Faults returns the mistakes in an event. isChecked reports whether its data was compared with the payloadSchema.
func Faults(event []byte, of Subscription) (faults []Fault, isChecked bool) {
	add := func(rule, place, reason string) {
		if len(faults) < maxFaults {
			faults = append(faults, Fault{rule, place, reason})
		}
	}
	for _, f := range Shape(event) {
		rule := ofProblem[f.Problem]
		if of.IsHook {
			rule = Delivery
		}
		add(rule, f.Path, lint.Wrong(f))
	}
	if IsIDEmpty(event) {
		add(ID, "/eventId", "is empty")
	}
	if got, isOther := OtherName(event, of.Name); isOther {
		add(Name, "/name", "is "+lint.Quoted(got)+", but the subscription is for "+lint.Quoted(of.Name))
	}
	if got, isInvalid := InvalidTime(event); isInvalid {
		add(Timestamp, "/timestamp", "is "+lint.Quoted(got)+", which is not ISO 8601")
	}
	first, isChecked := Mismatch(event, of.Payload)
	if first != nil {
		for _, m := range of.Payload.Each(jsonrpc.Get(event, "data")) {
			add(Data, "/data"+m.About, m.Reason)
		}
	}
	return faults, isChecked
}

// definition returns the definition of an event.
var definition = sync.OnceValue(func() *shape.Object { return shape.Of(revision.R20260728).Named("EventOccurrence") })

// Shape returns the differences of an event from its definition, in the order of its members; missing members are
// last.
func Shape(event []byte) (faults []*shape.Fault) {
	var c shape.Checker
	c.Check(definition(), event, func(f *shape.Fault) { faults = append(faults, f) })
	return faults
}

// IsIDEmpty reports whether the eventId of an event is an empty string.
func IsIDEmpty(event []byte) bool {
	id, ok := jsonrpc.Unquote(jsonrpc.Get(event, "eventId"))
	return ok && id == ""
}

// OtherName returns the name of an event, and whether it differs from the name of the subscription. It does not if
// one of them is unknown.
func OtherName(event []byte, want string) (got string, isOther bool) {
	got, isText := jsonrpc.Unquote(jsonrpc.Get(event, "name"))
	return got, isText && want != "" && got != want
}

// InvalidTime returns the timestamp of an event, and whether it is a string that is not ISO 8601 with date, time and
// time zone.
func InvalidTime(event []byte) (got string, isInvalid bool) {
	got, isText := jsonrpc.Unquote(jsonrpc.Get(event, "timestamp"))
	if !isText {
		return "", false
	}
	return got, !isoTime().MatchString(got)
}

// isoTime matches a date, a time and a time zone in the forms of ISO 8601: with or without separators, by month, by week
// or by day of the year. RFC 3339 is a part of it. Seconds can be 60, and the hour 24.
var isoTime = lazyregexp.New(`^\d{4}(?:-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|-?W(?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]|-?(?:[0-2]\d\d|3[0-6]\d))` +
	`[Tt ](?:[01]\d|2[0-4])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?(?:[Zz]|[+\-−](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$`)

// Mismatch returns the first difference of the data of an event from a payloadSchema, or nil. isChecked is false if
// there are no data or no schema, or the schema cannot be used.
func Mismatch(event []byte, payload *check.Schema) (first *check.Mismatch, isChecked bool) {
	data := jsonrpc.Get(event, "data")
	if data == nil || payload == nil || payload.Problem() != nil {
		return nil, false
	}
	return payload.Check(data)
}

package revision

// EventsExtension is the extension for servers that report events of upstream systems (SEP-3415).
// EventsCapability is the capability that earlier drafts had instead. Hosts such as ChatGPT still
// read it.
const (
	EventsExtension  = reservedPrefix + "events"
	EventsCapability = "events"
)

// The requests of the extension, and its notifications, which except for the last one belong to
// an events/stream request.
const (
	EventsList        = "events/list"
	EventsPoll        = "events/poll"
	EventsStream      = "events/stream"
	EventsSubscribe   = "events/subscribe"
	EventsUnsubscribe = "events/unsubscribe"

	EventsActive      = "notifications/events/active"
	EventsEvent       = "notifications/events/event"
	EventsHeartbeat   = "notifications/events/heartbeat"
	EventsError       = "notifications/events/error"
	EventsTerminated  = "notifications/events/terminated"
	EventsListChanged = "notifications/events/list_changed"
)

// The modes in which a server delivers the events of a type.
const (
	DeliveryPoll    = "poll"
	DeliveryPush    = "push"
	DeliveryWebhook = "webhook"
)

// Deliveries returns the modes in which a server delivers events: poll, push and webhook.
func Deliveries() []string { return []string{DeliveryPoll, DeliveryPush, DeliveryWebhook} }

// EventsDeclared reports where the capabilities of a server declare events: extension is set for extensions, as
// SEP-3415 requires, and capability for a capability of its own, as in its drafts.
func EventsDeclared(capabilities []byte) (extension, capability bool) {
	return Declares(capabilities, "extensions", EventsExtension), Declares(capabilities, EventsCapability)
}

// EventError is a kind of error of the extension, with its code in SEP-3415 and in the earlier drafts. The
// codes of SEP-3415 are provisional.
type EventError struct {
	Name        string
	Code, Draft int
}

// The errors of the events extension.
var (
	EventNotFound    = EventError{"NotFound", -32023, -32011}
	EventForbidden   = EventError{"Forbidden", -32024, -32012}
	EventExhausted   = EventError{"ResourceExhausted", -32025, -32013}
	EventUnsupported = EventError{"Unsupported", -32026, -32014}
	EventCallback    = EventError{"CallbackEndpointError", -32027, -32015}
)

var eventErrors = [...]EventError{EventNotFound, EventForbidden, EventExhausted, EventUnsupported, EventCallback}

// EventErrorOf finds the error of a code. draft reports that it is the code of the earlier drafts.
func EventErrorOf(code int64) (e EventError, draft, ok bool) {
	for _, e := range eventErrors {
		if code == int64(e.Code) || code == int64(e.Draft) {
			return e, code == int64(e.Draft), true
		}
	}
	return EventError{}, false, false
}

// Is reports a code of the error, of either numbering.
func (e EventError) Is(code int64) bool { return code == int64(e.Code) || code == int64(e.Draft) }

// eventRequest returns the ways of a request of the events extension. Its drafts are used with the same
// version.
func eventRequest() []way {
	return []way{{span: since(newest), sender: Client, needs: path("extensions", EventsExtension), or: path(EventsCapability)}}
}

// eventNotification returns the way of a notification of the events extension.
func eventNotification(more ...string) []way {
	return []way{{
		span: since(newest), sender: Server,
		needs: append(path("extensions", EventsExtension), more...), or: append(path(EventsCapability), more...),
	}}
}

package use

import (
	"slices"
	"strconv"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/events"
)

// refusal is a delivery that was refused on purpose and has not been sent again yet.
type refusal struct {
	message, shown string // webhook-id, and its displayed form
	status         int    // 0 if there was no response
	at             time.Time
	retry          int
}

// maxRefusals bounds the rejected deliveries whose retry is awaited. The oldest is dropped first.
const maxRefusals = 100

// note records a delivery that is refused on purpose, or that is sent again after that.
func (l *eventListener) note(e *events.Entry) {
	d := e.Delivery
	if d == nil || e.Kind == events.Challenged {
		return
	}
	l.refused = slices.DeleteFunc(l.refused, func(r refusal) bool { return r.message == d.MessageID })
	if e.Kind != events.Refused || d.MessageID == "" || d.Status/100 == 2 {
		return
	}
	if len(l.refused) == maxRefusals {
		l.refused = l.refused[1:]
	}
	shown := e.Event.ID
	if shown == "" {
		shown = d.MessageID
	}
	l.refused = append(l.refused, refusal{d.MessageID, display.Sanitize(display.Cut(shown, maxShownID)), d.Status, e.Time, d.Retry})
}

// open prints which rejected deliveries were not repeated. They might have been repeated after the command
// stopped waiting.
func (l *eventListener) open() {
	if l.p.JSON {
		return // the objects have it
	}
	for _, r := range l.refused {
		text := r.shown + " was not answered"
		if r.status != 0 {
			text = r.shown + " was answered " + strconv.Itoa(r.status)
		}
		if r.retry > 0 {
			text += " at retry " + strconv.Itoa(r.retry)
		}
		l.say(text + ", and did not come again in the " + phrase.Duration(time.Since(r.at).Round(10*time.Millisecond)) + " until the end")
	}
}

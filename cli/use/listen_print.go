package use

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/changes"
	"mcptea/offer/diff"
	"mcptea/record/sequence"
)

// ListenEvent is a notification, as mcptea listen --json prints it.
type ListenEvent struct {
	Time   time.Time       `json:"time"`             // time of arrival
	Method string          `json:"method"`           // method, such as notifications/tools/list_changed
	Params json.RawMessage `json:"params,omitempty"` // as received
	Missed bool            `json:"missed,omitempty"` // no notification: the list had changed when the connection was made again
	Change *ListChange     `json:"change,omitempty"` // changes of the list that mcptea fetched again; absent for other notifications, with --no-refresh, and if the next notification of the list arrived first
}

// ListChange describes the changes of a list.
type ListChange struct {
	Added   []string `json:"added"`   // names, or URIs
	Removed []string `json:"removed"` // names, or URIs
	Changed []string `json:"changed"` // names, or URIs
	// Members maps the names of changed entries to the members that differ.
	Members map[string][]string `json:"members"`
}

// notification is one that was received.
type notification struct {
	at     time.Time
	frame  []byte
	method string
	params []byte
	missed bool // the notification was not received: the lists were compared
}

// print prints a notification: a line of text, an object, or its frame.
func (l *listener) print(n notification, change *ListChange) error {
	switch {
	case l.flags.frames:
		return l.p.Out.Line(l.p.Out.JSON(oneLine(n.frame)))
	case l.p.JSON:
		return l.p.PrintDocument(ListenEvent{Time: n.at.UTC(), Method: n.method, Params: n.params, Missed: n.missed, Change: change})
	}
	return l.p.Out.Line(l.p.Out.Faint(n.at.Format("15:04:05.000")) + "  " + l.p.Out.Safe(n.words(change)))
}

// oneLine returns a frame without line breaks, which occur between tokens only.
func oneLine(frame []byte) string {
	var one bytes.Buffer
	if bytes.ContainsAny(frame, "\r\n") && json.Compact(&one, frame) == nil {
		return one.String()
	}
	return string(bytes.TrimSpace(frame))
}

// maxLogged bounds the part of a log message and of unknown params in a line, in bytes.
const maxLogged = 4 << 10

// words returns a notification in a line, from the server.
func (n *notification) words(change *ListChange) string {
	if kinds := listsChanged(n.method); len(kinds) > 0 {
		changed := " changed"
		if n.missed {
			changed = " changed meanwhile"
		}
		return kinds[0].Name + changed + change.words()
	}
	e := jsonrpc.Scan(n.frame)
	w := sequence.WordsOf(jsonrpc.Notification, n.method, n.frame, e.ReadFault())
	return display.Sanitize(w.Noun + " " + phrase.Clip(w.Text, maxLogged))
}

// words describes a change in a line, or returns "" if it is unknown.
func (c *ListChange) words() string {
	if c == nil {
		return ""
	}
	var words []string
	for _, name := range c.Added {
		words = append(words, "+"+display.Sanitize(name))
	}
	for _, name := range c.Removed {
		words = append(words, "-"+display.Sanitize(name))
	}
	for _, name := range c.Changed {
		word := "~" + display.Sanitize(name)
		if members := c.Members[name]; len(members) > 0 {
			word += " (" + display.Sanitize(strings.Join(members, ", ")) + ")"
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return ": the list is the same"
	}
	return ": " + strings.Join(words, " ")
}

// comparedOf returns the entries of a list, for a comparison.
func comparedOf(list offer.List) []changes.Entry {
	entries := make([]changes.Entry, len(list.Items))
	for i, item := range list.Items {
		entries[i] = changes.Entry{Key: item.Key(), Raw: item.Raw}
	}
	return entries
}

// compare returns the differences between lists and the lists of the previous comparison.
func (l *listener) compare(names []string, lists map[string]offer.List) *ListChange {
	c := &ListChange{Added: []string{}, Removed: []string{}, Changed: []string{}, Members: map[string][]string{}}
	for _, name := range names {
		l.tracker.SetList(name, comparedOf(lists[name]), 0)
		for _, it := range l.tracker.Snapshot().In(name) {
			switch {
			case it.Renamed != "": // readers of names see one removed and one added entry
				c.Added, c.Removed = append(c.Added, it.Key), append(c.Removed, it.Renamed)
			case it.Kind == diff.Added:
				c.Added = append(c.Added, it.Key)
			case it.Kind == diff.Removed:
				c.Removed = append(c.Removed, it.Key)
			default:
				c.Changed = append(c.Changed, it.Key)
				for _, g := range it.Groups {
					c.Members[it.Key] = append(c.Members[it.Key], g.Member)
				}
			}
		}
	}
	l.tracker.SeeList(names...)
	return c
}

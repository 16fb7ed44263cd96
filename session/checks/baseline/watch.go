package baseline

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/session/record"
	"mcptea/session/record/flow"
)

// Watch compares what the server of a session offers with a baseline file, while the session
// goes on. What the file does not have of a server is trusted at its first use: it is written
// to the file, and said. It changes nothing of the session. It is not safe for concurrent use.
type Watch struct {
	path    string
	say     func(text string)
	matcher *flow.Matcher
	lists   *Follower
	said    map[*Offer]string // the drift that was said last
	broken  bool              // the file cannot be used, which was said
	drift   string            // of the event
}

// NewWatch returns a watch that calls say with each sentence for the user: a line without its
// newline. It returns nil without a path.
func NewWatch(path string, say func(text string)) *Watch {
	if path == "" {
		return nil
	}
	w := &Watch{path: path, say: say, matcher: flow.NewMatcher(flow.Limits{}), lists: NewFollower(), said: map[*Offer]string{}}
	w.lists.Listed = w.listed
	return w
}

// Event takes the next event of the session, with its row in the recording. It returns what
// has changed since the baseline, as a sentence, if the event has shown that; else an empty text.
func (w *Watch) Event(e *record.Event, row int32) (drift string) {
	w.drift = ""
	if e.Kind == record.KindConnection {
		w.lists.Connection(e.Connection)
	}
	matches := w.matcher.Event(e, row)
	for i := range matches {
		w.lists.Match(&matches[i], e.Frame.Side, row)
	}
	return w.drift
}

// listed compares a server of which a list has become complete.
func (w *Watch) listed(now *Offer, _ string) {
	file, err := read(w.path)
	if err != nil {
		w.fail(err)
		return
	}
	old, _ := file.Find(now)
	if now.News(old) != "" {
		if old, err = w.trust(now); err != nil {
			w.fail(err)
			return
		}
	}
	if old != nil {
		w.compare(old, now)
	}
}

// fail says once that the file cannot be used.
func (w *Watch) fail(err error) {
	if !w.broken {
		w.broken = true
		w.say(fmt.Sprintf("nothing is compared with the baseline: %v; the session continues", err))
	}
}

// maxShown is how many changes a sentence names.
const maxShown = 3

// maxPlace is how many bytes of the place of a change a sentence has.
const maxPlace = 200

func (w *Watch) compare(old, now *Offer) {
	changes := old.Changes(now)
	var shown []string
	for _, c := range changes[:min(len(changes), maxShown)] {
		shown = append(shown, fmt.Sprintf("%s %s", phrase.Clip(c.Place(), maxPlace), c.Kind))
	}
	if more := len(changes) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	text := ""
	if len(shown) > 0 {
		text = fmt.Sprintf("%s offers something else than in the baseline %s: %s", now, w.path, strings.Join(shown, ", "))
	}
	if text == w.said[now] {
		return
	}
	w.said[now], w.drift = text, text
	if text != "" {
		w.say("drift: " + text)
	}
}

// trust writes the lists that the file does not have. It returns what the file had of the server
// before, which another tap may have written a moment ago; nil for nothing.
func (w *Watch) trust(now *Offer) (old *Offer, err error) {
	news := ""
	err = Update(w.path, func(file *File) (*File, error) {
		if found, _ := file.Find(now); found != nil {
			o := *found
			o.Lists = maps.Clone(found.Lists) // Accept changes those of the file
			old = &o
		}
		if news = now.News(old); news == "" {
			return nil, nil
		}
		first := *now
		first.Lists = maps.Clone(now.Lists)
		if old != nil {
			first.Capabilities = nil // those of the file stay, what differs is said
			maps.DeleteFunc(first.Lists, func(name string, _ []json.RawMessage) bool { return old.Lists[name] != nil })
		}
		file.Accept(&first)
		return file, nil
	})
	if err == nil && news != "" {
		w.say(fmt.Sprintf("first use is trusted: %s, protocol version %s: %s written to the baseline %s", now, now.Revision, news, w.path))
	}
	return old, err
}

package baseline

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/flow"
)

// A Watch compares the lists of a session's server with a baseline file during the session. It trusts an entry
// that the file lacks on first use: it adds the entry to the file and reports that. It does not change the
// session. It is not safe for concurrent use.
type Watch struct {
	path     string
	say      func(text string)
	matcher  *flow.Matcher
	lists    *Follower
	reported map[*Offer]string // newest reported drift
	broken   bool              // the file is unusable, which was reported
	drift    string            // drift found in the current event
}

// NewWatch returns a Watch that calls say with each sentence for the user, without a newline. It returns nil if
// path is "".
func NewWatch(path string, say func(text string)) *Watch {
	if path == "" {
		return nil
	}
	w := &Watch{path: path, say: say, matcher: flow.NewMatcher(flow.Limits{}), lists: NewFollower(), reported: map[*Offer]string{}}
	w.lists.Listed = w.listed
	return w
}

// Event handles the next event of the session, with its row in the recording. If the event reveals a change
// since the baseline, Event returns a sentence about it, otherwise "".
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

// listed compares a server after one of its lists is complete.
func (w *Watch) listed(now *Offer, _ string) {
	file, err := read(w.path)
	if err != nil {
		w.fail(err)
		return
	}
	old, _ := file.Find(now)
	if other := file.renamed(now); old == nil && other != nil {
		w.report(now, now.driftFrom(other, w.path))
		return
	}
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

// fail reports, once, that the file cannot be used.
func (w *Watch) fail(err error) {
	if !w.broken {
		w.broken = true
		w.say(fmt.Sprintf("nothing is compared with the baseline: %v; the session continues", err))
	}
}

// maxShown bounds the changes that a sentence names.
const maxShown = 3

// maxPlace bounds the bytes of a place in a sentence.
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
	w.report(now, text)
}

// report says a drift that is new, or notes that there is none if text is "".
func (w *Watch) report(now *Offer, text string) {
	if text == w.reported[now] {
		return
	}
	w.reported[now], w.drift = text, text
	if text != "" {
		w.say("drift: " + text)
	}
}

// trust adds the lists that the file lacks. It returns the previous entry for the server, which another tap may
// just have written, or nil.
func (w *Watch) trust(now *Offer) (old *Offer, err error) {
	news := ""
	err = Update(w.path, func(file *File) (*File, error) {
		if found, _ := file.Find(now); found != nil {
			o := *found
			o.Lists = maps.Clone(found.Lists) // Accept changes the lists of the file
			old = &o
		} else if file.renamed(now) != nil { // another tap has just written it
			return nil, nil
		}
		if news = now.News(old); news == "" {
			return nil, nil
		}
		first := *now
		first.Lists = maps.Clone(now.Lists)
		if old != nil {
			first.Capabilities = nil // the file keeps its entries; the difference is reported
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

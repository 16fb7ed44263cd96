package contract

import (
	"fmt"
	"slices"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/lint/baseline"
	"mcptea/record"
)

// maxDrift bounds the changes of a server that are reported individually.
const maxDrift = 100

// Offers returns the last complete lists of the servers in the recordings.
func (j *Judge) Offers() []*baseline.Offer { return j.lists.Offers() }

// drift compares the offers of the servers with the baseline. It does not judge a list that is
// missing in the baseline, or an incomplete recording without changes.
func (j *Judge) drift(whole bool) (unjudged []Unjudged) {
	add := func(text string) {
		unjudged = append(unjudged, Unjudged{Kind: entry("contract-drift"), Subject: "--baseline", Text: "--baseline" + text})
	}
	cut := func(format string, args ...any) { add(" is not judged: " + fmt.Sprintf(format, args...)) }
	found := 0
	for _, now := range j.lists.Offers() {
		old, why := j.terms.Baseline.Find(now)
		if old == nil {
			cut("%s; --update-baseline adds what the recording has", why)
			continue
		}
		for _, c := range old.Changes(now) {
			if found++; found <= maxDrift {
				j.report(finding("contract-drift", j.lists.Line(now, c.Section), time.Time{}, "what", lint.Escaped(c.Place()), "kind", c.Kind, "reason", c.Reason))
			}
		}
		for _, name := range sortedLists(now) {
			if old.Lists[name] == nil {
				cut("it has no list of %s of %s; --update-baseline adds the list of the recording", name, now)
			}
		}
	}
	switch {
	case found > maxDrift:
		add(fmt.Sprintf(": %s are listed, and there are %d more", phrase.Count(maxDrift, "change"), found-maxDrift))
	case found > 0:
	case len(j.lists.Offers()) == 0:
		cut("the recording has no complete list of tools, prompts or resources")
	case !whole:
		cut("the recording is incomplete, and a list that it lacks may differ")
	}
	return unjudged
}

// Drifted returns the finding for a difference that a tap noticed while recording, about a row or a line.
func Drifted(e *record.Event, row int32) lint.Finding {
	f := finding("contract-drift", row, e.Time)
	f.Message = e.Text + "."
	return f
}

// sortedLists returns the sorted names of the lists in an offer.
func sortedLists(o *baseline.Offer) []string {
	names := make([]string, 0, len(o.Lists))
	for name := range o.Lists {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

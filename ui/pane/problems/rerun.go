package problems

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/internal/words/phrase"
)

// A rerun is a run of probes that had findings before: its end says which of them pass now.
type rerun struct {
	bad    map[*probe.Entry]int // number of findings of each probe before the run; nil if no run is awaited
	began  bool                 // the run was seen
	passed []*probe.Entry       // probes whose rows remain at their old places
	at     lineKey              // selected line when the run ended
}

// noteBad notes the probes of a run that have findings. The run is of all probes if ids is empty.
func (p *Pane) noteBad(ids []string) {
	p.rerun = rerun{bad: map[*probe.Entry]int{}}
	for _, e := range p.entries {
		if e.isProbe() && e.isBad() && (len(ids) == 0 || slices.Contains(ids, e.id)) {
			p.rerun.bad[e.probe] = len(e.cases)
		}
	}
}

// noteRerun reports the results of the noted probes when their run ends. The caller rebuilds the list.
func (p *Pane) noteRerun() {
	r := &p.rerun
	if r.began = r.began || p.st.Running; r.bad == nil || !r.began || p.st.Running {
		return
	}
	if p.st.Err != nil || p.st.Stopped != nil {
		r.bad = nil // the row above the list shows it
		return
	}
	gone, sent := 0, 0
	var still []string
	for _, e := range probeEntries(&p.tick.State, &p.st, p.Probes) {
		n, noted := r.bad[e.probe]
		switch {
		case !noted:
		case e.state == passed:
			r.passed = append(r.passed, e.probe)
			gone, sent = gone+n, sent+e.report.Sent
		case e.isBad():
			still = append(still, e.id)
		}
	}
	if l, ok := p.Selected(); ok {
		r.at = keyOf(l)
	}
	if text := r.text(gone, sent, still); text != "" {
		p.app.Say(text)
	}
	r.bad = nil
}

// text returns the sentence about the probes that were noted, or "".
func (r *rerun) text(gone, sent int, still []string) string {
	n, left := len(r.passed), ""
	switch len(still) {
	case 0:
	case 1:
		left = still[0] + " still has findings."
	default:
		left = phrase.Clip(strings.Join(still, ", "), 60) + " still have findings."
	}
	switch {
	case n == 1 && left == "":
		return fmt.Sprintf("%s passed: %s sent, %s gone.", r.passed[0].ID, phrase.Count(sent, "frame"), phrase.Count(gone, "finding"))
	case n > 0 && left == "":
		return fmt.Sprintf("All %d probes passed: %s sent, %s gone.", n, phrase.Count(sent, "frame"), phrase.Count(gone, "finding"))
	case n > 0:
		return fmt.Sprintf("%d of %s passed now; %s", n, phrase.Count(n+len(still), "probe"), left)
	}
	return left
}

// keepMended keeps the rows of probes that now pass at their old places.
func (p *Pane) keepMended() {
	for _, e := range p.entries {
		if e.state == passed && e.isProbe() && slices.Contains(p.rerun.passed, e.probe) {
			e.state = mended
		}
	}
}

// leftMended reports whether the cursor has moved since the run ended. Then the kept rows move to the rows
// of passed probes.
func (p *Pane) leftMended() bool {
	l, ok := p.Selected()
	if len(p.rerun.passed) == 0 || ok && keyOf(l) == p.rerun.at {
		return false
	}
	p.rerun.passed = nil
	return true
}

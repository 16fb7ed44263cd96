package sessions

import (
	"slices"
	"strings"

	"mcptea/ui/program"
)

// Tap is a session of another application with its server, which mcptea records on this machine.
type Tap struct {
	Name      string // name of the server, as its user calls it
	Recording string // file of its newest session, or ""
	Open      func() // shows it next to the sessions; called from Update, must not wait
}

// maxTaps is the number of taps in the first line. The start screen lists all.
const maxTaps = 4

// Follower is a screen that lists the active taps itself.
type Follower interface {
	// TapsChanged is called in Update when a tap may have started, ended or begun a session.
	TapsChanged()
}

// SetTaps sets the running taps. Taps that are not open are shown at the right end of the first line, and
// screens that list taps are updated. It may be called from any goroutine except the goroutine of Update.
func (h *Host) SetTaps(taps []Tap) {
	all := slices.Clone(taps[:min(len(taps), maxTaps)])
	h.tell(deferredCall{do: func(*program.Program) {
		h.taps = all
		for _, p := range h.programs {
			if s, ok := p.Screen.(Follower); ok {
				s.TapsChanged()
			}
		}
	}})
}

// closedTaps returns the chips of the taps that no session shows.
func (h *Host) closedTaps(chips []chip) (closed []chip) {
	for _, t := range h.taps {
		if !slices.ContainsFunc(chips, func(c chip) bool { return c.Recording != "" && c.Recording == t.Recording }) {
			closed = append(closed, chip{Chip: program.Chip{Name: t.Name}, open: t.Open})
		}
	}
	var taken []string
	for i := range chips {
		taken = append(taken, strings.ToLower(chips[i].name))
	}
	for i := range closed {
		closed[i].name = named(closed[i].Name, taken)
		taken = append(taken, strings.ToLower(closed[i].name))
	}
	return closed
}

// Taps implements [program.Around].
func (h around) Taps() (all []program.Tap) {
	for _, c := range h.closed {
		all = append(all, program.Tap{Name: c.name, Show: func() { h.show(c) }})
	}
	return all
}

// show opens the tap of a chip.
func (h around) show(c chip) {
	if why := h.tooMany(); why != "" {
		h.front().Say(why)
		return
	}
	h.await()
	c.open()
}

package start

import (
	"context"
	"strings"
)

// Load reads the groups, at first and when a file may have changed.
func (p *Pane) Load() {
	if line := p.options.Line; line.Text != "" || line.Mistake != nil {
		p.options.Line = Line{}
		p.put(line)
	}
	for i := range p.options.Groups {
		p.load(i)
	}
}

// LoadTaps reads the groups again that change when a tap starts or ends.
func (p *Pane) LoadTaps() {
	for _, i := range p.options.OfTaps {
		p.load(i)
	}
}

// load reads a group.
func (p *Pane) load(i int) {
	p.loads[i]++
	n := p.loads[i]
	p.app.Go(func(ctx context.Context) func() {
		g := p.options.Groups[i](ctx)
		return func() {
			if n == p.loads[i] {
				p.SetGroup(i, g)
			}
		}
	})
}

// put puts a line into the field, and shows the mistake in it.
func (p *Pane) put(line Line) {
	p.input.SetValue(line.Text)
	if p.failed = line; line.Mistake != nil {
		p.input.SetOffset(line.At)
		p.app.Fail(line.Mistake[0])
	}
	if line.Pasted {
		p.pasted.line, p.pasted.text = strings.TrimSpace(p.input.Value()), line.Text
	}
	p.edited()
}

// tellFailed adds the failure to the entry that could not be opened.
func (p *Pane) tellFailed(entries []Entry) {
	for i := range entries {
		if e := &entries[i]; p.failed.Mistake != nil && e.Key == p.failed.Key {
			e.fails(p.failed.Mistake)
		}
	}
}

// SetGroup replaces a group; the first is 0. After all groups have been read, the selection stays unless its
// entry is gone.
func (p *Pane) SetGroup(i int, g Group) {
	again := p.isComplete()
	p.tellFailed(g.Entries)
	p.groups[i+1], p.read[i] = g, true
	p.filter()
	switch there := p.list.Refresh(); {
	case there && p.list.Pinned():
	case there && again:
		p.list.SelectFirst(p.list.Index()) // show new entries above it
	case !there, p.isComplete():
		p.selectFirst()
	}
	if p.waiting && p.isComplete() && p.text() == p.typed {
		p.goOn()
	}
}

// goOn opens the entry that the user named before it was read. An entry that only contains the typed text was
// not visible, and is not opened.
func (p *Pane) goOn() {
	if p.waiting = false; p.selected() != nil && p.selected().takes(p.text(), false) {
		p.open()
		return
	}
	p.app.Say("The entries were still being read: check which one is selected, and press enter again.")
}

// isComplete reports whether all groups were read.
func (p *Pane) isComplete() bool { return len(p.read) == len(p.groups)-1 }

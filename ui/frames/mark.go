package frames

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/ui/dialog"
)

// Marked returns the rows of the marked frames, in the order marked.
func Marked(s *store.Store) []int32 {
	var rows []int32
	for _, x := range s.Marks() {
		if x.Marked {
			rows = append(rows, x.Row)
		}
	}
	return rows
}

// set sets the user's marks on frames; done is called in Update when they are stored.
func (p *Program) set(done func(), list ...record.Mark) {
	s := p.Store()
	var err error
	for _, x := range list {
		err = errors.Join(err, s.SetMark(x))
	}
	p.Go(func(context.Context) func() {
		if err = errors.Join(err, s.SaveMarks()); err != nil {
			return func() { p.Fail(dialog.Sentence(err)) }
		}
		return done
	})
}

// Mark marks a frame, or unmarks it.
func (p *Program) Mark(row int32) {
	x := p.Store().MarkAt(row)
	x.Marked = !x.Marked
	p.set(p.sayMarked, x)
}

// MarkExchanges marks all frames of the exchanges of roots, or unmarks them if all are marked.
func (p *Program) MarkExchanges(roots []int32) {
	s := p.Store()
	p.Go(func(context.Context) func() {
		rows := frames(s, roots)
		marked := !slices.ContainsFunc(rows, func(row int32) bool { return !s.MarkAt(row).Marked })
		list := make([]record.Mark, len(rows))
		for i, row := range rows {
			list[i] = s.MarkAt(row)
			list[i].Marked = !marked
		}
		return func() { p.set(p.sayMarked, list...) }
	})
}

// frames returns frames of exchanges: all frames of a single exchange, or the requests and responses of
// several.
func frames(s *store.Store, roots []int32) (rows []int32) {
	if len(roots) == 1 {
		return s.RowsOf(roots[0], maxMarks)
	}
	for _, root := range roots {
		r, _ := s.Row(root)
		for _, row := range []int32{root, r.Pair} {
			if row != store.None {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// maxMarks is the number of an exchange's first frames that are marked together.
const maxMarks = 1000

// MarkTwo returns a sentence about how to mark and compare two frames.
func (p *Program) MarkTwo() string {
	return "Mark a frame with " + p.Key("mark") + ", then select another one to compare."
}

// PerExchange returns how many of the rows belong to each exchange, by the root of the exchange.
func PerExchange(s *store.Store, rows []int32) map[int32]int {
	of := map[int32]int{}
	for _, row := range rows {
		of[s.Root(row)]++
	}
	return of
}

// sayMarked reports the number of marked exchanges, if several frames of each are marked, otherwise of frames.
func (p *Program) sayMarked() {
	rows, noun := Marked(p.Store()), "frame"
	of, n := PerExchange(p.Store(), rows), len(rows)
	if n > 0 && slices.Min(slices.Collect(maps.Values(of))) > 1 {
		rows[0], noun, n = p.Store().Root(rows[0]), "exchange", len(of)
	}
	switch n {
	case 0:
		p.Say("No frame is marked.")
	case 1:
		p.Say(fmt.Sprintf("%s #%d is marked. %s on another one compares them, %s exports it.", phrase.Capital(noun), rows[0]+1, p.Key("diff"), p.Key("export")))
	default:
		p.Say(fmt.Sprintf("%s are marked. %s compares the last two, %s exports them.", phrase.Count(n, noun), p.Key("diff"), p.Key("export")))
	}
}

// unmark unmarks all frames. Notes stay.
func (p *Program) unmark() {
	list := p.Store().Marks()
	for i := range list {
		list[i].Marked = false
	}
	p.set(p.sayMarked, list...)
}

// Note opens the dialog for a note of the user on a frame.
func (p *Program) Note(row int32) {
	dialog.Prompt{
		Title: fmt.Sprintf("Note on frame #%d", row+1), Verb: "save", Value: p.Store().MarkAt(row).Note,
		Text: "One line of text. It is kept with the recording; an empty one removes it.",
		Accept: func(text string) (func(), error) {
			return func() {
				x := p.Store().MarkAt(row)
				x.Note = text
				p.set(nil, x)
			}, nil
		},
	}.Open(p)
}

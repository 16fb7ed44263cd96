package traffic

import (
	"slices"
	"strconv"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/runs/pins"
	"mcptea/ui/paint"
)

// foldPins folds the frames of pins that ran at the same time, the oldest run first, into
// one line where no other frame is among them.
func (p *Pane) foldPins(runs []pins.Run) {
	for i := range runs {
		run := &runs[i]
		if run.From <= p.lastRun || int(run.To) >= p.limit {
			continue
		}
		p.lastRun = run.From
		at, _ := slices.BinarySearchFunc(p.folds, run.From, func(f fold, from int32) int { return int(f.from) - int(from) })
		before := at > 0 && p.folds[at-1].to >= run.From
		after := at < len(p.folds) && p.folds[at].from <= run.To
		if !before && !after && run.Alone(p.store) {
			p.folds = slices.Insert(p.folds, at, fold{from: run.From, to: run.To, until: run.From, done: true, least: 2, run: run})
		}
	}
}

// putPins writes how the pins of a run ended.
func putPins(r *paint.Row, pal *paint.Palette, run *pins.Run, end int) {
	r.Put(pal.TextBold, "pins  ")
	if n := len(run.Pins); n > 1 {
		r.Put(pal.Muted, strconv.Itoa(n)+" calls in parallel: ")
	}
	for i, one := range run.Pins {
		mark, st := pal.OKMark, pal.OK
		if one.State != pins.Passed {
			mark, st = pal.FailMark, pal.Error
		}
		text := pal.Label(one.Name, 30)
		if r.Used()+display.Width(text)+4 > end {
			r.Put(pal.Muted, phrase.Signs("… ")+strconv.Itoa(len(run.Pins)-i)+" more")
			return
		}
		r.Put(st, mark+" ")
		r.Put(pal.Text, text+"  ")
	}
	if len(run.Pins) == 1 && run.Pins[0].State != pins.Passed {
		r.Put(pal.Error, run.Pins[0].Reason)
	}
}

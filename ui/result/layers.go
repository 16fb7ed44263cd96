package result

import (
	"context"
	"time"

	"mcptea/internal/shell"
	"mcptea/offer/content"
	"mcptea/offer/jq"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// layer is shown over a result: the output of a command, or a resource that a link names.
type layer struct {
	title string // untrusted
	view  *Body  // nil while waiting
	began time.Time
	work  app.Work
	stop  func() // ends the wait
}

// push puts a layer on top, that work makes.
func (v *View) push(title string, stop func(), work func(ctx context.Context) *Body) {
	l := &layer{title: title, began: v.tick.Now, stop: stop}
	v.layers = append(v.layers, l)
	l.work.Start(v.app, func(ctx context.Context) func() {
		made := work(ctx)
		return func() { l.view = v.started(made) }
	})
}

// isBarren reports whether the layer has arrived but contains nothing that can be used: a command that failed
// and has printed nothing.
func (l *layer) isBarren() bool { return l.view != nil && !l.view.HasItems() }

// source returns the view whose content is used: the visible one, or the one below if it has no content. It may
// be called only while a view is visible.
func (v *View) source() *Body {
	n := len(v.layers)
	for n > 0 && v.layers[n-1].isBarren() {
		n--
	}
	return v.at(n)
}

// PushCommand implements [app.Receiver]. It removes the layers above the layer of its input.
func (v *View) PushCommand(line string, run func(ctx context.Context) shell.Outcome) {
	for n := len(v.layers); n > 0 && v.layers[n-1].isBarren(); n-- {
		v.pop()
	}
	v.push("| "+line, nil, func(ctx context.Context) *Body { return BodyOfOutput(run(ctx)) })
}

// PushFilter implements [app.Receiver]. Like a command, the filter receives the visible content.
func (v *View) PushFilter(text string, items []content.Item, chosen int) error {
	filter, err := jq.Compile(text)
	if err != nil {
		return err
	}
	for n := len(v.layers); n > 0 && v.layers[n-1].isBarren(); n-- {
		v.pop()
	}
	l := &layer{began: v.tick.Now}
	l.title = filterTitle(text, &items[chosen])
	v.layers = append(v.layers, l)
	l.work.Start(v.app, func(ctx context.Context) func() {
		used := chosen
		values, err := filtered(ctx, filter, &items[chosen])
		for i := chosen + 1; i < len(items) && (err != nil || isNothing(values)); i++ {
			if items[i].IsLink() {
				continue
			}
			if others, wrong := filtered(ctx, filter, &items[i]); wrong == nil && !isNothing(others) {
				used, values, err = i, others, nil
			}
		}
		made := BodyOfValues(values, err)
		return func() { l.title, l.view = filterTitle(text, &items[used]), v.started(made) }
	})
	return nil
}

// filterTitle returns the title of the output of a filter on an item.
func filterTitle(text string, on *content.Item) string { return "jq " + text + "  on " + on.Kind }

// filtered returns the values of a filter on an item.
func filtered(ctx context.Context, filter *jq.Query, it *content.Item) ([][]byte, error) {
	raw, err := it.Data()
	if err != nil {
		return nil, err
	}
	var engine jq.Engine
	defer engine.Close()
	if err := engine.Load(ctx, raw); err != nil {
		return nil, err
	}
	return engine.Run(ctx, filter)
}

// isNothing reports whether all values of a filter are null or empty, as from a path that does not exist.
func isNothing(values [][]byte) bool {
	for _, v := range values {
		if s := string(v); s != "null" && s != "[]" {
			return false
		}
	}
	return true
}

// PushCall implements [app.Receiver].
func (v *View) PushCall(c *session.Call) {
	v.push(c.Name, c.Cancel, func(ctx context.Context) *Body {
		select {
		case <-c.Done():
		case <-ctx.Done():
			return nil
		}
		response, err := c.Outcome()
		return NewBody(c.Method, response, err)
	})
}

// pop removes the top layer and ends its wait. It returns false if there is no layer.
func (v *View) pop() bool {
	n := len(v.layers) - 1
	if n < 0 {
		return false
	}
	if top := v.layers[n]; top.view == nil && top.stop != nil {
		top.stop()
	}
	v.layers[n].work.Stop()
	v.layers = v.layers[:n]
	return true
}

// Top returns the visible view, or nil while waiting for it.
func (v *View) Top() *Body { return v.at(len(v.layers)) }

// at returns the view shown by the first n layers.
func (v *View) at(n int) *Body {
	if n > 0 {
		return v.layers[n-1].view
	}
	if v.query != nil && v.query.view != nil {
		return v.query.view
	}
	return v.below
}

// Height returns the number of rows that the visible content wants at a width of w cells, at most most.
func (v *View) Height(w, most int) int {
	n := 0
	if title, _ := v.Title(); title != "" || v.Top() == nil {
		n = 1
	}
	if v.query != nil {
		n += 2 // and a row for a message about a problem with it
	}
	if top := v.Top(); top != nil {
		n += top.Height(w-2, most)
	}
	return n
}

// Title returns the untrusted title of what covers the result, and how long it has been waited for, or "".
func (v *View) Title() (title string, wait time.Duration) {
	n := len(v.layers)
	if n == 0 {
		return "", 0
	}
	top := v.layers[n-1]
	if top.view == nil {
		wait = max(v.tick.Now.Sub(top.began), 1)
	}
	return top.title, wait
}

package result

import (
	"context"
	"errors"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/offer/content"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
)

// Body is a window on one answer. It is not safe for concurrent use, but it may
// be made by one goroutine and used by another.
type Body struct {
	text     rendered
	raw      []byte // result or error as sent, or nil
	tree     *jsonview.View
	asRaw    bool
	isOutput bool           // the text is the output of a command
	later    func() []block // makes the blocks of the text when they are shown; nil once they are

	run     Run
	working bool // the other form, text or tree, is being made; both are large
	sorting int  // works that sort a table
	items   []content.Item
}

// Run does work outside of the goroutine of the view, then done on it.
type Run func(work func(context.Context) (done func()))

// Window is the part that scrolls and folds: the text, or the tree of the JSON.
type Window interface {
	Move(n int)
	Screen() int // visible lines
	Home()
	End()
	Scroll(n int) // unlike Move, it leaves the cursor in place
	Toggle() bool // the node under the cursor, or the current section
	Fold()
	Unfold()
	UnfoldAll()
	FoldDepth(depth int)
}

func emptyBody() *Body {
	v := &Body{}
	v.text.search.line.Begin, v.text.search.line.In = v.begin, "result"
	return v
}

// NewBody decodes an answer to a request of a method, or the reason why there is
// none.
func NewBody(method string, answer client.Response, err error) *Body {
	v := newAnswer(method, answer, err)
	if v.later != nil {
		v.text.blocks, v.later = v.later(), nil
	}
	return v
}

// newAnswer leaves the blocks of a result for later.
func newAnswer(method string, answer client.Response, err error) *Body {
	v := emptyBody()
	var known []block // the cause, after the response that it is about
	if explained, ok := errors.AsType[*Explained](err); ok && len(answer.Frame) > 0 {
		known, err = append([]block{gap{}}, explained.evidence()...), nil
		known = append(known, explained.reasons()...)
	}
	switch {
	case err != nil:
		v.text.blocks = failure(err)
	case answer.Err() != nil:
		v.raw = answer.Envelope.Error.Of(answer.Frame)
		v.text.blocks = append(protocolError(answer.Err()), known...)
		v.items = content.Items("", v.raw)
	default:
		result := answer.Result()
		v.raw, v.items = result, content.Items(method, result)
		v.later = func() []block {
			if made := blocks(content.Parse(method, result)); len(made) > 0 {
				return append(made, known...)
			}
			return []block{note{what: "the result is empty"}}
		}
	}
	return v
}

// BodyOfFrame decodes a whole frame with a response to a request of a method. Initially it shows the JSON of
// the frame, without its _meta.
func BodyOfFrame(method string, r client.Response) *Body {
	v := newAnswer(method, r, nil)
	v.raw = r.Frame
	v.Switch()
	if v.tree != nil {
		v.tree.FoldPointer("/result/_meta") // readers seldom look for it
	}
	return v
}

// Items returns the pieces that can be written or passed to a program, and the index of the most likely one. If
// nothing was received, it returns none.
func (v *Body) Items() (items []content.Item, likely int) {
	items = slices.DeleteFunc(slices.Clone(v.items), func(it content.Item) bool { return it.IsLink() })
	if v.asRaw {
		likely = len(items) - 1
	}
	return items, likely
}

// HasItems reports whether there are pieces to be written or read.
func (v *Body) HasItems() bool {
	return slices.ContainsFunc(v.items, func(it content.Item) bool { return !it.IsLink() })
}

// Links returns the links to resources.
func (v *Body) Links() []content.Item {
	return slices.DeleteFunc(slices.Clone(v.items), func(it content.Item) bool { return !it.IsLink() })
}

// Raw reports whether the JSON is shown as sent.
func (v *Body) Raw() bool { return v.asRaw }

// HasJSON reports whether there is something to switch to.
func (v *Body) HasJSON() bool { return v.raw != nil }

// Switch switches between the rendered and the raw form. A large result is first parsed in the background: see
// [Body.Busy]. It reports whether there is another form.
func (v *Body) Switch() bool {
	switch {
	case v.raw == nil:
		return false
	case v.working:
		v.working = false // the user has changed the mind
	case v.asRaw && v.later != nil:
		later := v.later
		v.work(func() func() {
			made := later()
			return func() { v.text.blocks, v.later = made, nil; v.decodeImages() }
		})
	case v.tree == nil:
		v.work(func() func() {
			doc, _ := jsonview.Parse(v.raw) // invalid JSON is shown as such
			tree := jsonview.NewView(doc)
			return func() { v.tree = tree }
		})
	default:
		v.asRaw = !v.asRaw
	}
	return true
}

// work prepares the other form, text or tree, and switches to it: immediately, or in the background if it is
// large.
func (v *Body) work(prepare func() (done func())) {
	if len(v.raw) <= jsonview.AtOnce || v.run == nil {
		prepare()()
		v.asRaw = !v.asRaw
		return
	}
	v.working = true
	v.run(func(context.Context) func() {
		done := prepare()
		return func() {
			done()
			if v.working {
				v.asRaw, v.working = !v.asRaw, false
			}
		}
	})
}

// Start sets the function that runs work of the view. It is called before painting. Before that, all work is
// done immediately.
func (v *Body) Start(run Run) {
	v.run = run
	v.decodeImages()
}

func (v *Body) decodeImages() {
	if v.run == nil {
		return
	}
	for _, p := range v.text.blocks {
		if img, ok := p.(*imagePart); ok && img.image == nil {
			v.run(func(context.Context) func() {
				made := decodeImage(img.data)
				return func() {
					img.image = made
					clear(v.text.paper.known)
				}
			})
		}
	}
}

// Busy continues a search. It reports whether the view will change by itself.
func (v *Body) Busy() bool {
	return v.text.searching() || v.working || v.sorting > 0 || v.text.search.line.Busy
}

// Tree returns the JSON of the raw form, for folding, or nil in the rendered form.
func (v *Body) Tree() *jsonview.View {
	if !v.asRaw {
		return nil
	}
	return v.tree
}

// Window returns the visible window.
func (v *Body) Window() Window {
	if t := v.Tree(); t != nil {
		return t
	}
	return &v.text
}

// NextSection goes to the next or previous heading of the text. It reports whether there is one.
func (v *Body) NextSection(step int) bool { return v.Tree() == nil && v.text.nextSection(step) }

// Folds reports whether the visible content has something to fold.
func (v *Body) Folds() bool { return v.Tree() != nil || v.text.folds() }

// ToggleWrap cuts long lines instead of wrapping them, or wraps them again. It reports whether they are wrapped
// now.
func (v *Body) ToggleWrap() bool { return v.text.toggleWrap() }

// ScrollSide goes to the next column of a table, or moves the window over unwrapped lines: to the right or,
// with -1, to the left.
func (v *Body) ScrollSide(step int) {
	if t, ok := v.Table(); ok && !v.text.cut {
		t.Move(step)
		return
	}
	v.text.scrollSide(step)
}

// Wide reports whether lines reach beyond a side of the window.
func (v *Body) Wide() bool {
	return !v.asRaw && (v.text.x > 0 || v.text.paper.most > v.text.paper.w)
}

// Whole returns everything that is shown, for copying: text, or the bytes of the JSON.
func (v *Body) Whole() (text string, raw []byte) {
	if v.asRaw {
		return "", v.raw
	}
	all := v.text.blocks
	if v.text.sections.all != nil {
		all = v.text.sections.all
	}
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = strings.TrimSuffix(p.whole(), "\n")
	}
	return strings.Join(texts, "\n"), nil
}

// Height returns the number of rows of w cells that show everything, at most most. Wrapped lines are estimated
// by their bytes, because the height is only a wish.
func (v *Body) Height(w, most int) (n int) {
	if v.asRaw {
		return v.tree.Lines(most)
	}
	for _, p := range v.text.blocks {
		for i := 0; i < p.lines() && n < most; i++ {
			n += 1 + len(p.line(i))/max(w, 1)
		}
	}
	return min(n, most)
}

// Rows paints the window: exactly h rows of w cells.
func (v *Body) Rows(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) (painted []string) {
	if h <= 0 {
		return nil
	}
	if v.Search().Shown() && h > 1 {
		defer func() {
			r := pal.Row()
			r.Start(w, paint.Style{})
			v.Search().Put(r, pal)
			painted = append(painted, r.String())
		}()
		h--
	}
	v.text.height = h
	if v.asRaw {
		return v.tree.Rows(pal, js, w, h, focused)
	}
	return v.text.rows(pal, js, w, h)
}

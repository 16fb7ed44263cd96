package result

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	sessioncontent "mcptea/offer/content"
	"mcptea/offer/jq"
	"mcptea/ui/app"

	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// A query is a jq filter over the result. It is applied while it is typed.
type query struct {
	textfield.Filter
	v     *View
	start string // initial text of a typed filter: see startOf
	view  *Body  // result of the newest valid filter, or nil
	err   *jq.SyntaxError
	names []string // members that can follow
	from  int      // position of the typed start of the names
	work  app.Work
}

func newQuery(v *View) *query {
	q := &query{v: v}
	q.Sign = "jq"
	return q
}

// Filter applies a filter, such as the filter of the previous call. "" removes it.
func (v *View) Filter(text string) {
	v.query = nil
	if text != "" {
		v.query = newQuery(v)
		v.query.SetValue(text)
		v.query.SetOffset(0) // show its start
		v.query.run()
	}
}

// openQuery moves the focus to the filter.
func (v *View) openQuery() {
	if v.query == nil {
		v.query = newQuery(v)
		if v.start != nil {
			v.query.start = v.start()
		}
		v.query.SetValue(v.query.start) // typing then starts with a dot, whatever the result is
		v.query.run()
		v.query.Filter.Open()
		v.query.Deselect()
		return
	}
	v.query.Open()
	v.query.SetOffset(v.query.Size())
}

// startOf returns the initial filter for a result with a single value, so that the filter starts at that value
// and not around it. For other results it returns "".
func startOf(result []byte) string {
	if v, _ := jsonrpc.Member(result, "structuredContent"); jsonrpc.TypeOf(v) == "object" || jsonrpc.TypeOf(v) == "array" {
		return ".structuredContent | "
	}
	for _, name := range []string{"content", "contents"} {
		list, _ := jsonrpc.Member(result, name)
		all := slices.Collect(jsonrpc.Elements(list))
		if len(all) == 1 && sessioncontent.TextOf("", jsonrpc.Text(all[0], "text")).JSON != nil {
			return "." + name + "[0].text | fromjson | "
		}
	}
	return ""
}

// run filters the result again in the background.
func (q *query) run() {
	below, text := q.v.below, q.Value()
	asks := !q.isEmpty()
	if !asks {
		text += "." // to get the names that can follow
	}
	if below == nil { // it is still being decoded
		return
	}
	raw := below.JSON()
	q.work.Start(q.v.app, func(ctx context.Context) func() {
		filter, err := jq.Compile(text)
		var wrong *jq.SyntaxError
		errors.As(err, &wrong)
		var engine jq.Engine
		defer engine.Close()
		invalid := engine.Load(ctx, raw)
		var names []string
		from := len(text)
		if invalid == nil {
			names, from = engine.Names(ctx, text)
		}
		var made *Body
		switch {
		case wrong != nil || !asks:
		case invalid != nil:
			made = BodyOfValues(nil, invalid)
		default:
			made = BodyOfValues(engine.Run(ctx, filter))
		}
		return func() {
			if q.err, q.names, q.from = wrong, names, from; made != nil {
				q.view = q.v.started(made)
			} else if !asks {
				q.view = nil // the unchanged result, in the order sent
			}
		}
	})
}

// isEmpty reports whether no filter has been typed yet.
func (q *query) isEmpty() bool { return strings.Trim(q.Value(), " .") == "" || q.Value() == q.start }

// Key implements [app.Field].
func (q *query) Key(k tea.KeyPressMsg) bool {
	before := q.Version()
	taken := q.Filter.Key(k)
	if q.Version() != before {
		q.names = nil
		q.run()
	}
	return taken
}

// Choose implements [app.Completer]: tab takes the first name.
func (q *query) Choose(k tea.KeyPressMsg) bool {
	if key := k.Key(); key.Code != tea.KeyTab || key.Mod != 0 {
		return false
	}
	if len(q.names) > 0 {
		q.SetValue(q.Value()[:q.from] + q.names[0])
		q.names = nil
		q.run()
	}
	return true
}

// Paste implements [app.Line].
func (q *query) Paste(text string) {
	q.Filter.Paste(text)
	q.run()
}

// End implements [app.Line]: the filter is kept for the next call, too, or dropped.
func (q *query) End(keep bool) {
	q.Close()
	q.SetOffset(0)
	if !keep || q.isEmpty() {
		q.v.dropQuery()
		return
	}
	if q.v.Keep != nil {
		q.v.Keep(q.Value())
	}
}

// dropQuery shows the result again. It reports whether there was a filter.
func (v *View) dropQuery() bool {
	if v.query == nil {
		return false
	}
	v.query.work.Stop()
	v.query = nil
	if v.Keep != nil {
		v.Keep("")
	}
	return true
}

// paint writes the filter, its completions, and its error.
func (q *query) paint(c *app.Canvas, focused bool) {
	goesOn := len(q.names) > 0 && q.Typing() // a name is not typed to its end
	wrong, at := q.err != nil && !goesOn, c.Next()
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		switch {
		case goesOn:
			names, key := "", paint.Span{Style: c.Pal.AccentBold, Text: " tab "}
			const lead, next = 3, 4 // cells around the sign, and for the next typed character
			if room := r.Left() - len(q.Sign) - lead - display.Width(q.Value()) - next - len(key.Text); room >= leastNames {
				names = c.Pal.Cut(strings.Join(q.names, "  "), min(room, r.Left()/2)) // show the whole filter first
			}
			r.Right(paint.Span{Style: c.Pal.Muted, Text: names}, key)
		case !q.Typing():
			back := []paint.Span{{Style: c.Pal.AccentBold, Text: c.Names.Name("back")}, {Style: c.Pal.Muted, Text: " whole result "}}
			if lead := len(q.Sign) + 3; lead+display.Width(q.Value())+paint.SpansWidth(back) > r.Left() {
				back[1].Text = " " // show the whole filter first
			}
			r.Right(back...)
		}
		if !q.Typing() && !wrong {
			r.Put(c.Pal.Accent, q.Sign+" ")
			r.Put(c.Pal.Value, c.Pal.Cut(q.Value(), max(r.Left()-1, 1)))
			return
		}
		q.Put(r, c.Pal, paint.If(wrong, c.Pal.Error, c.Pal.Value), max(r.Left()-1, 1))
	})
	if wrong {
		q.paintError(c)
	}
	if x, typing := q.CursorX(); typing && focused {
		c.Field(q, x, at)
	}
}

// leastNames is the room in cells below which the names that can follow are left out.
const leastNames = 8

// paintError writes the filter's error at its place: after the sign, before it, or below it, wherever it fits.
func (q *query) paintError(c *app.Canvas) {
	at, text := q.Column(q.err.At), phrase.Capital(q.err.Text)
	before, whole := at-display.Width(text)-1, at+2+display.Width(text) <= c.W
	c.Line(func(r *paint.Row) {
		switch {
		case whole:
			r.To(at)
			r.Put(c.Pal.Error, "^ "+text)
		case before > 0:
			r.To(before)
			r.Put(c.Pal.Error, text+" ^")
		default:
			r.To(at)
			r.Put(c.Pal.Error, "^")
		}
	})
	if !whole && before <= 0 {
		c.Say(1, c.Pal.Error, text)
	}
}

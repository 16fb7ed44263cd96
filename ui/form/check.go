package form

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// Whole returns a function that checks values against a whole schema. The function returns one
// problem for each invalid part. It reads the schema at its first call. Values that cannot be
// checked count as valid. dialectless means that a schema without $schema has no dialect.
func Whole(raw []byte, dialectless bool) func(values []byte) []*check.Mismatch {
	read := sync.OnceValue(func() *check.Schema {
		return check.Compile(raw, check.Options{Dialectless: dialectless, Formats: true})
	})
	return func(values []byte) []*check.Mismatch { return read().Each(values) }
}

// judged adds problems from the whole schema to fields without other problems. Problems of the
// values as a whole are known only when all fields are valid.
func (f *Form) judged(values []byte, wrong []schema.FieldError) []schema.FieldError {
	if f.Whole == nil || f.AsJSON && len(wrong) > 0 {
		return wrong
	}
	known := len(wrong)
	for _, m := range f.Whole(values) {
		field, below, _ := strings.Cut(strings.TrimPrefix(m.About, "/"), "/")
		if below != "" {
			below = "/" + below
		}
		if !f.AsJSON {
			if n, rest := f.Tree.At(m.About); n != nil {
				field, below = n.ID, rest
			}
		}
		if known > 0 && m.About == "" || slices.ContainsFunc(wrong, func(w schema.FieldError) bool { return w.Field == field }) {
			continue
		}
		wrong = append(wrong, schema.FieldError{Field: field, Msg: strings.TrimSpace(below + " " + m.Reason)})
		if f.AsJSON { // in JSON, they would be one long line
			break
		}
	}
	return wrong
}

// Check displays the problems of the values, and the required texts that are empty. send reports
// whether the values may be sent: they are valid, or the user has already tried to send the same
// values.
func (f *Form) Check() (values []byte, send bool) {
	values, wrong := f.Values()
	empty := f.emptyTexts(wrong)
	for _, r := range f.rows {
		r.setProblem("", "")
	}
	f.Said, f.empty, f.files = "", nil, nil
	again := f.Warned != nil && bytes.Equal(values, f.Warned) || f.insisted != nil && bytes.Equal(values, f.insisted)
	f.Warned = nil
	if len(wrong)+len(empty) == 0 || again {
		if again {
			f.insisted = values
		}
		for _, n := range slices.Concat(empty, f.missing(wrong)) {
			f.say(n, "", paint.If(sendsEmpty(n), `sent as ""`, "left out"))
		}
		f.use()
		return values, true
	}
	f.Warned = values
	if missing := f.missing(wrong); len(missing) == len(wrong) { // other problems are more important
		f.empty = f.inOrder(append(missing, empty...))
	}
	f.reveal(wrong, empty)
	for _, n := range empty {
		f.say(n, "empty", "")
	}
	for _, w := range wrong {
		if !f.AsJSON && f.say(f.Tree.Node(w.Field), w.Msg, "") {
			continue
		}
		if f.Said != "" {
			f.Said += "; "
		}
		f.Said += f.hidden(w)
	}
	if i := slices.IndexFunc(f.rows, func(r *row) bool { return r.problem != "" }); i >= 0 {
		f.focus = i
	}
	return values, false
}

// changed discards the problems that Check has found.
func (f *Form) changed() {
	f.version++
	f.Warned, f.Said = nil, ""
}

// hidden moves an error to a visible field if the form does not show the field of the error.
func (f *Form) hidden(w schema.FieldError) string {
	if n := f.Tree.Node(w.Field); n != nil && n.Name != "" && !f.AsJSON {
		w.Field = n.Name
	}
	return w.Error()
}

// reveal unfolds the parents of the invalid and empty values.
func (f *Form) reveal(wrong []schema.FieldError, empty []*schema.Node) {
	if f.AsJSON {
		return
	}
	folded := false
	all := slices.Clone(empty)
	for _, w := range wrong {
		all = append(all, f.Tree.Node(w.Field))
	}
	for _, n := range all {
		if n == nil {
			continue
		}
		for n = n.Parent(); n != nil; n = n.Parent() {
			if !n.Open && (n.Shape == schema.Object || n.Shape == schema.Array) {
				f.Tree.Unfold(n)
				folded = true
			}
		}
	}
	if folded {
		f.show()
	}
}

// emptyTexts returns the required texts that would be sent as "" without a choice of the user. It
// leaves out invalid ones.
func (f *Form) emptyTexts(wrong []schema.FieldError) (empty []*schema.Node) {
	if f.AsJSON {
		return nil
	}
	for n := range f.Tree.Leaves {
		if n.Field.Required && n.Field.Kind == schema.String && n.Text == "" && !n.AsJSON && !n.Null && !n.Empty && n.Parent().IsSet() &&
			!slices.ContainsFunc(wrong, func(w schema.FieldError) bool { return w.Field == n.ID }) {
			empty = append(empty, n)
		}
	}
	return empty
}

// missing returns the required values without a text among the invalid ones.
func (f *Form) missing(wrong []schema.FieldError) (missing []*schema.Node) {
	if f.AsJSON {
		return nil
	}
	for _, w := range wrong {
		if n := f.Tree.Node(w.Field); n != nil && n.Shape == schema.Leaf && n.Field.Required && n.Text == "" && !n.Null && !n.Empty && w.Msg == required {
			missing = append(missing, n)
		}
	}
	return missing
}

// inOrder returns leaves in the order of the form.
func (f *Form) inOrder(leaves []*schema.Node) (ordered []*schema.Node) {
	for n := range f.Tree.Leaves {
		if slices.Contains(leaves, n) {
			ordered = append(ordered, n)
		}
	}
	return ordered
}

// sendsEmpty reports whether a required value without a text is sent as "". Other values are left out.
func sendsEmpty(n *schema.Node) bool {
	return n.Field.Kind == schema.String && !n.AsJSON && n.IsSet()
}

// insists describes what the key that sends does with empty required values.
func insists(empty []*schema.Node) string {
	texts := 0
	for _, n := range empty {
		if sendsEmpty(n) {
			texts++
		}
	}
	switch left := len(empty) - texts; {
	case left == 0:
		return ` again sends ""`
	case texts == 0:
		return " again leaves " + paint.If(left == 1, "it", "them") + " out"
	default:
		return ` again sends "" for ` + strconv.Itoa(texts) + " and leaves " + strconv.Itoa(left) + " out"
	}
}

// PutWarning writes why the values were not sent, and how to send them anyway. key is the key that
// sends.
func (f *Form) PutWarning(r *paint.Row, p *paint.Palette, key string) {
	r.Put(p.Warn, p.WarnMark+" ")
	if len(f.empty) == 0 {
		const again, short = " again sends it anyway   ", " sends it"
		if problem := display.Sanitize(f.Said); len(key)+len(again)+display.Width(problem) > r.Left() { // the problem is more important than the remedy
			left := r.Left() - len(key) - len(short) - 3
			if w := display.Width(problem); w > left && w <= r.Left() { // the last row displays the key, too
				r.Put(p.Warn, problem)
				return
			}
			r.Put(p.Warn, p.Cut(problem, max(left, 8)))
			r.Gap(3)
			r.Put(p.AccentBold, key)
			r.Put(p.Text, short)
			return
		}
		r.Put(p.AccentBold, key)
		r.Put(p.Text, again)
		r.Put(p.Warn, f.Said)
		return
	}
	path, verb, after := indexedPath(f.empty[0]), " is empty. ", insists(f.empty)
	if more := len(f.empty) - 1; more > 0 {
		verb = " and " + strconv.Itoa(more) + " more are empty. "
	}
	room := max(r.Left()-len(verb)-len(key)-len(after), 8)
	r.Cell(p.Warn, path, min(display.Width(display.Sanitize(path)), room))
	r.Put(p.Warn, verb)
	r.Put(p.AccentBold, key)
	r.Put(p.Text, after)
}

// indexedPath returns the path of a node with members and items, such as list[1].name.
func indexedPath(n *schema.Node) (path string) {
	for ; n != nil && n.Parent() != nil; n = n.Parent() {
		switch {
		case n.Parent().Shape == schema.Union: // it has the same name as its union
		case n.IsItem():
			path = "[" + strconv.Itoa(n.Index()) + "]" + path
		default:
			path = "." + n.Name + path
		}
	}
	return strings.TrimPrefix(path, ".")
}

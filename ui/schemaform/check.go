package schemaform

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcptea/session/schema"
	"mcptea/session/schema/check"
	"mcptea/ui/widget/form"
)

// Whole checks values by a schema as a whole. The schema is read when it is first
// needed. What cannot be checked is taken to fit. dialectless says that a schema without
// $schema has no dialect.
func Whole(raw []byte, dialectless bool) func(values []byte) *check.Mismatch {
	read := sync.OnceValue(func() *check.Schema {
		return check.Compile(raw, check.Options{Dialectless: dialectless, Formats: true})
	})
	return func(values []byte) *check.Mismatch {
		m, _ := read().Check(values)
		return m
	}
}

// judged adds what the schema as a whole finds wrong, where the fields have
// found nothing.
func (d *Draft) judged(values []byte, wrong []schema.FieldError) []schema.FieldError {
	if d.Whole == nil || len(wrong) > 0 {
		return wrong
	}
	m := d.Whole(values)
	if m == nil {
		return wrong
	}
	field, below, _ := strings.Cut(strings.TrimPrefix(m.About, "/"), "/")
	if below != "" {
		below = "/" + below
	}
	if !d.AsJSON {
		if n, rest := d.Tree.At(m.About); n != nil {
			field, below = n.ID, rest
		}
	}
	return append(wrong, schema.FieldError{Field: field, Msg: strings.TrimSpace(below + " " + m.Reason)})
}

// Check shows what is wrong with the values, and which required texts are not filled
// in. It reports whether they may be sent: they are right, or the same was tried before.
func (d *Draft) Check() (values []byte, send bool) {
	values, wrong := d.Values()
	empty := d.emptyTexts(wrong)
	d.Form.ClearProblems()
	d.Said, d.empty, d.files = "", nil, nil
	again := d.Warned != nil && bytes.Equal(values, d.Warned) || d.insisted != nil && bytes.Equal(values, d.insisted)
	d.Warned = nil
	if len(wrong)+len(empty) == 0 || again {
		if again {
			d.insisted = values
		}
		for _, n := range empty {
			d.Form.SetNote(n.ID, `sent as ""`)
		}
		d.use()
		return values, true
	}
	d.Warned = values
	if len(wrong) == 0 {
		d.empty = empty
	}
	d.reveal(wrong, empty)
	for _, n := range empty {
		d.Form.SetProblem(n.ID, "empty")
	}
	for _, w := range wrong {
		if !d.AsJSON && d.Form.SetProblem(w.Field, w.Msg) {
			continue
		}
		if d.Said != "" {
			d.Said += "; "
		}
		d.Said += d.said(w)
	}
	d.Form.FocusProblem()
	return values, false
}

// Edited takes back what was said of the values when they have changed.
func (d *Draft) Edited(changed bool) {
	if changed {
		d.Warned, d.Said = nil, ""
	}
}

// said is what is wrong with a field that the form does not show, by its path.
func (d *Draft) said(w schema.FieldError) string {
	if n := d.node(w.Field); n != nil && n.Name != "" && !d.AsJSON {
		w.Field = n.Name
	}
	return w.Error()
}

// reveal unfolds what the wrong and the empty values are in.
func (d *Draft) reveal(wrong []schema.FieldError, empty []*schema.Node) {
	if d.AsJSON {
		return
	}
	folded := false
	all := slices.Clone(empty)
	for _, w := range wrong {
		all = append(all, d.node(w.Field))
	}
	for _, n := range all {
		if n == nil {
			continue
		}
		for n = n.Parent(); n != nil; n = n.Parent() {
			if !n.Open && (n.Shape == schema.Object || n.Shape == schema.Array) {
				d.Tree.Unfold(n)
				folded = true
			}
		}
	}
	if folded {
		d.show()
	}
}

// emptyTexts are the required texts that are sent as "" although the user has not chosen
// that, but for those that are wrong anyway.
func (d *Draft) emptyTexts(wrong []schema.FieldError) (empty []*schema.Node) {
	if d.AsJSON {
		return nil
	}
	for n := range d.Tree.Leaves {
		if n.Field.Required && n.Field.Kind == schema.String && n.Text == "" && !n.AsJSON && !n.Null && !n.Empty && n.Parent().IsSet() &&
			!slices.ContainsFunc(wrong, func(w schema.FieldError) bool { return w.Field == n.ID }) {
			empty = append(empty, n)
		}
	}
	return empty
}

// Warning is what is wrong with the values that Check has found last, for the line of
// the key that sends them.
func (d *Draft) Warning() form.Warning {
	w := form.Warning{Said: d.Said}
	if len(d.empty) > 0 {
		w.Empty, w.More = placeOf(d.empty[0]), len(d.empty)-1
	}
	return w
}

// placeOf names a node by its members and items: list[1].name.
func placeOf(n *schema.Node) (place string) {
	for ; n != nil && n.Parent() != nil; n = n.Parent() {
		switch {
		case n.Parent().Shape == schema.Union: // it has the name of the union
		case n.IsItem():
			place = "[" + strconv.Itoa(n.Index()) + "]" + place
		default:
			place = "." + n.Name + place
		}
	}
	return strings.TrimPrefix(place, ".")
}

package reduce

import (
	"mcptea/client/jsonrpc"
	"mcptea/internal/jsontree"
)

// Differing compares the results of two responses. It returns the part of the wanted result that the other one has
// otherwise, as JSON of a script, and the general place of the first difference; both are empty for equal results.
func Differing(want, now []byte) (expected, place string) {
	w, _ := jsontree.Decode(jsonrpc.Scan(want).Result.Of(want))
	n, _ := jsontree.Decode(jsonrpc.Scan(now).Result.Of(now))
	if part, at := differing(structured(w), structured(n), jsontree.Place{"structuredContent"}); at != nil && structured(w) != nil {
		return valueText(map[string]any{"structuredContent": part}), generalPlace(at.Pointer()) + "/" // content repeats it as a text
	}
	part, at := differing(w, n, jsontree.Place{})
	if at == nil {
		return "", ""
	}
	return valueText(part), generalPlace(at.Pointer()) + "/"
}

// structured returns the structured content of a result, or nil.
func structured(result any) any {
	v, _ := jsontree.Get(result, "structuredContent")
	return v
}

// differing returns the part of a value that differs in another value, and the place of the first
// difference, or nil if the values are equal. Elements of an array that are equal are any value of a
// script.
func differing(want, now any, at jsontree.Place) (part any, first jsontree.Place) {
	keep := func(place jsontree.Place) {
		if first == nil {
			first = place
		}
	}
	switch x := want.(type) {
	case map[string]any:
		y, ok := now.(map[string]any)
		if !ok {
			return want, at
		}
		m := map[string]any{}
		for _, name := range jsontree.Names(x) {
			if one, place := differing(x[name], y[name], at.Below(name)); place != nil {
				m[name] = one
				keep(place)
			}
		}
		return m, first
	case []any:
		y, ok := now.([]any)
		if !ok || len(x) != len(y) {
			return want, at
		}
		a := make([]any, len(x))
		for i := range x {
			a[i] = "<any>"
			if one, place := differing(x[i], y[i], at.Below(i)); place != nil {
				a[i] = one
				keep(place)
			}
		}
		return a, first
	}
	if want == now {
		return nil, nil
	}
	return want, at
}

package reduce

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcptea/internal/jsontree"
)

// members leaves out members and elements where the schema permits it.
func (r *runner) members(c *Case) *Case {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		for answer := -1; answer < len(c.Steps[i].Answers); answer++ {
			c = r.membersAt(c, valuePlace{i, answer, nil})
		}
	}
	return c
}

// tree returns the tree of the params or of an answer.
func (p valuePlace) tree(c *Case) any {
	if p.answer < 0 {
		return c.Steps[p.step].Params
	}
	return c.Steps[p.step].Answers[p.answer].Value
}

// with returns a copy of the case with another value at the place.
func (p valuePlace) with(c *Case, now any) *Case {
	c = c.clone()
	v := value{places: []valuePlace{p}}
	v.put(c, now)
	return c
}

func (r *runner) membersAt(c *Case, p valuePlace) *Case {
	v, ok := jsontree.Get(p.tree(c), p.at...)
	if !ok || jsontree.IsLeaf(v) {
		return c
	}
	s := &c.Steps[p.step]
	if mayGo := p.answer >= 0 || s.Method == "tools/call" || s.Method == "prompts/get"; mayGo && len(p.at) > 0 && (p.answer >= 0 || p.at[0] == "arguments") {
		fixed, free := split(v, r.schemaOf(s, p.at))
		with := func(keep []int) *Case {
			all := slices.Clone(fixed)
			for _, n := range keep {
				all = append(all, free[n])
			}
			slices.Sort(all)
			return p.with(c, jsontree.Keep(v, all))
		}
		c = with(minimize(len(free), func(keep []int) bool { return r.fails(with(keep)) }))
	}
	v, _ = jsontree.Get(p.tree(c), p.at...)
	switch x := v.(type) {
	case map[string]any:
		for _, name := range jsontree.Names(x) {
			c = r.membersAt(c, valuePlace{p.step, p.answer, p.at.Below(name)})
		}
	case []any:
		for n := range x {
			c = r.membersAt(c, valuePlace{p.step, p.answer, p.at.Below(n)})
		}
	}
	return c
}

// split returns the number of members that a schema requires, and the number of other members or elements.
func split(v any, schema map[string]any) (fixed, free []int) {
	required, _ := schema["required"].([]any)
	object, _ := v.(map[string]any)
	names := jsontree.Names(object)
	for n := range jsontree.Size(v) {
		if object != nil && slices.Contains(required, any(names[n])) {
			fixed = append(fixed, n)
		} else {
			free = append(free, n)
		}
	}
	return fixed, free
}

// names replaces the names of members of arguments that no schema has: the user may have chosen them.
func (r *runner) names(c *Case) *Case {
	for n, name := range r.freeNames(c) {
		replaced := false
		for _, to := range []string{fmt.Sprintf("k%d", n+1), shape(name, n)} {
			now := c.clone()
			for i := range now.Steps {
				if params, ok := now.Steps[i].Params.(map[string]any); ok && now.Steps[i].Method == "tools/call" {
					params["arguments"] = jsontree.Rename(params["arguments"], name, to)
				}
			}
			if replaced = r.fails(now); replaced {
				c = now
				break
			}
		}
		if !replaced {
			r.needed[name] = true
		}
	}
	return c
}

func (r *runner) freeNames(c *Case) (names []string) {
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.Method != "tools/call" {
			continue
		}
		jsontree.Walk(s.Params, func(at jsontree.Place, v any) bool {
			object, ok := v.(map[string]any)
			if !ok || len(at) == 0 || at[0] != "arguments" {
				return true
			}
			properties, _ := r.schemaOf(s, at)["properties"].(map[string]any)
			for _, name := range jsontree.Names(object) {
				if _, known := properties[name]; !known && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return true
		})
	}
	return names
}

// unlink replaces variables with values of the case, so that the steps that capture them can be left out.
func (r *runner) unlink(c *Case) *Case {
	for i := range c.Steps {
		for _, leaf := range jsontree.Leaves(c.Steps[i].Params) {
			if _, ok := leaf.Value.(variable); !ok {
				continue
			}
			for _, literal := range []any{"a", json.Number("1")} {
				if now := (valuePlace{i, -1, leaf.At}).with(c, literal); r.fails(now) {
					c = now
					break
				}
			}
		}
	}
	return c
}

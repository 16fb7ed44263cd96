// Package invariants checks values of several messages against each other. Each invariant is a row of invariants.jsonl.
// The row names the events, a value in them, the key of the state, a relation, and the section of the specification. To
// add an invariant, add a row; to add a relation, add a function to relation.go.
package invariants

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

//go:embed invariants.jsonl
var table []byte

// invariant is a row of the table. [valueOf] evaluates its expressions.
type invariant struct {
	Name string `json:"name"`
	Rule string `json:"rule"` // id of the rule that reports it
	// On names the events: the method of a notification, "result:METHOD", or "hook:TYPE" of a delivery to a webhook.
	On       []string `json:"on"`
	Each     string   `json:"each"`     // pointer to the checked values in the event, * for each element; "" for the event itself
	Value    string   `json:"value"`    // expression of the value in the thing
	Key      []string `json:"key"`      // expressions that divide the state
	Same     []string `json:"same"`     // expressions that identify the thing that the value belongs to
	As       string   `json:"as"`       // name of the state, for rows that share it; "" for the name of the row
	Other    string   `json:"other"`    // expression of the value for comparison
	If       string   `json:"if"`       // pointer to a value that the message must have
	Relation string   `json:"relation"` // a key of relations
	// Declared maps members of the value to the paths of their capabilities. Only the relation "declared" reads it.
	Declared map[string][]string `json:"declared"`
	// Never maps expressions to values that must not occur together. Only the relation "never" reads it.
	Never map[string]json.RawMessage `json:"never"`
	// First restricts the relation "never" to the first event of each key.
	First bool   `json:"first"`
	What  string `json:"what"` // name of the value in a message
	How   string `json:"how"`  // end of the sentence, if the relation has no end of its own
	Spec  string `json:"spec"`
	// Needs names the requests without which the invariant has nothing to judge.
	Needs string `json:"needs"`

	holds relation
}

// Rules check the invariants.
var Rules = rules(all)

// all holds the invariants of the table.
var all = parse(table)

// A Requirement names an invariant and the requests without which it has nothing to judge.
type Requirement struct{ Name, Rule, Needs string }

// Requirements returns the requirements of all invariants.
func Requirements() (list []Requirement) {
	for _, row := range all {
		list = append(list, Requirement{row.Name, row.Rule, row.Needs})
	}
	return list
}

// parse returns the rows of a table. It panics if a row is invalid, since the table is part of the program.
func parse(table []byte) (rows []*invariant) {
	for line := range bytes.Lines(table) {
		row := &invariant{}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(row); err != nil {
			panic(fmt.Sprintf("invariants.jsonl: %v: %s", err, line))
		}
		if row.holds = relations[row.Relation]; row.holds == nil {
			panic("invariants.jsonl: no relation: " + row.Relation)
		}
		rows = append(rows, row)
	}
	return rows
}

// rules returns the rules of rows: one for each rule and event, and one that keeps the subscriptions.
func rules(rows []*invariant) (all []lint.Rule) {
	of := map[[2]string][]*invariant{}
	var order [][2]string
	for _, row := range rows {
		for _, on := range row.On {
			key := [2]string{row.Rule, on}
			if of[key] == nil {
				order = append(order, key)
			}
			of[key] = append(of[key], row)
		}
	}
	for _, key := range order {
		id, on, check := key[0], key[1], checkAll(of[key])
		rule := lint.Rule{ID: id, Limit: lint.OncePerSubject}
		if hook, ok := strings.CutPrefix(on, "hook:"); ok {
			rule.Delivery = func(c *lint.Context) {
				if d := c.Delivery; d.Status/100 == 2 && d.Signed.IsVerified() && d.What == hook {
					check(c)
				}
			}
		} else if method, ok := strings.CutPrefix(on, "result:"); ok {
			rule.When, rule.Methods, rule.Message = lint.FromServer|lint.Result|lint.Matched, []string{method}, check
		} else {
			rule.When, rule.Methods, rule.Message = lint.FromServer|lint.Notification, []string{on}, check
		}
		all = append(all, rule)
	}
	return append(all,
		lint.Rule{Methods: []string{revision.EventsSubscribe}, When: lint.Result | lint.FromServer | lint.Matched, After: keepCallback},
		lint.Rule{Methods: []string{revision.EventsSubscribe}, When: lint.Request | lint.FromClient, After: forgetLease},
		lint.Rule{Methods: []string{revision.EventsListChanged}, When: lint.FromServer | lint.Notification, After: forgetTypes})
}

// checkAll returns a function that checks each thing of an event with each of the rows.
func checkAll(rows []*invariant) func(*lint.Context) {
	return func(c *lint.Context) {
		for _, row := range rows {
			for _, thing := range each(eventOf(c), row.Each) {
				row.check(c, thing)
			}
		}
	}
}

// check reports the thing if the relation does not hold for it.
func (row *invariant) check(c *lint.Context, thing []byte) {
	v := valueOf(c, thing, row.Value)
	if v == nil || row.If != "" && len(each(thing, row.If)) == 0 {
		return
	}
	if row.Other == "" || valueOf(c, thing, row.Other) != nil {
		c.Asked(row.Name)
	}
	s := &subject{row: row, c: c, thing: thing, value: v, memory: lint.Own[memory](c.St), key: cmp.Or(row.As, row.Name)}
	s.key += s.sums(row.Key)
	row.holds(s)
}

// keepCallback stores the parameters of a subscription under the URL of its callback.
func keepCallback(c *lint.Context) {
	if url := jsonrpc.Text(c.M.Request.Params, "delivery", "url"); url != "" {
		m := lint.Own[memory](c.St)
		lint.Keep(&m.callbacks, maxKept, lint.ShortKey(url), slices.Clone(c.M.Request.Params))
		lint.Keep(&m.leases, maxKept, lint.ShortKey(url), slices.Clone(jsonrpc.Get(c.M.Result, "refreshBefore")))
	}
}

// forgetTypes allows the definitions of event types to change.
func forgetTypes(c *lint.Context) { lint.Own[memory](c.St).listed = nil }

// forgetLease makes the end of a subscription unknown until the result of its refresh, because deliveries may
// arrive earlier.
func forgetLease(c *lint.Context) {
	delete(lint.Own[memory](c.St).leases, lint.ShortKey(jsonrpc.Text(c.M.Params, "delivery", "url")))
}

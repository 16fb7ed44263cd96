package browse

import (
	"mcptea/client"
	"mcptea/ui/result"
)

// The other tests are of a list and its items together, from outside. This is what they look at.

func (p *Panel) Current() *Item { return p.selected() }

func (p *Panel) Follow(uri string) { p.pending, p.subscribed[uri] = nil, subscription{on: true} }

func (p *Panel) Unasked() { p.pending = nil }

func (p *Panel) Subscribes() string { return p.subscribes() }

// End ends a call of an item.
func (e *Item) End(i int, answer client.Response, err error, toolFailed bool) {
	e.calls[i].end(e, answer, err, toolFailed)
	delete(e.p.running, e.key)
}

func (e *Item) Calls() (calls []*call, shown int) { return e.calls, e.at }

func (e *Item) View(i int) *result.View { return e.calls[i].view }

func (e *Item) Raw() *[]byte { return &e.item.Raw }

// Offer has the server offer values for an argument; at is the one that is selected.
func (e *Item) Offer(argument string, at int, values ...string) {
	e.values = &candidates{node: e.Tree.Node(argument), values: values, at: at}
}

func (e *Item) Choosing() bool { return e.values != nil }

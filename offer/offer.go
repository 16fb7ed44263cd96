// Package offer describes what a server offers: its lists and their entries.
package offer

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// List is the last known state of one of the server's lists.
type List struct {
	Items   []Item
	Offered bool // the server declared the capability
	Loading bool
	Loaded  time.Time // zero before the first time
	Began   time.Time // time of the first request of the loaded list
	Changes int       // number of later fetches
	Err     error
	Fresh   client.Freshness // how long the server allows caching
	Attempt int              // attempt to connect that the list belongs to
}

// HasItemsOf reports whether the entries are the entries of an earlier value of the same list: it was not
// loaded again in between.
func (l List) HasItemsOf(earlier List) bool {
	if len(l.Items) != len(earlier.Items) {
		return false
	}
	return len(l.Items) == 0 || &l.Items[0] == &earlier.Items[0]
}

// WithoutUnknown returns the list called name, or an empty one if it is the list of templates and the server does not
// support its method: no protocol version requires it of a server with resources.
func (l List) WithoutUnknown(name string) List {
	refused, isRefused := errors.AsType[*client.RPCError](l.Err)
	if name == client.Templates.Name && isRefused && refused.Code.Is(jsonrpc.CodeMethodNotFound) && len(l.Items) == 0 {
		l.Offered, l.Err = false, nil
	}
	return l
}

// Find returns the entry that a key identifies: see [Item.Key].
func (l List) Find(key string) (Item, bool) {
	i := slices.IndexFunc(l.Items, func(item Item) bool { return item.Key() == key })
	if i < 0 {
		return Item{}, false
	}
	return l.Items[i], true
}

// IsReadOnly reports whether a list contains tools with a name, and all of them are annotated as read-only: the
// server decides which of them it calls.
func (l List) IsReadOnly(name string) bool {
	found := false
	for _, item := range l.Items {
		if item.Key() != name {
			continue
		}
		if found = client.IsReadOnly(item.Raw); !found {
			return false
		}
	}
	return found
}

// IsDestructive reports whether a list of tools has one of this name that is annotated as destructive.
func (l List) IsDestructive(name string) bool {
	return slices.ContainsFunc(l.Items, func(item Item) bool {
		return item.Key() == name && string(jsonrpc.Get(item.Raw, "annotations", "destructiveHint")) == "true"
	})
}

// An Item is one entry of a list. Members that violate the specification are left empty; Raw has everything.
type Item struct {
	Kind        string // name of its list: "tools", "resources", "templates", "prompts", "skills", "events"
	Name        string
	Title       string
	Description string
	URI         string // URI of a resource, or the template
	MIME        string
	Raw         []byte
	// Invalid is the reason why a client must not call the tool, or nil.
	Invalid error
}

// NewItem reads an entry of a list, which is named as in [List]. The item keeps raw.
func NewItem(list string, raw []byte) Item {
	i := Item{
		Kind: list, Raw: raw,
		Name: jsonrpc.Text(raw, "name"), Title: jsonrpc.Text(raw, "title"), Description: jsonrpc.Text(raw, "description"),
		URI: jsonrpc.Text(raw, "uri"), MIME: jsonrpc.Text(raw, "mimeType"),
	}
	if t := jsonrpc.Text(raw, "uriTemplate"); t != "" {
		i.URI = t
	}
	if list == revision.Skills.Name {
		i.Name, i.Description = jsonrpc.Text(raw, "frontmatter", "name"), jsonrpc.Text(raw, "frontmatter", "description")
	}
	if i.Title == "" {
		i.Title = jsonrpc.Text(raw, "annotations", "title")
	}
	return i
}

// Label returns the name of the entry for display: its name, URI or title, or a substitute if it has none of them. It is
// untrusted text.
func (i Item) Label() string { return cmp.Or(i.Name, i.URI, i.Title, "without a name") }

// Key returns the member that identifies the entry in its list.
func (i Item) Key() string {
	if l, _ := revision.ListNamed(i.Kind); l.Key == "name" {
		return i.Name
	}
	return i.URI
}

// Member returns a raw member of the entry.
func (i Item) Member(name string, more ...string) []byte {
	v, _ := jsonrpc.Member(i.Raw, name, more...)
	return v
}

package revision

import (
	"slices"
	"strings"
)

// List is a kind of list that a server may offer.
type List struct {
	Name   string // name, also on the command line, such as "templates"
	Noun   string // name for an item: "template"
	Method string
	Member string // member of the result with the items
	Needs  string // the server capability, or the extension, which has a slash
	Key    string // the member that identifies an item
	Use    string // the method that uses an item
	Shape  Shape  // shape of an item
	// Changed is the notification of a change of the list, or empty.
	Changed string
}

// The stored lists of a server are bounded: all kinds together may take [MaxListBytes]. An entry counts
// [EntryBytes] in addition to its text, because many tiny entries cost that much.
const (
	MaxListBytes = 32 << 20
	EntryBytes   = 256
)

// Capability returns the path of the capability that the list requires, or of a member of it.
func (l List) Capability(more ...string) []string {
	if strings.Contains(l.Needs, "/") {
		return append([]string{"extensions", l.Needs}, more...)
	}
	return append([]string{l.Needs}, more...)
}

// IsDeclared reports whether capabilities contain the capability that the list requires, or a member of
// it.
func (l List) IsDeclared(capabilities []byte, more ...string) bool {
	return Declares(capabilities, l.Capability(more...)...) ||
		l.Needs == EventsExtension && Declares(capabilities, append([]string{EventsCapability}, more...)...)
}

// Filter returns the member of a subscription filter that requests changes of the list (2026-07-28, basic /
// patterns / subscriptions), or "" for a list without notifications.
func (l List) Filter() string {
	if l.Changed == "" {
		return ""
	}
	return strings.TrimPrefix(l.Needs, reservedPrefix) + "ListChanged"
}

// Lists of a server (specification, server features; SEP-2640; SEP-3415).
var (
	Tools     = List{"tools", "tool", "tools/list", "tools", "tools", "name", "tools/call", ShapeTool, "notifications/tools/list_changed"}
	Resources = List{"resources", "resource", "resources/list", "resources", "resources", "uri", "resources/read", ShapeResource, "notifications/resources/list_changed"}
	Templates = List{"templates", "template", "resources/templates/list", "resourceTemplates", "resources", "uriTemplate", "resources/read", ShapeTemplate, "notifications/resources/list_changed"}
	Prompts   = List{"prompts", "prompt", "prompts/list", "prompts", "prompts", "name", "prompts/get", ShapePrompt, "notifications/prompts/list_changed"}
	Events    = List{"events", "event type", EventsList, "events", EventsExtension, "name", EventsStream, ShapeEvent, EventsListChanged}
	Skills    = List{"skills", "skill", "skills/list", "skills", SkillsExtension, "uri", "skills/get", ShapeSkill, ""}
)

// Lists are all lists, in the order of display.
var Lists = []List{Tools, Resources, Templates, Prompts, Skills, Events}

// ListOf finds the list of a method, with the zero List for another method.
func ListOf(method string) (List, bool) {
	return listWith(func(l *List) bool { return l.Method == method })
}

// ListNamed finds a list by its name.
func ListNamed(name string) (List, bool) {
	return listWith(func(l *List) bool { return l.Name == name })
}

// ListIn finds a list by the member of its result.
func ListIn(member string) (List, bool) {
	return listWith(func(l *List) bool { return l.Member == member })
}

// ListMethods returns the methods of all lists.
func ListMethods() []string {
	methods := make([]string, len(Lists))
	for i, l := range Lists {
		methods[i] = l.Method
	}
	return methods
}

func listWith(is func(*List) bool) (List, bool) {
	for i := range Lists {
		if is(&Lists[i]) {
			return Lists[i], true
		}
	}
	return List{}, false
}

// ListChanges returns the notifications of changes of lists.
func ListChanges() []string {
	var changes []string
	for _, l := range Lists {
		if l.Changed != "" {
			changes = append(changes, l.Changed)
		}
	}
	return slices.Compact(changes) // templates are resources
}

package inspector

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/changes"
	"mcptea/session/question"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// maxAsked bounds the remembered renames. The user is asked again about older ones.
const maxAsked = 100

// askAboutRenames asks, once for each renamed tool or prompt, whether to rename it in its pins and saved
// arguments, which changes files.
func (m *model) askAboutRenames() {
	r := &m.renames
	if r.open != nil && m.undone(r.of) {
		if m.Close(r.open) {
			m.Say(otherNames)
			r.asked = slices.DeleteFunc(r.asked, func(name string) bool { return name == nameOf(r.of) })
		}
		r.open = nil
	}
	if r.changes != m.state.Changes {
		r.changes, r.queue, r.again = m.state.Changes, nil, false
		for _, list := range []string{"tools", "prompts"} {
			for _, it := range r.changes.In(list) {
				if it.Renamed == "" {
					continue
				}
				r.know(&it)
				for _, it := range m.sinceBegin(&it) {
					if !slices.Contains(r.asked, nameOf(&it)) {
						r.queue = append(r.queue, it)
					}
				}
			}
		}
	}
	if len(r.queue) == 0 || m.Window() != nil || !m.live() {
		return
	}
	it := r.queue[0]
	r.queue = r.queue[1:]
	r.asked = append(r.asked[max(len(r.asked)-maxAsked+1, 0):], nameOf(&it))
	list, _ := revision.ListNamed(it.List)
	pinned, _, _, _ := m.pins.List()
	pins := 0
	for i := range pinned {
		if pinned[i].Method == list.Use && pinned[i].Subject == it.Renamed {
			pins++
		}
	}
	again := r.again
	m.Go(func(context.Context) func() {
		saved := m.arguments.Count(list.Use, it.Renamed)
		return func() {
			if pins+saved > 0 {
				m.askRename(list, &it, pins, saved)
				m.renames.again = false
			} else if again && len(m.renames.queue) == 0 {
				m.Say("No pin and no saved arguments have the old name " + display.Sanitize(it.Renamed) + ".")
			}
		}
	})
}

// sinceBegin returns a rename from each name that the entry had in this session, newest last, because files may
// use any of them.
func (m *model) sinceBegin(it *changes.Item) []changes.Item {
	all := []changes.Item{*it}
	for i := 0; i < len(all) && len(all) < maxAsked; i++ {
		for _, o := range m.renames.known {
			if o.List != it.List || o.Renamed != all[i].Renamed || slices.ContainsFunc(all, func(a changes.Item) bool { return a.Renamed == o.Key }) {
				continue
			}
			between := *it
			if between.Renamed = o.Key; !m.undone(&between) {
				all = append(all, between)
			}
		}
	}
	return all
}

// know keeps a rename, instead of an earlier one with the same new name.
func (r *renames) know(it *changes.Item) {
	r.known = slices.DeleteFunc(r.known, func(o changes.Item) bool { return o.List == it.List && o.Key == it.Key })
	r.known = append(r.known[max(len(r.known)-maxAsked+1, 0):], *it)
}

// renamed returns the renames of the session that still hold.
func (m *model) renamed() []changes.Item {
	return slices.DeleteFunc(slices.Clone(m.renames.known), func(it changes.Item) bool { return m.undone(&it) })
}

// renameCommand asks again whether to use the new names in files.
func (m *model) renameCommand() keys.Command {
	return keys.Command{
		ID: "rename.files", Keys: keys.On("f12"), Label: "rename in files", Words: "pins saved arguments follow old name tool prompt move",
		Help: "Ask again whether pins and saved arguments follow the tools and prompts that were renamed",
		Run: func() {
			m.renames.queue, m.renames.again = nil, true
			for _, it := range m.renamed() {
				m.renames.queue = append(m.renames.queue, m.sinceBegin(&it)...)
			}
		},
		Off: func() string {
			return keys.Reason(len(m.renamed()) == 0, "No tool or prompt was renamed in this session.")
		},
	}
}

// otherNames is the reason why a question about a rename is closed.
const otherNames = "The server has other names now: nothing is renamed in files."

// undone reports whether the server has the old name of an entry again, or no longer the new one.
func (m *model) undone(it *changes.Item) bool {
	list := m.state.Lists[it.List]
	if m.state.Phase != session.Ready || list.Loading || list.Err != nil {
		return false
	}
	_, before := list.Find(it.Renamed)
	_, now := list.Find(it.Key)
	return before || !now
}

// nameOf returns the identity of a question about a rename.
func nameOf(it *changes.Item) string { return it.List + "\x00" + it.Renamed + "\x00" + it.Key }

// askRename asks about one rename.
func (m *model) askRename(list revision.List, it *changes.Item, pins, saved int) {
	path, err := filepath.Abs(m.pins.Path())
	if err != nil {
		path = m.pins.Path()
	}
	properties := m.state.Changes.Properties(it.List, it.Key)
	q := dialog.Consent{
		Text:  question.Text{Facts: []question.Fact{{Label: "old name", Text: it.Renamed, Strong: true}, {Label: "new name", Text: it.Key, Strong: true}}},
		Title: "Rename this " + list.Noun + " in your files, too?", Unasked: true,
		Yes: "rename", No: "leave them", After: "pins of the old name fail; " + m.Name("rename.files") + " asks again",
		Accept: func() {
			if m.undone(it) {
				m.Say(otherNames)
				return
			}
			m.renameKept(list.Use, it, properties)
		},
	}
	if pins > 0 {
		q.Facts = append(q.Facts, question.Fact{Label: "pins", Text: phrase.Count(pins, "pinned call") + " in " + path})
	}
	if saved > 0 {
		q.Facts = append(q.Facts, question.Fact{Label: "saved", Text: phrase.Count(saved, "set") + " of arguments"})
	}
	for _, old := range slices.Sorted(maps.Keys(properties)) {
		q.Facts = append(q.Facts, question.Fact{Label: "property", Text: old + " " + m.Pal.ArrowOut + " " + properties[old]})
	}
	m.renames.open, m.renames.of = q.Open(m.app()), it
}

// renameKept changes pins and saved arguments to the new names of an entry and its properties. The pins run.
func (m *model) renameKept(method string, it *changes.Item, properties map[string]string) {
	m.Go(func(context.Context) func() {
		pins, err := m.pins.Rename(method, it.Renamed, it.Key, properties)
		saved, failed := m.arguments.Rename(method, it.Renamed, it.Key, properties)
		return func() {
			switch {
			case err != nil:
				m.Fail(dialog.Sentence(err))
			case failed != nil:
				m.Fail(dialog.Sentence(failed))
			default:
				var done []string
				if pins > 0 {
					done = append(done, phrase.Count(pins, "pinned call"))
				}
				if saved > 0 {
					done = append(done, phrase.Count(saved, "set")+" of saved arguments")
				}
				m.Say("Renamed in " + cmp.Or(strings.Join(done, " and "), "nothing: the files use other names") + ".")
			}
			if pins > 0 {
				m.pins.Run()
			}
		}
	})
}

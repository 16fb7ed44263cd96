// Package saved implements the windows for data that the user keeps for later sessions: arguments of calls,
// responses to server requests, and the policies that answer those.
//
// Files are read and written outside of Update.
//
// Tests: ui/pane/saved_test.go
package saved

import (
	"context"
	"errors"
	"slices"

	"mcptea/internal/words/display"
	"mcptea/session/state"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// book is a file of values under names.
type book struct {
	// File is nil if there is no state directory.
	File *state.Responses
	app  app.Program
	noun string // noun for a value: "arguments", "response"
}

// value is a JSON object that can be used again.
type value struct {
	group, name string
	raw         []byte
}

// maxSummary is the number of bytes of a value shown in the list.
const maxSummary = 1 << 10

// load reads the values of a method, or none if there is no file.
func (b *book) load(method string) (all []value, err error) {
	if b.File == nil {
		return nil, nil
	}
	saved, err := b.File.Load(method)
	for _, s := range saved {
		all = append(all, value{"saved", s.Name, s.Result})
	}
	return all, err
}

// loaded reads values outside of Update and passes them on. If some cannot be read, it reports that and uses
// the others.
func (b *book) loaded(load func() ([]value, error), then func(all []value)) {
	b.app.Go(func(context.Context) func() {
		all, err := load()
		return func() {
			dialog.Tell(b.app, err)
			then(all)
		}
	})
}

// choose opens the window of values. use is called with the chosen one.
func (b *book) choose(title, method string, all []value, use func(raw []byte)) {
	c := dialog.Choose{
		Title: title, Verb: "use", Text: "What you choose is filled in; nothing is sent yet.",
		Len: func() int { return len(all) },
		Entry: func(i int) dialog.Entry {
			v := all[i]
			return dialog.Entry{Key: v.group + v.name + string(v.raw), Group: v.group, Name: v.name, Summary: string(v.raw[:min(len(v.raw), maxSummary)])}
		},
		Accept: func(i int) { use(all[i].raw) },
	}
	c.Remove = func(i int) {
		if all[i].group != "saved" {
			b.app.Say("What was sent is kept in the history and cannot be deleted here.")
			return
		}
		name := all[i].name
		all = append(all[:i:i], all[i+1:]...)
		b.app.Go(func(context.Context) func() { return b.failed(b.File.Delete(method, name)) })
	}
	c.Open(b.app)
}

// failed states an error, if there is one.
func (b *book) failed(err error) (done func()) {
	if err == nil {
		return nil
	}
	return func() { b.app.Fail(dialog.Sentence(err)) }
}

// save saves a value under a name that the user types. Text is of the window, note of the
// sentence that follows.
func (b *book) save(method, text string, raw []byte, note string) {
	if b.File == nil {
		b.app.Fail("There is no state directory to save the " + b.noun + " in.")
		return
	}
	b.loaded(func() ([]value, error) { return b.load(method) }, func(all []value) {
		dialog.Prompt{
			Title: "Save the " + b.noun, Verb: "save", Text: text,
			Accept: func(name string) (func(), error) {
				if name == "" {
					return nil, errors.New("type a name")
				}
				return func() { b.write(state.Saved{Method: method, Name: name, Result: raw}, note) }, nil
			},
			Hint: func(name string) string {
				is := slices.ContainsFunc(all, func(v value) bool { return v.name == name })
				return keys.Reason(is, "This replaces what is saved under the same name.")
			},
		}.Open(b.app)
	})
}

func (b *book) write(s state.Saved, note string) {
	b.app.Go(func(context.Context) func() {
		if err := b.File.Save(s); err != nil {
			return b.failed(err)
		}
		return func() { b.app.Say("Saved as " + display.Sanitize(s.Name) + "." + note) }
	})
}

// Responses are the saved responses to requests of servers.
type Responses struct{ book }

// NewResponses returns the responses of a file, which may be nil.
func NewResponses(a app.Program, file *state.Responses) *Responses {
	return &Responses{book{File: file, app: a, noun: "response"}}
}

// Choose offers the saved responses to a method.
func (r *Responses) Choose(method string, use func(result []byte)) {
	r.loaded(func() ([]value, error) { return r.load(method) }, func(all []value) {
		if len(all) == 0 {
			r.app.Say("No response to " + method + " is saved yet. " + r.app.Key("write") + " saves one.")
			return
		}
		for i := range all {
			all[i].group = "" // no groups: all are saved
		}
		r.choose("Saved responses", method, all, use)
	})
}

// Save saves a result under a name that the user types.
func (r *Responses) Save(method string, result []byte) {
	r.save(method, "A name for this response to "+method+". It can be used again, also as a policy.", result, "")
}

package saved

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/session/state"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
)

// maxRecent is the number of sent arguments that are offered.
const maxRecent = 20

// Arguments holds the arguments of calls: saved under names, and sent before. They belong to a method and a
// subject.
type Arguments struct {
	book
	history func() *state.History // nil if none is kept
	failing bool                  // the history cannot be written, which was stated
}

// NewArguments returns the arguments of a file, which may be nil, and of a history.
func NewArguments(a app.Program, file *state.Responses, history func() *state.History) *Arguments {
	return &Arguments{book: book{File: file, app: a, noun: "arguments"}, history: history}
}

// key returns the key of saved arguments in their file.
func key(method, subject string) string { return method + " " + subject }

// sent are the params of an entry in the history.
type sent struct {
	Subject   string          `json:"subject"`
	Arguments json.RawMessage `json:"arguments"`
}

// Count returns the number of arguments saved for a subject. It reads the file.
func (a *Arguments) Count(method, subject string) int {
	all, _ := a.load(key(method, subject)) // without them nothing moves
	return len(all)
}

// Rename moves the saved arguments of a subject to its new name, with the new names of its properties, and
// returns their number. It reads and writes the file.
func (a *Arguments) Rename(method, old, now string, properties map[string]string) (int, error) {
	if a.File == nil {
		return 0, nil
	}
	return a.File.Rename(key(method, old), key(method, now), properties)
}

// Keep adds arguments that were sent to the history.
func (a *Arguments) Keep(method, subject string, arguments []byte) {
	a.app.Go(func(context.Context) func() {
		file := a.history()
		if file == nil {
			return nil
		}
		params, err := json.Marshal(sent{subject, arguments})
		if err == nil {
			err = file.Add(state.Sent{Time: time.Now(), Method: method, Params: string(params)})
		}
		if err == nil {
			return nil
		}
		return func() {
			if !a.failing {
				a.failing = true
				a.app.Fail(dialog.Sentence(err))
			}
		}
	})
}

// Choose offers the saved arguments, then those sent before, newest first.
func (a *Arguments) Choose(method, subject string, use func(arguments []byte)) {
	a.loaded(func() ([]value, error) {
		all, err := a.load(key(method, subject))
		if err != nil {
			return nil, err
		}
		recent, err := a.recent(method, subject)
		return append(all, recent...), err
	}, func(all []value) {
		if len(all) == 0 {
			a.app.Say("No arguments were saved or sent yet. " + a.app.Key("write") + " saves those of the form.")
			return
		}
		a.choose("Arguments", key(method, subject), all, use)
	})
}

// recent returns the arguments that were sent, without duplicates.
func (a *Arguments) recent(method, subject string) (all []value, err error) {
	file := a.history()
	if file == nil {
		return nil, nil
	}
	entries, err := file.Load()
	for _, e := range slices.Backward(entries) {
		var s sent
		switch {
		case e.Method != method || json.Unmarshal([]byte(e.Params), &s) != nil || s.Subject != subject || len(s.Arguments) == 0,
			slices.ContainsFunc(all, func(v value) bool { return jsonrpc.Equal(v.raw, s.Arguments) }):
			continue
		case len(all) == maxRecent:
			return all, err
		}
		all = append(all, value{"sent", e.Time.Local().Format("Jan 2 15:04"), s.Arguments})
	}
	return all, err
}

// Save saves arguments under a name that the user types, without secrets.
func (a *Arguments) Save(method, subject string, arguments []byte) {
	text, note := secret.Text(string(arguments)), ""
	if text != string(arguments) {
		note = " Secrets were left out."
	}
	if _, isObject := jsonrpc.Member([]byte(`{"a":`+text+`}`), "a"); !isObject || !json.Valid([]byte(text)) {
		a.app.Fail("Cannot save the arguments: without their secrets they are not a JSON object.")
		return
	}
	a.save(key(method, subject), "A name for these arguments. Secrets are left out; write {{env.NAME}} in their place.", []byte(text), note)
}

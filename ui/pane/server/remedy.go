package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/explain/remedy"
	"mcptea/session/question"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// A todo is an action of a key on a failure.
type todo struct {
	label, note string
	id          string // id of the command; may be "" for the first action
	typed       bool   // it asks for a value
	do          func()
}

// plan determines the actions for the explained failure, and the actions that are only described.
func (p *Pane) plan() {
	p.todo = nil
	all := remedy.Of(p.why, p.run, p.st.Err)
	typed := slices.DeleteFunc(slices.Clone(all), func(m remedy.Remedy) bool { return m.Way != remedy.Type }) // asked one after the other
	for i, m := range all {
		t := todo{label: m.Label, do: func() { p.do(m) }}
		switch m.Way {
		case remedy.Told:
			continue
		case remedy.Type:
			if slices.ContainsFunc(all[:i], func(before remedy.Remedy) bool { return before.Way == remedy.Type }) {
				continue
			}
			t.note, t.typed, t.do = "and connect again with it", true, func() { p.askFor(p.run, typed) }
			if len(typed) > 1 {
				t.label, t.note = "set "+strings.Join(namesOf(typed), ", "), "and connect again with them"
			}
		case remedy.Line:
			t.id, t.note = "link.edit", p.lineNote(m.Value)
		case remedy.Shell:
			t.id, t.note = "shell", "with the same environment and directory"
		case remedy.Wait:
			t.id = "watch"
		case remedy.Connect:
			t.id = "again"
		case remedy.Agree:
			t.note = "after a question"
		}
		p.todo = append(p.todo, t)
	}
	if slices.ContainsFunc(all, remedy.Remedy.Authorizes) { // closer to the cause
		p.todo = append(p.todo, p.tokens()...)
	} else {
		p.todo = append(p.tokens(), p.todo...)
	}
	p.proposeFinding()
	p.giveKeys()
}

// lineNote describes the line that a remedy fills in. A correction is visible before the key fills it in.
func (p *Pane) lineNote(text string) string {
	if now, err := p.run.Text(); err == nil && now != text && isShown(text) {
		return "to " + text + ", which you can edit"
	}
	return "opens the line to edit"
}

// placed lists the commands of actions without their own key, after the first one. Actions beyond them are only
// described.
var placed = []string{"remedy.second", "remedy.third"}

// giveKeys assigns a key to each row of the list. The first row gets enter.
func (p *Pane) giveKeys() {
	next := placed
	for i := 1; i < len(p.todo); i++ {
		switch {
		case p.todo[i].id != "":
		case len(next) == 0:
			p.todo = slices.Delete(p.todo, i, i+1)
			i--
		default:
			p.todo[i].id, next = next[0], next[1:]
		}
	}
}

// tokens returns the ways to obtain a token, if the server requires one.
func (p *Pane) tokens() (all []todo) {
	if !p.tokenRequired() {
		return nil
	}
	refused := p.run.Credential() != ""
	all = append(all, todo{
		paint.If(refused, "type another token", "paste a token"),
		paint.If(refused, "instead of this one", phrase.Signs("sent as Authorization: Bearer …")), "token", true, p.askToken,
	})
	if p.authorizes {
		all = append(all, todo{"authorize in the browser", paint.If(refused, "OAuth; this token is forgotten", "OAuth"), "authorize", false, p.authorize})
	}
	if refused {
		all = append(all, todo{"forget the token", "and connect without one", "", false, p.forget})
	}
	return all
}

// forget connects without the credentials that were refused.
func (p *Pane) forget() { p.connect(question.Typed(), p.run.Forget(), nil) }

func namesOf(list []remedy.Remedy) (names []string) {
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}

// do does a remedy.
func (p *Pane) do(m remedy.Remedy) {
	switch m.Way {
	case remedy.Line:
		p.editLink(m.Value, true)
	case remedy.Agree:
		p.agreeTo(m)
	case remedy.Wait:
		p.await()
	case remedy.Connect:
		p.tryAgain()
	case remedy.Shell:
		p.program.Shell(p.run.Link.Target)
	case remedy.At:
		p.set(m, question.Typed())
	case remedy.Told, remedy.Type: // see plan
	}
}

// set connects with the value that a remedy proposes.
func (p *Pane) set(m remedy.Remedy, agreed question.Agreement) {
	next, err := p.run.With(m.Flag, m.Setting(m.Value))
	p.connect(agreed, next, err)
}

// tryAgain connects again with the current settings. The server of a tap is restarted by the tap.
func (p *Pane) tryAgain() {
	if p.program.Behind() {
		p.program.Restart()
		return
	}
	p.app.Online("Connect", p.program.Restart)
}

// connect connects with other settings that the user has agreed to or typed, whose files are read first.
func (p *Pane) connect(agreed question.Agreement, next remedy.Run, err error) {
	if !agreed.Given() {
		return
	}
	read := func(context.Context) (remedy.Run, error) {
		if err != nil {
			return next, err
		}
		return next.Read()
	}
	dialog.Try(p.app, read, func(next remedy.Run) {
		p.app.Online("Connect", func() {
			p.next = next.Changed(p.run)
			p.entry.edited, p.entry.read = true, time.Time{}
			p.run = next
			p.s.SetLink(next.Link)
			p.program.Changed(next.Flags())
			p.program.Restart()
		})
	})
}

// editText lets the user edit the current line.
func (p *Pane) editText() {
	text, err := p.run.Text()
	if err != nil {
		p.app.Fail(dialog.Sentence(err))
		return
	}
	p.editLink(text, false)
}

// edit asks for the values that the server needs, or otherwise edits the line.
func (p *Pane) edit() {
	if i := slices.IndexFunc(p.todo, func(t todo) bool { return t.typed }); i >= 0 {
		p.todo[i].do()
		return
	}
	p.editText()
}

// await connects as soon as the port accepts connections.
func (p *Pane) await() {
	target := p.run.Link.Target
	p.since = time.Now() // the tick may be old: nothing moved on the screen
	p.waiting.Start(p.app, func(ctx context.Context) func() {
		err := remedy.WaitFor(ctx, target)
		return func() {
			if err != nil {
				p.app.Fail("Not connected: " + err.Error() + ".")
				return
			}
			p.tryAgain()
		}
	})
}

// refused reports whether the port of the server refuses connections, so that waiting for it makes sense.
func (p *Pane) refused() bool {
	return slices.ContainsFunc(p.why.Remedies(), func(r failure.Remedy) bool { return r.Action == failure.ActionWait })
}

// watch connects again automatically: when the port is open, or after each save of the files.
func (p *Pane) watch() {
	if p.refused() {
		p.await()
		return
	}
	p.program.Watch()
}

// authorize obtains a token from the authorization server, which replaces a typed one.
func (p *Pane) authorize() { p.connect(question.Typed(), p.run.WithoutToken(p.given), nil) }

// first returns the label of enter in the last row, or "" if the page names the key.
func (p *Pane) first() string {
	if p.repairs() && len(p.todo) > 0 && !p.waiting.Busy() {
		return ""
	}
	switch {
	case p.program.Behind():
		return "restart behind the host"
	case p.record.watches:
		return "start a server of your own"
	case p.isRecorded():
		return "connect to a server"
	}
	return "try again"
}

// editLabel returns the label of the command that changes the link.
func (p *Pane) editLabel() string {
	return paint.If(p.target.IsStdio(), "change the command", "change the URL")
}

// editInRow is like editLabel, but for the last row. It returns "" if enter edits the line.
func (p *Pane) editInRow() string {
	if p.repairs() { // the page names its key
		return ""
	}
	return p.editLabel()
}

// doFirst does the first remedy, or connects again.
func (p *Pane) doFirst() {
	if p.repairs() && len(p.todo) > 0 && !p.waiting.Busy() {
		p.todo[0].do()
		return
	}
	p.tryAgain()
}

func (p *Pane) atPlace(id string) int {
	return slices.IndexFunc(p.todo, func(t todo) bool { return t.id == id })
}

func (p *Pane) doPlaced(id string) { p.todo[p.atPlace(id)].do() }

// lacks returns why a key has no action.
func (p *Pane) lacks(id string) string {
	return keys.Reason(!p.repairs() || p.atPlace(id) < 0, "The page has no remedy for this key.")
}

// remedyCommands returns the commands for actions on a failure.
func (p *Pane) remedyCommands() []keys.Command {
	down := func() string { return keys.Reason(!p.repairs(), "It works while the newest attempt has failed.") }
	return []keys.Command{
		{ID: placed[0], Keys: keys.On("f8"), Label: "second remedy", Help: "Do the second remedy that the page names", Words: "fix repair", Run: func() { p.doPlaced(placed[0]) }, Off: func() string { return p.lacks(placed[0]) }},
		{ID: placed[1], Keys: keys.On("f9"), Label: "third remedy", Help: "Do the third remedy that the page names", Words: "fix repair", Run: func() { p.doPlaced(placed[1]) }, Off: func() string { return p.lacks(placed[1]) }},
		p.findCommand(),
		{ID: "edit", Verb: keys.Edit, Label: "set value", Help: "Set the missing variable or header of the server, or change its command or URL", Words: "environment env fix", Run: p.edit, Off: down},
		{ID: "link.edit", Verb: keys.Reach, Label: "change", Now: p.editInRow, Help: "Change the command or the URL, --timeout and other flags, headers or directory, in one line, and connect again", Words: "set add edit connection timeout timeouts deadline limit url address host port command line argument arguments args flags header headers authorization bearer token api key env environment variable variables directory working cwd path protocol version fix", Footer: 13, Run: p.editText, Off: p.keepsLink},
		{ID: "write", Verb: keys.Write, Label: "write to entry", Help: "Write the variables that were set into the entry of the configuration, after a question", Words: "save keep env mcp.json store", Footer: 12, Run: p.keepVariables, Off: p.cannotKeep},
		{ID: "again", Verb: keys.Again, Label: "try again", Help: "Connect again as before", Words: "retry reconnect", Run: p.tryAgain, Off: down},
		{ID: "watch", Verb: keys.Watch, Label: "watch", Help: "Connect again after each save of the files of the server, or when its port is open", Words: "wait port listen save reload", Run: p.watch, Off: func() string {
			return cmp.Or(down(), keys.Reason(!p.run.Link.Target.IsStdio() && !p.refused(), "The server is not started by mcptea: there are no files to watch."),
				keys.Reason(p.program.Watching() && !p.refused(), "The files are watched already."), keys.Reason(p.waiting.Busy(), "The port is waited for."))
		}},
		{ID: "shell", Keys: keys.On("!"), Label: "run in a shell", Help: "Run the command on the terminal, with the environment and the directory of the server", Words: "terminal console try", Run: func() { p.program.Shell(p.run.Link.Target) }, Off: func() string {
			return cmp.Or(down(), keys.Reason(!p.run.Link.Target.IsStdio(), "The server is not started by mcptea."))
		}},
		{ID: "wait.stop", Verb: keys.End, Label: "stop waiting", Help: "Stop waiting for the port of the server", Footer: 4, Run: p.waiting.Stop, Off: func() string { return keys.Reason(!p.waiting.Busy(), "No port is waited for.") }},
		{ID: "attempt.previous", Keys: keys.On("["), Label: "earlier attempt", Help: "Show the attempt to connect before this one", Words: "history back compare", Run: func() { p.attempt(-1) }, Off: func() string { return keys.Reason(p.back >= len(p.earlier), "There is no earlier attempt.") }},
		{ID: "attempt.next", Keys: keys.On("]"), Label: "later attempt", Help: "Show the attempt to connect after this one", Words: "history forward compare", Run: func() { p.attempt(1) }, Off: func() string { return keys.Reason(p.back == 0, "This is the newest attempt.") }},
	}
}

// keepsLink returns why the command or the URL cannot be changed, or "". It can be changed even while the
// server is connected.
func (p *Pane) keepsLink() string {
	return cmp.Or(
		keys.Reason(p.s == nil || p.fixed, "The server of a recording, of a branch, or of another process cannot be changed here."),
		keys.Reason(p.back > 0, "It works on the page of the newest attempt."),
		keys.Reason(p.st.Phase == session.Connecting, "It works once the attempt to connect has ended."),
	)
}

// repairs reports whether the page is about a failure that can be mended here.
func (p *Pane) repairs() bool {
	if p.s == nil || p.back > 0 || p.fixed {
		return false
	}
	return p.failed() && p.st.Phase != session.Connecting
}

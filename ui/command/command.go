package command

import "slices"

// Name identifies a command.
type Name string

// Context is where a command works.
type Context string

// The contexts. A key is looked up in the context that has the focus, and then
// in Global.
const (
	Global   Context = "anywhere"
	Traffic  Context = "traffic"
	Detail   Context = "detail"
	Plain    Context = "bytes, text and HTTP of a frame"
	Server   Context = "server"
	ServerUp Context = "connected server"
	Consent  Context = "authorization" // a page waits for somebody to agree
	Browse   Context = "list"          // the lists of tools, resources and prompts
	Form     Context = "form"          // a form that is being filled in
	Bare     Context = "call"          // a call that takes no arguments, or a resource to read
	Result   Context = "result"        // what a call gave
	Inbox    Context = "inbox"
	Settled  Context = "answered request"
	Writing  Context = "answer" // an answer to the server that is being written
	Logs     Context = "logs"
	Tasks    Context = "tasks"
	Problems Context = "problems"
	Outcome  Context = "result of a task"
	Composer Context = "composer"
)

// Command is one thing that a person can do.
type Command struct {
	Name    Name
	Context Context
	Keys    []string // as Bubble Tea names them; the first is shown
	Label   string   // a word or two for the line at the bottom
	Help    string   // a sentence for the help screen, without a full stop
	Footer  int      // place in the line at the bottom; 0 means not there
}

// Lookup finds the command that a key means in a context.
func Lookup(c Context, key string) (Command, bool) {
	for _, where := range []Context{c, Global} {
		for _, cmd := range table {
			if cmd.Context == where && slices.Contains(cmd.Keys, key) {
				return cmd, true
			}
		}
	}
	return Command{}, false
}

// In finds the command that a name means in a context.
func In(c Context, n Name) (Command, bool) {
	for _, where := range []Context{c, Global} {
		for _, cmd := range table {
			if cmd.Context == where && cmd.Name == n {
				return cmd, true
			}
		}
	}
	return Command{}, false
}

// Named finds a command by its name.
func Named(n Name) (Command, bool) {
	for _, cmd := range table {
		if cmd.Name == n {
			return cmd, true
		}
	}
	return Command{}, false
}

// KeyOf is how the first key of a command is written; empty when it has none.
func KeyOf(n Name) string {
	c, _ := Named(n)
	if len(c.Keys) == 0 {
		return ""
	}
	return KeyName(c.Keys[0])
}

// All lists the commands in the order of the help screen.
func All() []Command { return slices.Clone(table) }

// Footer lists what the line at the bottom names in a context, most important
// first.
func Footer(c Context) []Command {
	var found []Command
	for _, cmd := range table {
		if cmd.Footer > 0 && (cmd.Context == c || cmd.Context == Global) {
			found = append(found, cmd)
		}
	}
	slices.SortStableFunc(found, func(a, b Command) int { return a.Footer - b.Footer })
	return found
}

// KeyName is how a key is written for people.
func KeyName(key string) string {
	switch key {
	case "space":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgup":
		return "page up"
	case "pgdown":
		return "page down"
	}
	return key
}

package inspector

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/system/argument"
	"mcptea/record/store"
	"mcptea/session/question"
	"mcptea/session/runs/usercommand"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/result"
)

// userCommands returns the commands for the user's programs in config.yaml.
func (m *model) userCommands() (list []keys.Command) {
	for i := range m.options.Commands {
		c := &m.options.Commands[i]
		list = append(list, keys.Command{
			ID: idOfUserCommand(c.Name), Label: c.Name, Help: cmp.Or(c.Help, "Run "+c.Text), Words: "own user program external " + c.Text, Footer: 89,
			Run: func() { m.runUserCommand(c) }, Off: func() string { return m.noUserCommand(c) },
		})
	}
	return list
}

// A selection holds the sources of a command's values at the time when its key was pressed.
type selection struct {
	subject           app.Subject
	request, response int32 // rows, or store.None
	store             *store.Store
	session           map[string]string // values of the session, without empty ones
}

func (m *model) selection() selection {
	s := selection{store: m.session.Store(), request: store.None, response: store.None}
	switch at, ok := m.Focused().(app.Pointed); {
	case ok:
		s.subject = at.Subject()
	case m.inTraffic():
		s.subject.Row = m.selectedRow()
	default:
		s.subject.Row = store.None
	}
	if row := s.subject.Row; row != store.None {
		s.request, s.response = s.store.Related(row)
		if r, _ := s.store.Row(row); s.request == store.None && s.response == store.None && r.Kind == jsonrpc.Request {
			s.request = row
		}
	}
	s.session = map[string]string{"recording": s.store.Path(), "server": m.serverName(), "dir": m.state.Process.Dir}
	if t := m.session.Target(); !t.IsStdio() {
		s.session["url"] = t.ShownURL()
	}
	// The process of a recording ran on another machine, or has ended.
	_, recorded := m.session.Recording()
	if pid := m.state.Process.PID; !recorded && pid > 0 && m.state.Process.Exited.IsZero() {
		s.session["pid"] = strconv.Itoa(pid)
	}
	return s
}

// noUserCommand returns the reason why a command lacks a value.
func (m *model) noUserCommand(c *usercommand.Command) string {
	s := m.selection()
	for _, v := range c.Needs() {
		if !s.has(v.Name) {
			return v.Lacks + " This command uses {" + v.Name + "}."
		}
	}
	return ""
}

// has reports, without reading a frame, whether a value may exist.
func (s *selection) has(name string) bool {
	switch name {
	case "tool":
		return s.subject.Tool != "" || s.hasMethod("tools/call")
	case "prompt":
		return s.subject.Prompt != "" || s.hasMethod("prompts/get")
	case "uri":
		return s.subject.URI != "" || s.hasMethod("resources/")
	case "frame", "number":
		return s.subject.Row != store.None
	case "method", "id", "request":
		return s.request != store.None
	case "response":
		return s.response != store.None
	}
	return s.session[name] != ""
}

// hasMethod reports whether the request has one of the methods, or one with such a prefix.
func (s *selection) hasMethod(method string) bool {
	r, ok := s.store.Row(s.request)
	return ok && strings.HasPrefix(s.store.Method(r.Method), method)
}

// value returns the text that replaces a name in the command; write stores content in a file for it. It reads
// frames.
func (s *selection) value(v usercommand.Value, write func(name string, content []byte) (string, error)) (string, error) {
	if v.File {
		row := map[string]int32{"frame": s.subject.Row, "request": s.request, "response": s.response}[v.Name]
		body, err := s.store.Body(row)
		if err != nil {
			return "", err
		}
		return write(fmt.Sprintf("%s-%d.json", v.Name, row+1), body)
	}
	if v.Name == "number" {
		return strconv.Itoa(int(s.subject.Row) + 1), nil
	}
	if value := map[string]string{"tool": s.subject.Tool, "prompt": s.subject.Prompt, "uri": s.subject.URI}[v.Name]; value != "" {
		return value, nil
	}
	if value, ok := s.session[v.Name]; ok {
		return value, nil
	}
	request, err := s.store.Body(s.request)
	if err != nil {
		return "", err
	}
	value, ok := ofRequest(v.Name, request)
	if !ok {
		return "", fmt.Errorf("the request has no {%s}", v.Name)
	}
	return value, nil
}

// ofRequest returns a value of a request.
func ofRequest(name string, request []byte) (string, bool) {
	e := jsonrpc.Scan(request)
	switch name {
	case "method":
		return e.MethodName(request), true
	case "id":
		id, ok := jsonrpc.Member(request, "id")
		return string(id), ok
	}
	member := map[string]string{"tool": "name", "prompt": "name", "uri": "uri"}[name]
	value, ok := jsonrpc.Member(e.Params.Of(request), member)
	if !ok {
		return "", false
	}
	return jsonrpc.Unquote(value)
}

// started is a command with its values.
type started struct {
	words []argument.Argument
	input []byte
}

// fill reads the values of a command.
func (s *selection) fill(c *usercommand.Command, dir string) (started, error) {
	values, f := map[string]string{}, started{}
	for _, v := range c.Needs() {
		value, err := s.value(v, func(name string, content []byte) (string, error) {
			if v.Name == c.Input {
				f.input = content
			}
			path := filepath.Join(dir, name)
			return path, system.WriteFileBytes(path, content)
		})
		if err != nil {
			return f, fmt.Errorf("{%s}: %w", v.Name, dialog.Reason(err))
		}
		values[v.Name] = value
	}
	words, err := c.Line.Fill(values)
	f.words = words
	return f, err
}

// runUserCommand runs a command, after a question that shows all its words, unless the user has configured that
// it runs immediately.
func (m *model) runUserCommand(c *usercommand.Command) {
	s := m.selection()
	dir, err := m.temporaryDir()
	if err != nil {
		m.Fail("Cannot make a directory for the command: " + err.Error() + ".")
		return
	}
	dialog.Try(m, func(context.Context) (started, error) {
		f, err := s.fill(c, dir)
		if err != nil {
			err = fmt.Errorf("the command %s was not run: %w", c.Name, err)
		}
		return f, err
	}, func(f started) {
		if c.RunsAtOnce {
			m.carryOutUserCommand(c, f)
			return
		}
		m.askUserCommand(c, f)
	})
}

func (m *model) askUserCommand(c *usercommand.Command, f started) {
	facts := []question.Fact{{Label: "command", Text: c.Name, Aside: true}}
	if c.Input != "" {
		facts = append(facts, question.Fact{Label: "on stdin", Text: fmt.Sprintf("the %s, %d bytes", c.Input, len(f.input))})
	}
	dialog.Consent{
		Title: "Run this command?", Yes: "run", No: "do not run",
		Text:   question.Text{Facts: facts, Name: "words", Lines: argument.Words(f.words...), Blanks: true, Line: question.CommandLine},
		After:  fromSession(c),
		Accept: func() { m.carryOutUserCommand(c, f) },
	}.Open(m)
}

// fromSession returns which values of a command come from the session, or how its question is turned off if
// there are none.
func fromSession(c *usercommand.Command) string {
	var names []string
	for _, v := range c.Needs() {
		if v.Name != c.Input {
			names = append(names, "{"+v.Name+"}")
		}
	}
	if len(names) == 0 {
		return "No word is from the session. confirm: false in config.yaml turns this question off."
	}
	return "From the session: " + strings.Join(names, ", ") + "."
}

// carryOutUserCommand starts a command, on the terminal or in the background.
func (m *model) carryOutUserCommand(c *usercommand.Command, f started) {
	if c.Output == usercommand.Terminal {
		m.lendUserCommand(c, f)
		return
	}
	m.startUserCommand(c, f)
}

// lendUserCommand gives the terminal to the command, except for its stdin if it has an input.
func (m *model) lendUserCommand(c *usercommand.Command, f started) {
	cmd := argument.Program(m.Ctx, f.words)
	if f.input != nil {
		cmd.Stdin = bytes.NewReader(f.input)
	}
	m.lend(cmd, func(err error) { m.Fail("The command " + c.Name + " failed: " + err.Error() + ".") })
}

// startUserCommand runs the command in the background.
func (m *model) startUserCommand(c *usercommand.Command, f started) {
	m.Say("The command " + c.Name + " runs.")
	m.Go(func(ctx context.Context) func() {
		out, err := shell.Run(ctx, shell.Command{Program: f.words, Stdin: f.input, MaxStdout: maxUserOutput, MaxStderr: maxPipedStderr, Timeout: pipeTimeout})
		return func() {
			switch {
			case ctx.Err() != nil:
			case c.Output == usercommand.None && err == nil:
				m.Say("The command " + c.Name + " has ended.")
			case c.Output == usercommand.None:
				m.Fail("The command " + c.Name + " failed: " + shell.Reason(err, out) + ".")
			default:
				m.Say("")
				result.OpenOutput(m, c.Name, shell.Outcome{Output: out, Err: err})
			}
		}
	})
}

// maxUserOutput is the maximum number of bytes of a command's output that the window shows.
const maxUserOutput = 1 << 20

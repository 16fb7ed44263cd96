package use

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/session/session"
)

func (p *commands) taskCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "task {get | result | cancel | answer | list}",
		Short: "Follow a task of a server",
		Long: `Follow a task that a call became, even if its command has ended. A server over stdio is a new process for each command: use --attach with a running inspector or tap.

A task is polled at the interval of the server. Respond to its input requests with mcptea task answer.`,
		Example: `  mcptea task list http://127.0.0.1:3000/mcp
  mcptea task result 786512e2 http://127.0.0.1:3000/mcp`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(_ *cobra.Command, args []string) error {
			word := ""
			if len(args) > 0 {
				word = args[0]
			}
			return app.Usage("Write get, result, cancel, answer or list.", "task: unknown operation %q", word)
		}),
	}
	add := func(use, short, long string, run func(s *session.Session, id string, words []string) error) *cobra.Command {
		c := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs}
		c.RunE = p.RunE(func(cmd *cobra.Command, args []string) error {
			var id string
			var rest []string
			return p.withSession(cmd, args, func(words []string) ([]client.ListKind, error) {
				switch {
				case c.Name() == "list":
				case len(words) == 0:
					return nil, app.Usage("mcptea task list lists the known ids.", "task %s requires the ID of a task", c.Name())
				default:
					id, words = words[0], words[1:]
				}
				if len(words) > 0 && c.Name() != "answer" {
					return nil, app.Usage("", "unexpected argument %q", words[0])
				}
				rest = words
				return nil, nil
			}, func(s *session.Session) error {
				if h := s.State().Handshake; !h.HasTasks() {
					return app.FailedWith("", "the server does not support tasks")
				}
				return run(s, id, rest)
			})
		})
		p.target.AddRequest(c)
		cmd.AddCommand(c)
		return c
	}
	add("get ID TARGET", "Print the status of a task", "Print the status and the input requests of a task. With --json the result is printed as received.", p.taskGet)
	add("result ID TARGET", "Wait for the result of a task", "Wait until a task is over and print its result, as mcptea call does. An interrupt ends the wait, not the task.\n\nThe exit code is 1 if the task has failed or was cancelled, and for a tool error (isError).", p.taskResult)
	var wait bool
	cancel := add("cancel ID TARGET", "Ask the server to cancel a task", "Ask the server to cancel a task. The server decides: with --wait the command waits until the task is over, and prints its outcome.", func(s *session.Session, id string, _ []string) error {
		return p.taskCancel(s, id, wait)
	})
	app.Declare(cancel, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&wait, "wait", false, "wait until the task is over")
	})
	add("answer ID KEY=JSON… TARGET", "Answer the input requests of a task", "Answer input requests of a task, by their keys, which mcptea task get prints (2026-07-28). The JSON is the result, such as '{\"action\":\"decline\"}' for an elicitation, or @file.", p.taskAnswer)
	add("list TARGET", "Print the tasks of a server", "Print the tasks of a server. In 2026-07-28 servers have no list of tasks: the command prints the unfinished tasks whose ids mcptea has kept, from calls over HTTP. With --attach it prints the tasks of the session of the process, as its tab Tasks does.", p.taskList)
	return cmd
}

// storedTasks returns the ids of the tasks that are kept for the server.
func (p *commands) storedTasks(s *session.Session) (ids []string) {
	kept, err := s.KeptTasks()
	if err != nil {
		p.Note(err.Error())
	}
	for _, t := range kept {
		ids = append(ids, t.ID)
	}
	return ids
}

func taskParams(id string) []byte { return client.Params(map[string]string{"taskId": id}) }

// getTask requests the status of a task. An error has been printed.
func (p *commands) getTask(s *session.Session, id string) (client.Task, client.Response, error) {
	response, err := p.Await(s, func() *session.Call { return s.Start("tasks/get", taskParams(id)) })
	if err != nil || response.Err() != nil {
		return client.Task{}, response, p.PrintResponse(s, p.taskRequest(s, "tasks/get", id), response, err)
	}
	t, err := client.ReadTask(taskObject(response.Result()))
	if err != nil {
		return t, response, p.Outcome(s, err)
	}
	if t.Status.Final() {
		s.ForgetTask(id)
	}
	return t, response, nil
}

// taskObject returns the task of a result, which some servers nest.
func taskObject(result []byte) []byte {
	if nested, ok := jsonrpc.Member(result, "task"); ok && jsonrpc.Text(result, "taskId") == "" {
		return nested
	}
	return result
}

// taskRequest returns a request about a task, for its outcome.
func (p *commands) taskRequest(s *session.Session, method, id string) link.Request {
	return link.Request{Method: method, Params: taskParams(id), AfterError: func() { p.unknownTask(s) }}
}

// unknownTask explains why a server may not know a task.
func (p *commands) unknownTask(s *session.Session) {
	hint := "The id is unknown or expired: mcptea task list lists the known ids."
	if s.Target().IsStdio() {
		hint = "The id is unknown or expired. A command over stdio starts a new process, which does not know the tasks of other processes: --attach uses the process of a running inspector."
	}
	p.Err.Row("try", hint)
}

func (p *commands) taskGet(s *session.Session, id string, _ []string) error {
	t, response, err := p.getTask(s, id)
	if err != nil {
		return err
	}
	r := p.taskRequest(s, "tasks/get", id)
	r.Print = func([]byte) (bool, error) { return false, p.printTask(t) }
	return p.PrintResponse(s, r, response, nil)
}

// printTask prints the status of a task, and the input that it requires.
func (p *commands) printTask(t client.Task) error {
	row := func(label, text string) { p.Out.Line(p.Out.Faint(fmt.Sprintf("%-9s", label)) + " " + p.Out.Safe(text)) }
	row("task", display.Sanitize(t.ID))
	row("status", display.Sanitize(strings.TrimSpace(string(t.Status)+"  "+t.Message)))
	if created, err := time.Parse(time.RFC3339Nano, jsonrpc.Text(t.Raw, "createdAt")); err == nil {
		row("age", time.Since(created).Round(time.Second).String())
	}
	switch {
	case t.TTL == client.Forever:
		row("ttl", "without limit")
	case t.TTL > 0:
		row("ttl", app.DurationText(t.TTL))
	}
	requests, keys := t.Requests(nil)
	for _, key := range keys {
		of := jsonrpc.Get(requests, key)
		row("asks for", display.Sanitize(strings.TrimSpace(key+"  "+jsonrpc.Text(of, "method")+"  "+jsonrpc.Text(of, "params", "message"))))
	}
	return p.Out.Failure
}

// untilFinal polls a task at the interval that the server requests, until enough accepts its status. A request
// for input is printed once.
func (p *commands) untilFinal(s *session.Session, id string, enough func(client.Task) bool) (client.Task, client.Response, error) {
	printed := map[string]bool{}
	for {
		t, response, err := p.getTask(s, id)
		if err != nil || enough(t) {
			return t, response, err
		}
		if t.Status == client.TaskInputRequired {
			p.sayInput(t, printed)
		}
		timer := time.NewTimer(link.TaskPoll(t))
		select {
		case <-timer.C:
		case <-p.Ctx.Done():
			timer.Stop()
			return t, response, context.Cause(p.Ctx)
		}
	}
}

// sayInput prints the input that a task requests, except for keys that were printed.
func (p *commands) sayInput(t client.Task, printed map[string]bool) {
	_, keys := t.Requests(printed)
	for _, key := range keys {
		printed[key] = true
		p.Note(fmt.Sprintf("the task waits for %s: mcptea task answer %s '%s=…'", key, t.ID, key))
	}
	if len(keys) == 0 && len(printed) == 0 {
		printed[""] = true
		p.Note("the task waits for input")
	}
}

func isFinal(t client.Task) bool { return t.Status.Final() }

func (p *commands) taskResult(s *session.Session, id string, _ []string) error {
	stateless := s.State().Handshake.Revision.IsStateless()
	answers := len(p.Flags.Answers) > 0 || p.Flags.Sampler != ""
	t, response, err := p.untilFinal(s, id, func(t client.Task) bool {
		return isFinal(t) || !stateless && answers && t.Status == client.TaskInputRequired // the task requests input while tasks/result is pending
	})
	if err != nil {
		return err
	}
	r := link.Request{Method: "tools/call", Params: taskParams(id)}
	switch {
	case t.Status == client.TaskCancelled:
		return p.PrintResponse(s, r, client.Response{}, client.ErrTaskCancelled)
	case stateless:
		response, err = client.TaskOutcome(t, response.Frame)
	default:
		response, err = p.Await(s, func() *session.Call { return s.Start("tasks/result", taskParams(id)) })
	}
	return p.PrintResponse(s, r, response, err)
}

func (p *commands) taskCancel(s *session.Session, id string, wait bool) error {
	r := p.taskRequest(s, "tasks/cancel", id)
	r.Print = func(result []byte) (bool, error) {
		if t, err := client.ReadTask(taskObject(result)); err == nil {
			if t.Status.Final() {
				s.ForgetTask(id)
			}
			return false, p.printTask(t)
		}
		return false, p.Out.Line("asked to cancel")
	}
	if !wait {
		return p.Send(s, r)
	}
	response, err := p.Await(s, func() *session.Call { return s.Start(r.Method, r.Params) })
	if err != nil || response.Err() != nil {
		return p.PrintResponse(s, r, response, err)
	}
	t, response, err := p.untilFinal(s, id, isFinal)
	if err != nil {
		return err
	}
	r.Print = func([]byte) (bool, error) { return false, p.printTask(t) }
	return p.PrintResponse(s, r, response, nil)
}

func (p *commands) taskAnswer(s *session.Session, id string, words []string) error {
	if h := s.State().Handshake; !h.Revision.IsStateless() {
		return app.Usage("mcptea task result ID --answer KIND=HOW answers them.", "tasks/update is of 2026-07-28; in %s a server asks on the connection", h.Revision)
	}
	answers, err := p.readAnswers(words)
	if err != nil {
		return err
	}
	t, _, err := p.getTask(s, id)
	if err != nil {
		return err
	}
	_, open := t.Requests(nil)
	for key := range answers {
		if t.Status != client.TaskInputRequired || !slices.Contains(open, key) {
			hint := "It has no input requests."
			if len(open) > 0 && t.Status == client.TaskInputRequired {
				hint = "It requests " + display.Sanitize(strings.Join(open, ", ")) + "."
			}
			return app.Usage(hint, "the task %s has no input request %q; its status is %s", display.Sanitize(id), key, display.Sanitize(string(t.Status)))
		}
	}
	r := p.taskRequest(s, "tasks/update", id)
	r.Params = client.Params(map[string]any{"taskId": id, "inputResponses": answers})
	r.Print = func([]byte) (bool, error) { return false, p.Out.Line("answered") }
	return p.Send(s, r)
}

// readAnswers reads words of the form KEY=JSON.
func (p *commands) readAnswers(words []string) (map[string]json.RawMessage, error) {
	const hint = `Write KEY=JSON, such as 'strength={"action":"decline"}'.`
	answers := map[string]json.RawMessage{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, app.Usage(hint, "%q is not an answer", word)
		}
		content, source, err := p.ArgumentReader().Value(value)
		if err != nil {
			return nil, settings.ArgumentError(err)
		}
		if source == "" {
			content = []byte(value)
		}
		if err := app.CheckJSON(content); err != nil {
			return nil, app.Usage(hint, "the answer to %s is not valid JSON: %v", key, err)
		}
		answers[key] = content
	}
	if len(answers) == 0 {
		return nil, app.Usage(hint, "task answer requires an answer")
	}
	return answers, nil
}

package script

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcptea/client/revision"
	"mcptea/lint/rules"
	"mcptea/offer/diff"
	"mcptea/offer/jq"
	"mcptea/record"
)

// command is a command of the language.
type command struct {
	name        string
	usage       string
	description string // description in one sentence

	least, most int // words after the name; most -1 is any number
	negatable   bool
	request     bool // the command sends a request, and can run in the background
	files       bool // a word @FILE is the name of a file
	connects    bool
	check       func(words []string) error
	compares    bool // the command compares the last result, and needs no connection
	run         func(ctx context.Context, r *run, st *step, words []string) error
	// build returns the request of the command, if it sends one request with a response.
	build  func(r *run, words []string, form formOf) (method string, params []byte, err error)
	method string // method of build, or "" if the first word is the method
}

// commands are in the order of the documentation.
var commands = []command{
	{
		name: "connect", usage: "connect [--protocol VERSION] [--env NAME=VALUE]… [URL | -- COMMAND ARG…]", description: "Connect to a server; without one, to the target of the command line.",
		most: -1, negatable: true, connects: true, run: runConnect,
	},
	{
		name: "list", usage: "list {tools | resources | templates | prompts}", description: "Request all pages of a list.",
		least: 1, most: 1, negatable: true, request: true, check: checkList, run: runList,
	},
	{
		name: "call", usage: "call TOOL [ARG…]", description: "Call a tool; ARG is key=value, key:=JSON, a JSON object or @FILE.",
		least: 1, most: -1, negatable: true, request: true, files: true, method: "tools/call", build: buildCall, run: runRequest,
	},
	{name: "read", usage: "read URI", description: "Read a resource.", least: 1, most: 1, negatable: true, request: true, method: "resources/read", build: buildRead, run: runRequest},
	{name: "prompt", usage: "prompt NAME [ARG…]", description: "Get a prompt.", least: 1, most: -1, negatable: true, request: true, files: true, method: "prompts/get", build: buildPrompt, run: runRequest},
	{name: "send", usage: "send METHOD [PARAMS]", description: "Send a request of any method.", least: 1, most: 2, negatable: true, request: true, files: true, build: buildSend, run: runRequest},
	{name: "notify", usage: "notify METHOD [PARAMS]", description: "Send a notification.", least: 1, most: 2, files: true, run: runNotify},
	{name: "raw", usage: "raw FRAME", description: "Send a frame byte for byte.", least: 1, most: 1, negatable: true, request: true, files: true, run: runRaw},
	{name: "wait", usage: "wait", description: "Wait for the response to the request in the background.", negatable: true, run: runWait},
	{name: "cancel", usage: "cancel", description: "Cancel the request in the background.", run: runCancel},
	{
		name: "answer", usage: "answer {elicitation | sampling} {JSON | decline | cancel | error}", description: "Set the response to the next request of the server of this kind.",
		least: 2, most: 2, files: true, check: checkAnswer, run: runAnswer,
	},
	{name: "receive", usage: "receive METHOD [PARAMS]", description: "Wait for a notification or request of the server.", least: 1, most: 2, negatable: true, files: true, run: runReceive},
	{
		name: "expect", usage: "expect [--exact [--ignore PATH]…] JSON", description: "Compare the last result or error: it must have all members of the JSON; with --exact it must be equal, except for values that vary and ignored values.",
		least: 1, most: -1, negatable: true, files: true, check: checkExpect, compares: true, run: runExpect,
	},
	{name: "jq", usage: "jq EXPR", description: "Evaluate an expression of jq on the last result or error; it must be true.", least: 1, most: 1, negatable: true, check: checkJQ, compares: true, run: runJQ},
	{name: "text", usage: "text REGEX", description: "Match the text of the last result or error.", least: 1, most: 1, negatable: true, check: checkRegexp, compares: true, run: runText},
	{
		name: "capture", usage: "capture NAME EXPR", description: "Set a variable to the value of a jq expression on the last result; {{NAME}} inserts it.",
		least: 2, most: 2, check: func(w []string) error { return checkJQ(w[1:]) }, run: runCapture,
	},
	{name: "stderr", usage: "stderr REGEX", description: "Match a line that the server has written to stderr.", least: 1, most: 1, negatable: true, check: checkRegexp, run: runStderr},
	{name: "lint", usage: "lint [error | warn | info | RULE]", description: "Fail if there are findings of a severity or worse, or of a rule; error without a word.", most: 1, check: checkSeverity, run: runLint},
	{name: "restart", usage: "restart", description: "Close the connection and connect again.", connects: true, run: runRestart},
	{name: "disconnect", usage: "disconnect", description: "Close the connection.", run: runDisconnect},
	{name: "timeout", usage: "timeout TIME", description: "Set the maximum time that later commands wait.", least: 1, most: 1, check: checkTime, run: runTimeout},
}

// responds reports whether the command awaits the response to a request.
func (c *command) responds() bool { return c.request || c.name == "wait" }

// Command describes a command of the language.
type Command struct{ Name, Usage, About string }

// Commands returns the commands in the order of the documentation.
func Commands() []Command {
	var all []Command
	for _, c := range commands {
		all = append(all, Command{c.name, c.usage, c.description})
	}
	return all
}

func commandNamed(name string) (*command, bool) {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		return nil, false
	}
	return &commands[i], true
}

func commandNames() []string {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}

func checkList(words []string) error {
	if _, ok := revision.ListNamed(words[0]); !ok {
		return fmt.Errorf("unknown list %q", words[0])
	}
	return nil
}

func checkAnswer(words []string) error {
	switch how := words[1]; {
	case words[0] != "elicitation" && words[0] != "sampling":
		return fmt.Errorf("unknown kind of request %q", words[0])
	case how == "decline", how == "error", how == "cancel", strings.HasPrefix(how, "{"), strings.HasPrefix(how, "@"):
		return nil
	}
	return fmt.Errorf("%q is not a response", words[1])
}

func checkExpect(words []string) error {
	_, _, err := expectFlags(words)
	return err
}

// expectFlags reads the words of expect before the JSON.
func expectFlags(words []string) (exact bool, ignored []string, err error) {
	flags := words[:len(words)-1]
	switch last := words[len(words)-1]; {
	case last == "--exact", last == "--ignore", len(flags) > 0 && flags[len(flags)-1] == "--ignore":
		return false, nil, errors.New("the expected JSON is missing")
	}
	for len(flags) > 0 {
		switch flags[0] {
		case "--exact":
			exact = true
		case "--ignore": // a word follows, see above
			if _, err := diff.ParseIgnore(flags[1]); err != nil {
				return false, nil, err
			}
			ignored, flags = append(ignored, flags[1]), flags[1:]
		default:
			return false, nil, fmt.Errorf("unexpected argument %q", flags[0])
		}
		flags = flags[1:]
	}
	if len(ignored) > 0 && !exact {
		return false, nil, errors.New("--ignore requires --exact: without it, values that are not named do not count")
	}
	return exact, ignored, nil
}

func checkJQ(words []string) error {
	if strings.Contains(words[0], "{{") {
		return nil // known when it runs
	}
	if _, err := jq.Compile(words[0]); err != nil {
		return fmt.Errorf("jq: %w", err)
	}
	return nil
}

func checkRegexp(words []string) error {
	if strings.Contains(words[0], "{{") {
		return nil
	}
	_, err := regexp.Compile(words[0])
	return err
}

func checkSeverity(words []string) error {
	var s record.Severity
	if len(words) == 0 || isRule(words[0]) {
		return nil
	}
	return s.UnmarshalText([]byte(words[0]))
}

// isRule reports whether a word is the id of a rule, such as S011.
func isRule(word string) bool {
	_, ok := rules.Lookup(word)
	return ok
}

func checkTime(words []string) error {
	d, err := time.ParseDuration(words[0])
	if err == nil && d <= 0 {
		err = errors.New("the time must be greater than 0")
	}
	return err
}

package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"mcptea/client/revision"

	"mcptea/session/schema/check"
)

// Server describes what all sessions of a server show. Fill it in before the
// first session starts; afterwards it is only read, and its methods may be
// called from any goroutine.
type Server struct {
	Name, Title, Version string
	Description, Website string
	Icons                []Icon
	Instructions         string
	// Era says which revisions are served.
	Era Era
	// Extensions are declared where there is a place for them, by identifier.
	Extensions map[string]any

	Tools     []Tool
	Resources []Resource
	Templates []Template
	Prompts   []Prompt

	// PageSize is how many entries a list answer holds, by method; 0 is all.
	PageSize map[string]int
	// Pace is how long a second of pretended work lasts; 0 is a real second.
	Pace time.Duration
	// Log takes a line about what went wrong inside. Nil discards.
	Log io.Writer
	// Bend changes how sessions behave, for servers that are wrong on purpose.
	Bend Bend

	memory memory // of requests that stand alone
	tasks  tasks
	states states

	mu        sync.Mutex
	sessions  map[*Session]bool
	listeners map[*listener]bool
}

// Bend makes sessions misbehave. The zero value changes nothing.
type Bend struct {
	// Incoming sees each request and notification before it is served, and
	// reports whether it has dealt with it itself.
	Incoming func(*Session, Message) bool
	// Result changes the result of a method.
	Result func(method string, result []byte) []byte
	// Answer turns the answer to a request into the frames to send, the last
	// of which stands for the answer.
	Answer func(m Message, frame []byte) [][]byte
	// CursorLoop makes every page of a list point to one more.
	CursorLoop bool
	// LateAnswers makes a cancelled tool answer all the same.
	LateAnswers bool
}

// Visible selects the clients that see an entry of a list. The zero value selects
// all.
type Visible struct {
	// From and Until are the first and the last revision that show it; zero
	// for no bound.
	From  revision.Revision `json:"-"`
	Until revision.Revision `json:"-"`
	// Hidden entries are absent until [Call.Toggle] shows them.
	Hidden bool `json:"-"`
}

// Tool is one row of the table of tools, in the form of a list.
type Tool struct {
	Visible
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations *ToolHints      `json:"annotations,omitempty"`
	Icons       []Icon          `json:"icons,omitempty"`
	// Waits says that the tool takes its time or asks the client: it then runs
	// beside other requests instead of before the next one.
	Waits bool `json:"-"`
	// Task says whether the tool can work as a task.
	Task TaskSupport `json:"-"`
	// Unchecked leaves the arguments to the tool.
	Unchecked bool `json:"-"`
	// Run does the work. An *Error goes over the wire as JSON-RPC error.
	Run func(context.Context, *Call) (Result, error) `json:"-"`
}

// ToolHints are the annotations of a tool.
type ToolHints struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
}

// Result is what a tool returns.
type Result struct {
	Content    []Content `json:"content"`
	Structured any       `json:"structuredContent,omitempty"`
	IsError    bool      `json:"isError,omitempty"`
}

// Said is a result of one text.
func Said(format string, args ...any) Result {
	return Result{Content: []Content{Textf(format, args...)}}
}

// Failed is a result that says that the tool ran and failed.
func Failed(format string, args ...any) Result {
	r := Said(format, args...)
	r.IsError = true
	return r
}

// Resource is one row of the table of resources, in the form of a list.
type Resource struct {
	Visible
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"` // bytes, 0 when unknown
	Annotations *Marks `json:"annotations,omitempty"`
	Icons       []Icon `json:"icons,omitempty"`
	// Every is after how many seconds of the pace the resource changes by
	// itself, 0 for never.
	Every float64 `json:"-"`
	// Fleeting contents are not the same twice.
	Fleeting bool                 `json:"-"`
	Read     func(*Call) Contents `json:"-"`
	// Ask replaces Read where the client has to be asked something.
	Ask func(context.Context, *Call) (Contents, error) `json:"-"`
}

// Template is one row of the table of resource templates. Variables are simple
// ones that match up to the next slash ("demo://greeting/{name}").
type Template struct {
	URI         string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	// Complete offers values for the variables, by name.
	Complete map[string]Completer `json:"-"`
	// Read returns the contents, or an error when the values make no sense.
	Read func(uri string, values map[string]string) (Contents, error) `json:"-"`
}

// Completer returns all the values that an argument could have, given the other
// arguments.
type Completer func(others map[string]string) []string

// Prompt is one row of the table of prompts, in the form of a list.
type Prompt struct {
	Visible
	Name        string                                       `json:"name"`
	Title       string                                       `json:"title,omitempty"`
	Description string                                       `json:"description,omitempty"`
	Arguments   []Argument                                   `json:"arguments,omitempty"`
	Icons       []Icon                                       `json:"icons,omitempty"`
	Get         func(args map[string]string) []PromptMessage `json:"-"`
	// Ask replaces Get where the client has to be asked something.
	Ask func(context.Context, *Call, map[string]string) ([]PromptMessage, error) `json:"-"`
}

// Argument is an argument of a prompt.
type Argument struct {
	Name        string    `json:"name"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Required    bool      `json:"required,omitempty"`
	Complete    Completer `json:"-"`
}

// PromptMessage is a message of a prompt.
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

func (s *Server) pace() time.Duration {
	if s.Pace <= 0 {
		return time.Second
	}
	return s.Pace
}

func (s *Server) tool(name string) *Tool {
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			return &s.Tools[i]
		}
	}
	return nil
}

// checkArguments compares the arguments of a call with the tool's schema.
func (t *Tool) checkArguments(args json.RawMessage) error {
	if t.Unchecked {
		return nil
	}
	if wrong, ok := check.Compile(t.Input, check.Options{}).Check(args); ok && wrong != nil {
		return fmt.Errorf("%s %s", strings.TrimPrefix(wrong.About, "/"), wrong.Reason)
	}
	return nil
}

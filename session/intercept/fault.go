package intercept

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc/framefault"
	"mcptea/record/filter"
)

// Fault is a fault that is applied to the frames that match a filter.
type Fault struct {
	ID   int    `json:"id"` // from 1; 0 for a new one
	Name string `json:"name"`
	Arg  string `json:"arg,omitempty"` // such as the duration of delay
	// Tool and Method restrict the fault to calls of a tool, and to messages of a method other than
	// tools/call; * at the end stands for any rest. Empty is any tool.
	Tool   string `json:"tool,omitempty"`
	Method string `json:"method,omitempty"`
	// Filter selects the frames, instead of the default of the fault, which is usually responses to
	// tools/call.
	Filter      string  `json:"filter,omitempty"`
	Probability float64 `json:"probability"` // over 0, at most 1; 0 means 1
	Disabled    bool    `json:"disabled,omitempty"`
	Hits        int     `json:"hits,omitempty"` // frames that were changed
}

// String returns NAME=ARG@PROBABILITY,tool=NAME,method=NAME FILTER, as on the command line.
func (f Fault) String() string {
	text := f.Name
	if f.Arg != "" {
		text += "=" + f.Arg
	}
	if f.Probability != 0 && f.Probability != 1 {
		text += "@" + strconv.FormatFloat(f.Probability, 'g', -1, 64)
	}
	for _, p := range [][2]string{{",tool=", f.Tool}, {",method=", f.Method}, {" ", f.Filter}} {
		if p[1] != "" {
			text += p[0] + p[1]
		}
	}
	return text
}

// HTTP reports whether the fault is possible only over HTTP.
func (f Fault) HTTP() bool {
	k := kindOf(f.Name)
	return k != nil && k.HTTP
}

// FaultKind describes a fault that a gate can apply to any connection.
type FaultKind struct {
	Name, Summary string
	Arg           string // description of the argument, or ""
	HTTP          bool   // the fault works only over HTTP
	InPlace       bool   // Summary describes the replacement of a response to a tool call

	message *framefault.Fault // change of a frame, or nil
	status  *Status           // HTTP response, or nil
}

// The faults that package framefault does not have.
const (
	delay   = "delay"
	drop    = "drop"
	reorder = "reorder"
)

// defaultArgs are the arguments of faults without one.
var defaultArgs = map[string]string{delay: "1s", httpStatus: "503"}

// FaultKinds returns the faults in the order of display. The caller owns the slice.
func FaultKinds() []FaultKind {
	kinds := []FaultKind{
		{Name: delay, Summary: "delay responses to tool calls", Arg: "TIME"},
		{Name: drop, Summary: "drop responses to tool calls"},
		{Name: reorder, Summary: "exchange the order of a response to a tool call and the next message"},
	}
	for _, f := range framefault.All() {
		kinds = append(kinds, FaultKind{Name: f.Name, Summary: f.Summary, InPlace: true, message: &f})
	}
	return append(kinds, httpFaults...)
}

// kindOf returns the kind with a name; nil for an unknown one.
func kindOf(name string) *FaultKind {
	kinds := FaultKinds()
	if i := slices.IndexFunc(kinds, func(k FaultKind) bool { return k.Name == name }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// ParseFault reads NAME[=ARG][@PROBABILITY][,tool=NAME][,method=NAME], and after a space
// tool=NAME, method=NAME and a filter. The error names what is possible.
func ParseFault(text string) (Fault, error) {
	f := Fault{Probability: 1}
	spec, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	words := strings.Split(spec, ",")
	for _, word := range words[1:] {
		if !f.restrict(word) {
			return Fault{}, fmt.Errorf("fault %q: after a comma only tool=NAME and method=NAME are possible", text)
		}
	}
	for f.Filter = strings.TrimSpace(rest); ; {
		word, rest, _ := strings.Cut(f.Filter, " ")
		if !f.restrict(word) {
			break
		}
		f.Filter = strings.TrimSpace(rest)
	}
	rest, probability, found := strings.Cut(words[0], "@")
	if found {
		p, err := strconv.ParseFloat(probability, 64)
		if percent, ok := strings.CutSuffix(probability, "%"); ok {
			p, err = strconv.ParseFloat(percent, 64)
			p /= 100
		}
		if err != nil || !(p > 0 && p <= 1) {
			return Fault{}, fmt.Errorf("fault %q: the probability must be a number over 0 and at most 1, or a percentage", text)
		}
		f.Probability = p
	}
	f.Name, f.Arg, _ = strings.Cut(rest, "=")
	_, err := newRule(f)
	return f, err
}

// restrict takes tool=NAME or method=NAME; it reports false for another word.
func (f *Fault) restrict(word string) bool {
	name, value, _ := strings.Cut(word, "=")
	to := map[string]*string{"tool": &f.Tool, "method": &f.Method}[name]
	if to == nil || value == "" {
		return false
	}
	*to = value
	return true
}

// frames returns the filter of the frames to which the fault applies.
func (f *Fault) frames(requests bool) string {
	text := f.Filter
	if text == "" {
		text = "dir:in"
		if requests {
			text = "dir:out"
		}
	} else {
		text = "(" + text + ")"
	}
	if f.Filter == "" || f.Method != "" {
		text += " method:" + cmp.Or(f.Method, "tools/call")
	}
	if f.Tool != "" {
		text += " tool:" + f.Tool
	}
	return text
}

// rule is a parsed fault.
type rule struct {
	Fault
	filter  filter.Filter
	delay   time.Duration
	message *framefault.Fault // fault of messages, or nil
	status  *Status           // status of an HTTP fault, or nil
}

func newRule(f Fault) (rule, error) {
	kind := kindOf(f.Name)
	switch {
	case kind == nil:
		return rule{}, fmt.Errorf("unknown fault %q", f.Name)
	case kind.Arg == "" && f.Arg != "":
		return rule{}, fmt.Errorf("fault %q has no argument", f.Name)
	case f.Probability < 0 || f.Probability > 1:
		return rule{}, fmt.Errorf("fault %q: the probability must be over 0 and at most 1", f.Name)
	}
	r := rule{Fault: f, message: kind.message, status: kind.status}
	var err error
	switch arg := cmp.Or(f.Arg, defaultArgs[f.Name]); f.Name {
	case delay:
		if r.delay, err = time.ParseDuration(arg); err != nil || r.delay <= 0 {
			return rule{}, fmt.Errorf("fault delay=%s: the time must be like 300ms or 2s", arg)
		}
	case httpStatus:
		code, err := strconv.Atoi(arg)
		if err != nil || code < 200 || code > 599 {
			return rule{}, fmt.Errorf("fault %s=%s: the status must be a number from 200 to 599", f.Name, arg)
		}
		r.status = textStatus(code, http.StatusText(code)+"\n")
	}
	if r.filter, err = filter.Parse(f.frames(kind.HTTP)); err != nil {
		return rule{}, fmt.Errorf("fault %s: %w", f.Name, err)
	}
	return r, nil
}

// SetFaults replaces the faults. One with an existing ID keeps its hits; one without an ID gets one. It returns
// the error of the first impossible fault; then nothing is changed.
func (g *Gate) SetFaults(list []Fault) error {
	if len(list) > maxRules {
		return fmt.Errorf("there are %d faults; at most %d are possible", len(list), maxRules)
	}
	next := make([]rule, 0, len(list))
	for _, f := range list {
		r, err := newRule(f)
		if err != nil {
			return err
		}
		if r.status != nil && !g.options.HTTP {
			return fmt.Errorf("fault %s requires a server over HTTP", f.Name)
		}
		next = append(next, r)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range next {
		r := &next[i]
		old := slices.IndexFunc(g.faults, func(old rule) bool { return old.ID == r.ID })
		if r.Hits = 0; old >= 0 {
			r.Hits = g.faults[old].Hits
		}
		g.number(&r.ID)
	}
	g.faults = next
	g.changed()
	return nil
}

// applies reports whether a frame gets the fault.
func (r *rule) applies(f filter.Frame, random *rand.Rand) bool {
	if r.Disabled || !r.filter.Match(&f) {
		return false
	}
	return r.Probability == 0 || r.Probability == 1 || random.Float64() < r.Probability
}

// apply changes the frames that go on.
func (r *rule) apply(frames [][]byte) [][]byte {
	if r.Name == drop {
		return nil
	}
	if r.message == nil {
		return frames
	}
	var out [][]byte
	for _, f := range frames {
		out = append(out, r.message.Apply(f)...)
	}
	return out
}

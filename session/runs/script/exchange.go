package script

import (
	"context"
	"errors"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/internal/schema"
)

// Exchange is a section with one request, and expectations only about its result. It runs on any connection:
// the caller sends the request, and [Exchange.Judge] compares the response. It does not change, and may be used
// from any goroutine.
type Exchange struct {
	Name    string // name of the section
	Line    int    // line of the request
	script  *Script
	section *Section
	request *step
	checks  []*step
}

// Exchanges returns the sections that are exchanges, in their order.
func (s *Script) Exchanges() []*Exchange {
	var all []*Exchange
	for _, section := range s.Sections {
		x := &Exchange{Name: section.Name, script: s, section: section}
		fits := true
		for i, st := range section.steps {
			switch {
			case i == 0 && !st.background && st.command.build != nil:
				x.request, x.Line = st, st.line
			case i > 0 && st.command.compares:
				x.checks = append(x.checks, st)
			default:
				fits = false
			}
		}
		if fits {
			all = append(all, x)
		}
	}
	return all
}

// Call describes the request in a few words: the method and what it is about.
func (x *Exchange) Call() (method, subject string) {
	if method = x.request.command.method; method == "" {
		return x.request.words[0], ""
	}
	return method, x.request.words[0]
}

// Text returns the line of the request in the file, without the blanks around it.
func (x *Exchange) Text() string {
	e := edit{source: x.script.source}
	from, to := e.line(x.Line)
	return strings.TrimSpace(string(e.source[from:to]))
}

// Expects describes the expectation about the response in a few words.
func (x *Exchange) Expects() string {
	st, what := x.expected(), "result"
	switch {
	case x.request.negated:
		what = "error"
	case x.request.either:
		what = "response"
	}
	switch {
	case st == nil && len(x.checks) == 0:
		return "any " + what
	case st == nil:
		return "values of the " + what
	case slices.Contains(st.words, "--exact"):
		return "exactly this " + what
	}
	return "at least this " + what
}

// Edit returns the text of the file with another line of the request. The error is about a line that is
// not a single request.
func (x *Exchange) Edit(line string) ([]byte, error) {
	e := edit{source: x.script.source}
	e.setLine(x.Line, strings.TrimSpace(line))
	now, err := Parse(x.script.Name, e.source)
	if err != nil {
		return nil, err
	}
	same := func(other *Exchange) bool { return other.Line == x.Line && other.Name == x.Name }
	if strings.ContainsAny(line, "\r\n") || len(now.Sections) != len(x.script.Sections) || !slices.ContainsFunc(now.Exchanges(), same) {
		return nil, errors.New("a pin is one request, such as: " + x.Text())
	}
	return e.source, nil
}

// Request returns the method and params of the request. inputSchema is the schema of the tool, or nil; it encodes arguments that are written as key=value.
func (x *Exchange) Request(inputSchema []byte) (method string, params []byte, err error) {
	r := &run{script: x.script}
	words, err := r.expanded(x.request)
	if err != nil {
		return "", nil, err
	}
	return x.request.command.build(r, words, func(string) (schema.Form, error) { return schema.Parse(inputSchema), nil })
}

// Judge compares the outcome of the request with the expectation, and returns nil if it is as expected. explain
// returns an error of the connection in one sentence.
func (x *Exchange) Judge(ctx context.Context, response client.Response, failure error, explain func(err error) string) *Failure {
	r := &run{script: x.script, options: Options{Explain: explain}}
	method, _ := x.Call()
	if err := r.accept(x.request, method, response, failure); err != nil {
		return r.failure(x.request, err)
	}
	for _, st := range x.checks {
		words, err := r.expanded(st)
		if err == nil {
			err = st.command.run(ctx, r, st, words)
		}
		if err != nil {
			return r.failure(st, err)
		}
	}
	return nil
}

// expected returns the expectation that compares the result, or nil.
func (x *Exchange) expected() *step {
	i := slices.IndexFunc(x.checks, func(st *step) bool { return st.command.name == "expect" && !st.negated })
	if i < 0 {
		return nil
	}
	return x.checks[i]
}

// Expected returns the JSON that a result must match, or nil if there is no expectation. If there
// is a result and the expectation is not exact, members that it does not mention are filled in. The
// caller must not change it.
func (x *Exchange) Expected(result []byte) []byte {
	want := x.wanted()
	if want == nil || result == nil || slices.Contains(x.expected().words, "--exact") {
		return want
	}
	return merged(want, result, true)
}

// wanted returns the JSON of the expectation that compares the result, or nil.
func (x *Exchange) wanted() []byte {
	st := x.expected()
	if st == nil {
		return nil
	}
	raw, err := (&run{script: x.script}).json(st.words[len(st.words)-1])
	if err != nil {
		return nil
	}
	return raw
}

var errNoExpectation = errors.New("the section has no expect line; add one to the file")

// Accept returns the text of the script with an exchange that expects an outcome. The rest of the
// text stays unchanged. Secrets in the outcome are expected as any string.
func (x *Exchange) Accept(response client.Response, failure error) ([]byte, error) {
	if failure != nil {
		return nil, errors.New("there is no response to accept")
	}
	st := x.expected()
	if st == nil {
		return nil, errNoExpectation
	}
	got := takenOutcome("", response)
	e := edit{source: x.script.source}
	if failed := got.isError || got.tool; failed != x.request.negated && !x.request.either {
		e.negate(x.request.line, failed)
	}
	value, redacted := withoutSecrets(got.value)
	exact := slices.Contains(st.words, "--exact") && !redacted
	if !exact {
		value = merged(x.wanted(), value, false)
	}
	word := st.words[len(st.words)-1]
	name, named := strings.CutPrefix(word, "@")
	switch {
	case named && x.script.member(name) >= 0:
		e.setFile(name, indented(value))
	case named:
		return nil, errors.New("the expectation is in the file " + name + ": change that")
	}
	if !named || !exact && slices.Contains(st.words, "--exact") {
		words := st.words[:len(st.words)-1]
		if !exact {
			words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--exact" })
		}
		if !named {
			word, _ = JSON(value)
		}
		e.setLine(st.line, expectLine(words, word))
	}
	return e.source, nil
}

// Ignore returns the text of the script with an exchange that ignores the values at a path; see
// [mcptea/offer/diff.ParseIgnore].
func (x *Exchange) Ignore(rule string) ([]byte, error) {
	st := x.expected()
	switch {
	case st == nil:
		return nil, errNoExpectation
	case !slices.Contains(st.words, "--exact"):
		return nil, errors.New("the expectation names what counts already; remove the value from the file")
	}
	last := len(st.words) - 1
	e := edit{source: x.script.source}
	e.setLine(st.line, expectLine(append(slices.Clone(st.words[:last]), "--ignore", rule), st.words[last]))
	return e.source, nil
}

// Ignored returns the paths that the expectation ignores.
func (x *Exchange) Ignored() []string {
	st := x.expected()
	if st == nil {
		return nil
	}
	_, ignored, _ := expectFlags(st.words)
	return ignored
}

func expectLine(flags []string, word string) string {
	line := "expect"
	for _, f := range flags {
		if !strings.HasPrefix(f, "--") {
			f = quotedWord(f)
		}
		line += " " + f
	}
	return line + " " + word
}

// Remove returns the text of the script without the exchange and the files that only it
// names.
func (x *Exchange) Remove() []byte {
	e := edit{source: x.script.source}
	for _, st := range x.checks {
		name, named := strings.CutPrefix(st.words[len(st.words)-1], "@")
		if named && x.script.member(name) >= 0 && x.script.uses(name) == 1 {
			e.removeFile(name)
		}
	}
	from, to := x.section.Line, x.script.lines()
	if i := slices.Index(x.script.Sections, x.section); i+1 < len(x.script.Sections) {
		to = x.script.Sections[i+1].Line - 1
	}
	e.removeLines(from, to)
	return e.source
}

// uses counts the words that name a file.
func (s *Script) uses(name string) (n int) {
	for _, section := range s.Sections {
		for _, st := range section.steps {
			for _, w := range st.words {
				if w == "@"+name {
					n++
				}
			}
		}
	}
	return n
}

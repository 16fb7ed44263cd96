package facts

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/phrase"
)

// A Request is a request that was answered with a failure.
type Request struct {
	Method  string
	Params  []byte   // params as sent
	Tool    []byte   // definition of the called tool in the list of the server, or nil
	Tools   []string // names in the list of the server, or nil if it was not fetched
	Failure string   // message of the error response, or text of the tool error
	Took    time.Duration
	IsTool  bool // the failure is a result of a tool with isError
	Code    string
	Refused string // method of a server request during the call that mcptea refused
}

// Call holds the facts about the arguments of a failed call.
type Call struct {
	Fits       bool   // the arguments fit the inputSchema
	Misfit     string // first argument that does not fit, and why
	Schema     string // why the inputSchema is not a valid schema, or ""
	Declared   string // name that the failure rejects although the inputSchema has it
	Encoded    string // argument that is JSON in a string
	Undeclared string // name that the failure rejects, that was sent, and that the inputSchema does not have
	Foreign    string // place of a value that the failure rejects, and that was neither sent nor declared
	Names      string // names of the properties of the inputSchema, if there are few
	Converted  string // argument that was sent as a string; the failure quotes its value with another type
	Named      string // argument, or property of the inputSchema, that the failure names
	Output     bool   // the tool has an outputSchema
	Empty      bool   // the request has no parameters, except those of the protocol

	NoArguments bool // the arguments are an object without members
	Absent      bool // the request may have arguments, and lacks the member
	// Listed reports that the failure calls the tool unknown although the list of the server has it.
	Listed bool
	NoText bool // the failure contains no text that explains it
	// NoReason reports that the text of the failure gives no reason.
	NoReason bool
	Took     string // time from the request to the response
}

// unknownTool matches words for a tool that is not known, before the name of the tool and after it.
var (
	unknownTool  = lazyregexp.New(`(?i)\b(?:unknown|unregistered|unrecognized|invalid|undefined|no(?: such)?|missing)\W{1,3}(?:mcp )?(?:tool|function|method|command|action|operation)(?: name)?\b|\bno (?:handler|route|implementation|definition|server|client|connection)\b[^.]{0,20}\b(?:for|provides|has|named)\b|\b(?:tool|function)[_-]?not[_-]?found`)
	afterUnknown = lazyregexp.New(`(?i)^['"\x60)\]]*,?(?: tool| function| method)? (?:(?:was |is |could |has )?(?:not (?:be )?|no longer |un)(?:found|exist|registered|available|recognized|defined|known|supported|implemented)|does(?: not|n't) exist|not_found)`)
)

// isUnknown reports whether a failure says that the tool with this name is unknown: it names the tool, or a part of
// the name that a gateway adds or removes.
func isUnknown(failure, name string) bool {
	if name == "" {
		return false
	}
	rest := name
	if i := strings.IndexAny(name, "_-./:"); i > 0 {
		rest = strings.TrimLeft(name[i:], "_-./:")
	}
	for line := range strings.Lines(failure) {
		_, after, found := strings.Cut(line, name)
		switch {
		case found && namesWord(line, name) && (unknownTool().MatchString(line) || afterUnknown().MatchString(after)):
			return true
		case !found && rest != name && len(rest) > 2 && namesWord(line, rest) && aTool().MatchString(line):
			if _, after, _ := strings.Cut(line, rest); unknownTool().MatchString(line) || afterUnknown().MatchString(after) {
				return true
			}
		}
	}
	return false
}

// aTool matches a word for a tool: a name without its prefix may be a word of the language.
var aTool = lazyregexp.New(`(?i)\b(?:tool|function|method|command)s?\b`)

// refused matches words of validators for an unknown argument, and its name.
var refused = lazyregexp.New(`(?im)^[ \t]*(?:\* )?([\w.-]+)\s+(?:unexpected keyword argument|extra inputs are not permitted)|unexpected keyword argument:? '(\w+)'|unrecognized[_ ]keys?(?:\(s\))?(?: in object)?:?\W+([\w.-]+)|unknown (?:argument|parameter|property|field)s?:? \W?([\w.-]+)|additional propert(?:y|ies)\W+(?:\w+ )?'([\w.-]+)'|\b(?:body|query|params)\.([\w-]+) should be not present|\b([\w-]+) (?:is not allowed|is not permitted|should not exist|must not be present)\b|does not (?:accept|allow|take) (?:an? |the )?(?:argument|parameter|property|field) \W?([\w-]+)`)

// noReason matches texts that say only that something failed.
var noReason = lazyregexp.New(`(?i)^(?:\W*(?:mcp )?(?:an? |some |the )?(?:internal|unknown|unexpected|unhandled|unspecified)?\s*(?:server |tool |execution |mcp )*(?:error|exception|failure)(?: has)?(?: occurred| happened)?(?: (?:while |when |in |during )?(?:calling|executing|running|invoking|processing|handling)? ?(?:the |a )?(?:tool|request|resource|prompt)? ?['"\x60]?[\w./-]*['"\x60]?)?\W*)+(?:-32603\W*)?$`)

// OnlyFailed reports whether a text says only that something failed, but not what.
func OnlyFailed(text string) bool { return noReason().MatchString(text) }

func callOf(r Request) (c Call) {
	arguments, _ := jsonrpc.Member(r.Params, "arguments")
	input, declared := jsonrpc.Member(r.Tool, "inputSchema")
	_, c.Output = jsonrpc.Member(r.Tool, "outputSchema")
	c.Listed = declared && isUnknown(r.Failure, jsonrpc.Text(r.Params, "name"))
	c.NoText = r.Method != "" && (strings.TrimSpace(r.Failure) == "" || strings.HasSuffix(strings.TrimSpace(r.Failure), ":"))
	c.NoReason = r.Method != "" && OnlyFailed(r.Failure)
	if r.Took > 0 {
		c.Took = phrase.Duration(r.Took)
	}
	c.Empty = r.Params != nil || r.Failure != ""
	for name := range jsonrpc.Members(r.Params) {
		c.Empty = c.Empty && string(name) == "_meta"
	}
	c.NoArguments = strings.TrimSpace(string(arguments)) == "{}"
	c.Absent = arguments == nil && (r.Method == "tools/call" || r.Method == "prompts/get")
	if arguments == nil {
		arguments = []byte("{}")
	}
	for name, value := range jsonrpc.Members(arguments) {
		text, ok := jsonrpc.Unquote(value)
		text = strings.TrimSpace(text)
		if ok && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && jsonrpc.Valid([]byte(text)) && strings.Contains(r.Failure, string(name)) {
			c.Encoded = string(name)
			break
		}
	}
	if !declared {
		return c
	}
	compiled := check.Compile(input, check.Options{Dialectless: true})
	if problem := compiled.Problem(); problem != nil && problem.Fault == check.Invalid {
		c.Schema = strings.TrimSpace(problem.Path + " " + strings.TrimPrefix(problem.Reason, problem.Path+" "))
	}
	wrong, known := compiled.Check(arguments)
	if c.Fits = known && wrong == nil; wrong != nil {
		c.Misfit = strings.TrimSpace(strings.TrimPrefix(wrong.About, "/") + " " + wrong.Reason)
	}
	properties, _ := jsonrpc.Member(input, "properties")
	text := memberName().ReplaceAllString(r.Failure, "")
	for _, isIn := range [...]func(text, name string) bool{isNamed, namesLongWord} {
		for _, object := range [...][]byte{arguments, properties} {
			for name := range jsonrpc.Members(object) {
				if c.Named == "" && isIn(text, string(name)) {
					c.Named = string(name)
				}
			}
		}
	}
	if m := refused().FindStringSubmatch(r.Failure); m != nil {
		name := m[1+slices.IndexFunc(m[1:], func(group string) bool { return group != "" })]
		_, isSent := jsonrpc.Member(arguments, name)
		if _, has := jsonrpc.Member(properties, name); has {
			c.Declared = name
		} else if isSent && properties != nil {
			c.Undeclared = name
		}
	}
	c.Foreign = foreignIn(r.Failure, arguments, properties)
	c.Names, c.Converted = namesOfFew(properties), convertedIn(r.Failure, arguments)
	return c
}

// namesOfFew returns the names of the members of an object, or "" if there are many.
func namesOfFew(object []byte) string {
	const most = 8
	var names []string
	for name := range jsonrpc.Members(object) {
		if names = append(names, string(name)); len(names) > most {
			return ""
		}
	}
	return strings.Join(names, ", ")
}

// checkedValue matches a value that is not a string, as pydantic reports it.
var checkedValue = lazyregexp.New(`input_value=([^,\]]{1,60}), input_type=(?:int|float|bool|NoneType|dict|list)\b`)

// convertedIn returns the argument that was sent as a string, and whose value a failure reports in another type, or "".
func convertedIn(failure string, arguments []byte) string {
	m := checkedValue().FindStringSubmatch(failure)
	if m == nil {
		return ""
	}
	for name, value := range jsonrpc.Members(arguments) {
		if text, ok := jsonrpc.Unquote(value); ok && text == m[1] && namesWord(failure, string(name)) {
			return string(name)
		}
	}
	return ""
}

// memberName matches the name of a member of a JSON object.
var memberName = lazyregexp.New(`"(\w+)"\s*: ?`)

// namesLongWord is like namesWord. A single letter is a word of the language.
func namesLongWord(text, name string) bool { return len(name) > 1 && namesWord(text, name) }

// namesWord reports whether a text contains a name as a word of its own.
func namesWord(text, name string) bool {
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		if (from == 0 || !isNameByte(text[from-1])) && (to == len(text) || !isNameByte(text[to])) {
			return true
		}
		at = to
	}
	return false
}

func isNameByte(b byte) bool {
	return b == '_' || b == '-' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

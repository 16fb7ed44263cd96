package facts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
)

// maxThings bounds the things of one message.
const maxThings = 8

// Things returns what a message names. Things that were sent come first.
func Things(a Attempt, message string) []Thing {
	const most = 8 << 10
	message = memberName().ReplaceAllString(message[:min(len(message), most)], "$1\x1f ")
	message = keyPath().ReplaceAllString(message, "")
	known := knownOf(a)
	var all []Thing
	add := func(t Thing) {
		same := func(other Thing) bool {
			if other.State == Given && t.State == ValueOf && other.Value == t.Name && other.Place == t.Place {
				return true
			}
			return other.Name == t.Name || strings.Contains(other.Name, t.Name) && (t.State == Elsewhere || other.State == t.State)
		}
		if t.Name != "" && !slices.ContainsFunc(all, same) {
			all = append(all, t)
		}
	}
	for _, find := range []func(Attempt, []Known, string, func(Thing)){argumentsIn, namedIn, variablesIn, optionsIn, headersIn, valuesIn, addressesIn, filesIn, placesIn, quotedIn} {
		find(a, known, message, add)
	}
	slices.SortStableFunc(all, func(x, y Thing) int {
		return cmp.Or(
			cmp.Compare(slices.Index(states, x.State), slices.Index(states, y.State)),
			cmp.Compare(slices.Index(thingKinds, x.Kind), slices.Index(thingKinds, y.Kind)),
		)
	})
	return all[:min(len(all), maxThings)]
}

// keyPath matches a path of keys, as schema validators write it.
var keyPath = lazyregexp.New(`\w*(?:\[(?:'[^'\n]*'|"[^"\n]*"|\d+)\]){2,}`)

// argumentsIn finds arguments and properties of the inputSchema.
func argumentsIn(_ Attempt, known []Known, message string, add func(Thing)) {
	for _, k := range known {
		if k.Kind != ThingArgument {
			continue
		}
		switch {
		case isNamed(message, k.Name) && k.Absent:
			add(Thing{Kind: ThingArgument, Name: k.Name, State: Lacking})
		case isNamed(message, k.Name):
			add(Thing{Kind: ThingArgument, Name: k.Name, State: Given, Value: k.Value, Place: k.Place})
		case !k.Absent && len(k.Name) > 3:
			for _, word := range identifiers().FindAllString(message, -1) {
				if word != k.Name && fold(word) == fold(k.Name) && !strings.EqualFold(word, k.Name) {
					add(Thing{Kind: ThingArgument, Name: word, State: Near, Value: k.Name, Place: k.Place})
				}
			}
		}
	}
}

// identifiers matches names of arguments.
var identifiers = lazyregexp.New(`[A-Za-z_][\w-]{2,60}`)

// fold returns a name without letter case and separators.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
}

// namedIn finds parameters of OAuth and claims of the token.
func namedIn(_ Attempt, known []Known, message string, add func(Thing)) {
	folded := " " + strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(message)) + " "
	for _, k := range known {
		if k.Kind != ThingParameter && k.Kind != ThingClaim {
			continue
		}
		words := strings.ToLower(strings.ReplaceAll(k.Name, "_", " "))
		for _, form := range append([]string{words}, otherNames[k.Name]...) {
			if at := strings.Index(folded, form); at > 0 && !isNameByte(folded[at-1]) && (at+len(form) >= len(folded) || !isNameByte(folded[at+len(form)]) || folded[at+len(form)] == 's') {
				t := Thing{Kind: k.Kind, Name: k.Name, State: Given, Value: k.Value, Place: k.Place}
				if k.Absent {
					t.State = Lacking
				}
				add(t)
				break
			}
		}
	}
}

// otherNames maps names of parameters and claims to the words that messages use for them.
var otherNames = map[string][]string{
	"aud": {"audience"}, "iss": {"issuer"}, "client_id": {"client id", "clientid", "unknown client", "invalid client"}, "redirect_uri": {"redirect url", "callback url", "redirecturi"},
	"code_challenge": {"pkce"}, "resource": {"target service"},
}

var (
	// variableName matches names of environment variables.
	variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	// variableEnd matches the ends of names that constants of errors do not have.
	variableEnd = lazyregexp.New(`_(?:KEY|TOKEN|URL|URI|HOST|PORT|PATH|DIR|DIRECTORY|ID|SECRET|USER|USERNAME|PASSWORD|PASS|FILE|ENDPOINT|REGION|NAME|MODE|CONFIG|HOME|BASE|ROOT|EMAIL|DATABASE|DB|DSN|ENV|LEVEL|DOMAIN|PROJECT|WORKSPACE|ACCOUNT|ORG|ORGANIZATION|VERSION|TENANT|INSTANCE|SERVER|CREDENTIALS|CERT|BIN|PROXY|PROFILE|JSON|KEYS|TOKENS|TRANSPORT|ENABLED)$`)
	// errorConstant matches constants of errors.
	errorConstant = lazyregexp.New(`^(?:ERR|E[A-Z]+|HTTP|SQLITE|SSL|TLS|UNABLE|DEPTH|CERT)_|_(?:ERROR|ERR|FAILED|FAILURE|INVALID|REQUIRED|DENIED|EXCEEDED|NOT_FOUND|FOUND|REQUEST|ARGUMENT|PRECONDITION|EXHAUSTED|SIGNATURE|MISMATCH|UNAVAILABLE|UNAUTHORIZED|FORBIDDEN|INCOMPATIBLE|UNSUPPORTED|CONFLICT|TIMEOUT|ABORTED|MISSING|EXPIRED|REFUSED|EXCEPTION|MALFORMED)$|^NOT_`)
	envWords      = lazyregexp.New(`(?i)\benv(?:ironment)?\b|\bvariables?\b|\bKeyError\b|\.env\b`)
)

// expansion matches a variable in the syntax of a shell or of a configuration.
var expansion = lazyregexp.New(`\$\{(?:env:)?([A-Z_][A-Z0-9_]+)\}|\$([A-Z_][A-Z0-9_]+)\b|%([A-Z_][A-Z0-9_]+)%`)

// variablesNamed returns the names of variables in a message.
func variablesNamed(message string) (all []string) {
	for _, m := range expansion().FindAllStringSubmatch(message, maxThings) {
		all = append(all, m[1]+m[2]+m[3])
	}
	return append(all, variableName().FindAllString(message, maxThings)...)
}

// IsExpansion reports whether a text has a variable in the syntax of a shell or of a configuration, such as ${NAME}.
func IsExpansion(text, name string) bool {
	at := strings.Index(text, name)
	return at > 0 && strings.ContainsAny(text[at-1:at], "$%{:") && strings.ContainsAny(text[max(0, at-6):at], "$%")
}

var (
	setBefore = lazyregexp.New(`(?i)\b(?:set|export|missing|provide|define|configure|requires?|needs?|without|no)(?: the| a)? ?[:'"\x60$]*$`)
	setBehind = lazyregexp.New(`(?i)^['"\x60)]*,? ?(?:(?:is|are|was|must be|has to be|should be|to be) )?(?:not |un)?(?:set|missing|required|undefined|empty|defined|provided|configured)\b`)
)

// isToBeSet reports whether the words beside a name say that it is not set, or must be set.
func isToBeSet(message, name string) bool {
	before, behind, _ := strings.Cut(message, name)
	return setBefore().MatchString(before) || setBehind().MatchString(behind)
}

// variablesIn finds environment variables. An error constant is not one.
func variablesIn(a Attempt, known []Known, message string, add func(Thing)) {
	for _, name := range variablesNamed(message) {
		i := slices.IndexFunc(known, func(k Known) bool { return k.Kind == ThingVariable && k.Name == name })
		if i < 0 && !IsExpansion(message, name) && (errorConstant().MatchString(name) || !variableEnd().MatchString(name) && !envWords().MatchString(message) && !isToBeSet(message, name)) {
			continue // a constant of another kind
		}
		if i < 0 && (a.EnvUnknown || name == "PATH") { // each process has a PATH
			continue
		}
		switch {
		case len(a.Argv) == 0:
			add(Thing{Kind: ThingVariable, Name: name, State: Elsewhere})
		case i < 0:
			add(Thing{Kind: ThingVariable, Name: name, State: Lacking})
		case known[i].Inherited:
			add(Thing{Kind: ThingVariable, Name: name, State: Inherited})
		default:
			add(Thing{Kind: ThingVariable, Name: name, State: Given, Value: known[i].Value, Place: known[i].Place})
		}
	}
}

var optionName = lazyregexp.New(`(?:^|[\s'"\x60(\[=|,])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\b`)

// noOptions holds options that say nothing about a failure.
var noOptions = strings.Fields("--help --version --verbose --debug --trace-warnings --trace-deprecation --stack-trace --no-color")

// optionsIn finds options of the command.
func optionsIn(a Attempt, _ []Known, message string, add func(Thing)) {
	if len(a.Argv) == 0 {
		return
	}
	for _, m := range optionName().FindAllStringSubmatch(message, maxThings) {
		if slices.Contains(noOptions, m[1]) {
			continue
		}
		t := Thing{Kind: ThingOption, Name: m[1], State: Lacking}
		for i, word := range a.Argv {
			name, value, _ := strings.Cut(word, "=")
			if name == m[1] {
				if value == "" && i+1 < len(a.Argv) && !strings.HasPrefix(a.Argv[i+1], "-") {
					value = a.Argv[i+1]
				}
				if secret.IsName(strings.TrimLeft(name, "-")) {
					value = ""
				}
				t.State, t.Value = Given, value
			}
		}
		if t.State == Given || wanted().MatchString(message) {
			add(t)
		}
	}
}

// wanted matches words for something that is missing and should be given.
var wanted = lazyregexp.New(`(?i)\b(?:missing|requires?|required|needs?|must|use|using|with|pass|add|set|specify|provide|enable|try|without|lacks?)\b`)

var headerName = lazyregexp.New(`\b(?:[Xx]-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*|[A-Z][a-z]+(?:-[A-Z][A-Za-z0-9]*)+|(?i:mcp-(?:session-id|protocol-version|method|name)|content-type|user-agent))\b|\b(?:Authorization|Accept|Origin|Host|Cookie)\b(?: (?:HTTP |request )?header)`)

// headersIn finds HTTP headers that the user gave, or that are missing.
func headersIn(a Attempt, known []Known, message string, add func(Thing)) {
	if a.Failed.ID == 0 {
		return
	}
	for _, name := range headerName().FindAllString(message, maxThings) {
		name, _, _ = strings.Cut(name, " ")
		i := slices.IndexFunc(known, func(k Known) bool { return k.Kind == ThingHeader && strings.EqualFold(k.Name, name) })
		switch {
		case strings.HasPrefix(strings.ToLower(name), "www-"), strings.HasPrefix(strings.ToLower(name), "retry-"):
		case i < 0 && !wanted().MatchString(message):
		case i < 0:
			add(Thing{Kind: ThingHeader, Name: name, State: Lacking})
		case known[i].Place == ownHeader:
			add(Thing{Kind: ThingHeader, Name: name, State: Given, Value: known[i].Value, Place: known[i].Place})
		}
	}
}

// valuesIn finds values that were sent.
func valuesIn(_ Attempt, known []Known, message string, add func(Thing)) {
	for _, k := range known {
		if k.Kind == ThingHeader || k.Kind == ThingClaim || k.Absent || k.Inherited || !isTelling(k) {
			continue
		}
		if k.Kind == ThingOption && !strings.ContainsAny(k.Value, `/\\.:@0123456789`) && !fileBefore().MatchString(textBefore(message, k.Value)) {
			continue // a word of a command is a word of the language, too
		}
		if namesWord(message, k.Value) {
			kind := kindOfValue(k.Value)
			if k.Kind == ThingOption && kind == ThingName {
				kind = ThingFile
			}
			add(Thing{Kind: kind, Name: k.Value, State: ValueOf, Place: k.where(), OfCommand: k.Kind == ThingOption})
		}
	}
}

// fileBefore matches the end of a text before the name of a file or a command.
var fileBefore = lazyregexp.New(`(?i)(?:\b(?:file|script|module|command|directory|folder|path|open|load|read|find|project|profile|workspace)s?\b['"]?:? ?|: )['"\x60]?$`)

// textBefore returns the text before a name, or "".
func textBefore(text, name string) string {
	head, _, found := strings.Cut(text, name)
	if !found {
		return ""
	}
	return head
}

// isTelling reports whether a value in a message is there because it was sent.
func isTelling(k Known) bool {
	const least, most = 3, 200
	if len(k.Value) < least || len(k.Value) > most {
		return false
	}
	switch k.Kind {
	case ThingArgument, ThingParameter:
		return !commonValue().MatchString(k.Value)
	}
	if k.Kind == ThingName { // a part of the URL
		return false
	}
	if k.Kind == ThingOption && isCode().MatchString(k.Value) { // each stack trace names it
		return false
	}
	if k.Kind == ThingOption && len(k.Value) > 3 && !strings.HasPrefix(k.Value, "-") {
		return true
	}
	return strings.ContainsAny(k.Value, `/\.:@0123456789`) && !strings.ContainsAny(k.Value, " \n")
}

var commonValue = lazyregexp.New(`(?i)^(?:true|false|null|none|text|name|error|test|data|value|string|default|all|the)$`)

// isNamed reports whether a message names an argument. A word of the language must be marked as a name.
func isNamed(message, name string) bool {
	if !namesWord(message, name) {
		return false
	}
	if strings.ContainsAny(name, "_-.0123456789") || strings.ToLower(name[1:]) != name[1:] {
		return true
	}
	quoted := regexp.QuoteMeta(name)
	marked, err := regexp.Compile(`(?i)['"\x60\[{.]` + quoted + `['"\x60\]}.]|\b(?:arguments?|parameters?|params?|fields?|propert(?:y|ies)|inputs?|keys?|args?)\b:? (?:is |are )?(?:the )?['"\x60]?` + quoted + `\b|(?:^|\n)[ \t]*` + quoted + `[ \t]*\n|(?:^|[\n:;,] *)` + quoted + `(?: ?[:=]|\s+(?:is|must|should|cannot|can't|may|field|required|argument|parameter)\b)|\b(?:missing|invalid|required?|requires|provide|specify|unknown|bad|empty|no) (?:an? |the |valid |value for )*` + quoted + `\b(?:[:.,;]|$| (?:is|must|format|value|argument|parameter))|\b` + quoted + ` (?:is required|is missing|must|not (?:provided|given|set|specified)|required)`)
	return err == nil && marked.MatchString(message)
}

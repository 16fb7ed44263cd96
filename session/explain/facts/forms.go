package facts

import (
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
)

// kindOfValue returns the kind of a value by its form.
func kindOfValue(value string) ThingKind {
	switch {
	case addressForm().FindString(value) == value, strings.Contains(value, "://"):
		return ThingAddress
	case strings.ContainsAny(value, `/\`):
		return ThingFile
	}
	return ThingName
}

var (
	addressForm = lazyregexp.New(`https?://[^\s"'<>()\[\]},;\x60]+[\w/]|\b(?:postgres(?:ql)?|mysql|redis|mongodb(?:\+srv)?|amqp|ws|wss|tcp|grpc)://[^\s"'<>()},;\x60]+|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}|[a-z][a-z0-9-]*):\d{2,5}\b|\[[0-9a-f:]*::[0-9a-f:]*\]:\d+|\b(?:[a-z0-9][a-z0-9-]*\.)+(?:com|org|net|io|dev|ai|local|internal|cloud|app|co|test)\b`)
	// pages matches addresses of documentation.
	pages = lazyregexp.New(`(?i)\b(?:docs?|help|support|wiki|aka\.ms|errors?|learn|developer\.mozilla|stackoverflow|github\.com/[\w-]+/[\w-]+/(?:issues|wiki|blob))\b|/docs?/|readthedocs`)
)

// addressesIn finds URLs and hosts.
func addressesIn(a Attempt, known []Known, message string, add func(Thing)) {
	for _, found := range addressForm().FindAllString(message, maxThings) {
		if pages().MatchString(found) || placeForm().MatchString(found) || isWithinFile(message, found) || strings.Contains(message, "."+found) {
			continue
		}
		host := HostOf(found)
		t := Thing{Kind: ThingAddress, Name: found, State: Elsewhere}
		for _, k := range known {
			if k.Kind != ThingHeader && k.Kind != ThingClaim && !k.Inherited && host != "" && isOneWord(k.Value) && isOfHost(k.Value, host) {
				t.State, t.Place = ValueOf, k.where()
				break
			}
		}
		for _, k := range known {
			if k.Kind == ThingClaim && t.State == Elsewhere && isNear(found, k.Value) {
				t.State, t.Value, t.Place = Near, k.Value, k.where()
			}
		}
		if t.State == Elsewhere && a.Host != "" && (host == a.Host || strings.HasPrefix(a.Host, host+":")) {
			t.State = Own
		}
		add(t)
	}
}

// isOfHost reports whether a value is an address of a host, which may have a port, or names it as a part.
func isOfHost(value, host string) bool {
	own := HostOf(value)
	return own == host || strings.HasPrefix(own, host+":") || strings.HasPrefix(host, own+":") || namesWord(value, host)
}

// isWithinFile reports whether a name is part of a path in a message.
func isWithinFile(message, name string) bool {
	return strings.Contains(message, "/"+name) && !strings.Contains(message, "//"+name) || strings.Contains(message, name+"/") && !strings.Contains(name, ":")
}

// HostOf returns the host of a URL, with its port, or the text.
func HostOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
		if i := strings.LastIndexByte(address[:max(0, strings.IndexByte(address+"/", '/'))], '@'); i >= 0 {
			address = address[i+1:]
		}
	}
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, "?")
	return host
}

// fileForm matches a path, or the name of a file with an extension of data.
var fileForm = lazyregexp.New(`(?:^|[\s'"\x60(=:\[])((?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@+-]*[\w@+-](?:[/\\][\w.@+-]+)*|[\w@-][\w.@-]*\.(?:json|jsonc|ya?ml|toml|env|ini|conf|cfg|db|sqlite3?|pem|key|crt|csv|lock|xml|properties)|\.env)\b`)

// filesIn finds paths that are not of source code.
func filesIn(_ Attempt, known []Known, message string, add func(Thing)) {
	for _, at := range fileForm().FindAllStringSubmatchIndex(message, maxThings) {
		name := message[at[2]:at[3]]
		if memberBehind().MatchString(message[at[3]:]) {
			continue // body.properties.Name
		}
		if requestBefore().MatchString(message[:at[2]]) || placeForm().MatchString(name) || strings.Contains(name, "node_modules") || strings.Contains(name, "site-packages") || strings.HasSuffix(name, "package.json") || isCode().MatchString(name) || len(name) < 4 {
			continue
		}
		t := Thing{Kind: ThingFile, Name: name, State: Elsewhere}
		for _, k := range known {
			if k.Kind != ThingHeader && !k.Inherited && len(k.Value) > 3 && isOneWord(k.Value) && strings.ContainsAny(k.Value, `/\.`) && (strings.Contains(k.Value, name) || strings.HasSuffix(name, k.Value)) {
				t.State, t.Place, t.OfCommand = ValueOf, k.where(), k.Kind == ThingOption
				break
			}
		}
		add(t)
	}
}

// memberBehind matches the rest of a path of members.
var memberBehind = lazyregexp.New(`^\.[A-Za-z_]`)

// requestBefore matches words before the path of a URL.
var requestBefore = lazyregexp.New(`(?i)(?:\b(?:url|endpoint|route|get|post|put|patch|delete|head|options)\b:? ?['"]?|//[\w.:-]*)$`)

var (
	// placeForm matches a file and a line of source code.
	placeForm = lazyregexp.New(`([\w./\\@+-]*[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|cs|kt|exs?|lua|swift|dart)):(\d+)|File "([^"]+\.py)", line (\d+)`)
	isCode    = lazyregexp.New(`\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|cs|kt)$`)
)

// Places returns the last place of source code that a stack trace names outside of packages.
func Places(trace string) (last []Thing) {
	placesIn(Attempt{}, nil, trace, func(t Thing) { last = []Thing{t} })
	return last
}

// placesIn finds places of source code outside of packages.
func placesIn(_ Attempt, _ []Known, message string, add func(Thing)) {
	for _, m := range placeForm().FindAllStringSubmatch(message, -1) {
		file, line := m[1]+m[3], m[2]+m[4]
		if strings.Contains(file, "node_modules") || strings.Contains(file, "site-packages") || strings.Contains(file, "/lib/python") || strings.HasPrefix(file, "node:") {
			continue
		}
		if parts := strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '\\' }); len(parts) > 2 {
			file = strings.Join(parts[len(parts)-2:], "/")
		}
		add(Thing{Kind: ThingPlace, Name: file + ":" + line, State: Elsewhere})
	}
}

// quotedName matches a text in quotation marks.
var quotedName = lazyregexp.New(`'([^'\n]{2,60})'|"([^"\n]{2,60})"|\x60([^\x60\n]{2,60})\x60|“([^”\n]{2,60})”`)

// proseLike matches texts in quotation marks that are not names.
var proseLike = lazyregexp.New(`^[\W\d]+$|^\S+(?: \S+){3,}|[{}<>]|^(?i:true|false|null|undefined|none|string|number|object|array|boolean|int|str|dict|list|error|message|code|name|data|detail)$`)

// quotedIn finds names in quotation marks.
func quotedIn(a Attempt, known []Known, message string, add func(Thing)) {
	for _, at := range quotedName().FindAllStringSubmatchIndex(message, maxThings) {
		name := message[at[0]:at[1]]
		name = strings.TrimSuffix(strings.TrimPrefix(name[1:len(name)-1], "\x80\x9c"), "\xe2\x80")
		name = strings.TrimRight(name, `\`) // of a string within a string
		if proseLike().MatchString(name) {
			continue
		}
		if a.Request.IsTool && slices.ContainsFunc(known, func(k Known) bool { return k.Place == requestName && k.Value == name }) {
			continue // a tool that names itself
		}
		t := Thing{Kind: ThingName, Name: name, State: Elsewhere}
		for _, k := range known {
			switch {
			case k.Absent || k.Inherited || k.Kind == ThingHeader:
			case k.Value == name:
				t.State, t.Place = ValueOf, k.where()
			case t.State == Elsewhere && k.Kind == ThingArgument && isPart(k.Value, name):
				t.State, t.Place = ValueOf, k.where()
			case t.State == Elsewhere && isNear(name, k.Value):
				t.State, t.Value, t.Place = Near, k.Value, k.where()
			}
		}
		isMember, isPlace := memberOf(message[:at[0]])
		if t.State == Elsewhere && isPlace && a.Request.Method == "tools/call" {
			t.Kind = ThingArgument
		}
		if t.State != Elsewhere || isOneWord(name) && isMember == isPlace {
			add(t)
		}
	}
}

// isPart reports whether a value, such as a query, contains a name as a word. A common word is no evidence.
func isPart(value, name string) bool {
	const least, most = 4, 64 << 10
	return len(name) >= least && len(value) > len(name) && len(value) <= most && isOneWord(name) && !commonValue().MatchString(name) && namesWord(value, name)
}

// isOneWord reports whether a text has no spaces.
func isOneWord(text string) bool { return text != "" && !strings.ContainsAny(text, " \t\n") }

// memberBefore matches the name of the member before a value.
var memberBefore = lazyregexp.New("(\\w+)\x1f ?\\[?$")

// memberOf reports whether the text before a value ends with the name of a member, and whether that says what a fault is about.
func memberOf(before string) (isMember, isPlace bool) {
	m := memberBefore().FindStringSubmatch(before)
	return m != nil, m != nil && slices.Contains(placeMembers, strings.ToLower(m[1]))
}

// placeMembers holds names of members that say what a fault is about.
var placeMembers = strings.Fields("field path param parameter property loc argument key column attribute missing required unknown")

// isNear reports whether two names are spelled differently, and are the same otherwise.
func isNear(a, b string) bool {
	const least = 4
	return a != b && len(a) >= least && len(b) >= least && (fold(a) == fold(b) || strings.TrimRight(a, "/") == strings.TrimRight(b, "/"))
}

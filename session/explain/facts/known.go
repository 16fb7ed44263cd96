package facts

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/secret"
)

// A Known is something that mcptea sent, or that it could have sent.
type Known struct {
	Kind      ThingKind
	Name      string
	Value     string // redacted if it is secret
	Place     string // where it is set, in words
	Absent    bool   // declared, and not sent
	Inherited bool   // a variable of the environment of mcptea that the target does not set
}

// where returns what has the value.
func (k Known) where() string {
	switch k.Kind {
	case ThingVariable:
		return "the variable " + k.Name
	case ThingClaim:
		return "the claim " + k.Name + " of the token"
	}
	return k.Place
}

// requestName is the place of the name of the called tool or prompt.
const requestName = "the name in the request"

// ownHeader is the place of a header that the user gave.
const ownHeader = "-H"

// knownOf returns what an attempt sent: arguments, parameters of OAuth, variables, words of the command, parts of the URL,
// headers, and claims of the token.
func knownOf(a Attempt) (all []Known) {
	all = append(all, knownArguments(a.Request)...)
	all = append(all, a.Asked...)
	all = append(all, knownVariables(a)...)
	for i, word := range a.Argv[min(1, len(a.Argv)):] {
		all = append(all, Known{Kind: ThingOption, Value: word, Place: fmt.Sprintf("argument %d of the command", i+1)})
	}
	if a.Dir != "" {
		all = append(all, Known{Kind: ThingFile, Value: a.Dir, Place: "the working directory"})
	}
	for _, name := range slices.Sorted(maps.Keys(a.Failed.RequestHeader)) {
		place := "mcptea"
		if a.Own.Get(name) != "" {
			place = ownHeader
		}
		value := a.Failed.RequestHeader.Get(name)
		if secret.IsName(name) {
			value = ""
		}
		all = append(all, Known{Kind: ThingHeader, Name: name, Value: value, Place: place})
	}
	if u, err := url.Parse(a.Failed.URL); err == nil {
		for segment := range strings.FieldsFuncSeq(u.Path, func(r rune) bool { return r == '/' }) {
			all = append(all, Known{Kind: ThingName, Value: segment, Place: "the path of the URL"})
		}
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			value := strings.Join(query[name], " ")
			if secret.IsName(name) {
				value = ""
			}
			all = append(all, Known{Kind: ThingArgument, Name: name, Value: value, Place: "the query of the URL"})
		}
	}
	return append(all, knownClaims(a)...)
}

// maxDeclared bounds the properties of a schema that are looked for in messages.
const maxDeclared = 1000

// knownArguments returns the arguments of a call, and the properties of the inputSchema that were not sent.
func knownArguments(r Request) (all []Known) {
	arguments, _ := jsonrpc.Member(r.Params, "arguments")
	for name, value := range jsonrpc.Members(arguments) {
		text, ok := jsonrpc.Unquote(value)
		if !ok {
			text = string(value)
		}
		if secret.IsName(string(name)) {
			text = ""
		}
		all = append(all, Known{Kind: ThingArgument, Name: string(name), Value: text, Place: "the argument " + string(name)})
	}
	if uri := jsonrpc.Text(r.Params, "uri"); uri != "" {
		all = append(all, Known{Kind: ThingArgument, Name: "uri", Value: uri, Place: "the URI of the request"})
	}
	if name := jsonrpc.Text(r.Params, "name"); name != "" {
		all = append(all, Known{Kind: ThingName, Value: name, Place: requestName})
	}
	if _, ok := jsonrpc.Member(r.Params, "_meta"); ok {
		all = append(all, Known{Kind: ThingName, Value: "_meta", Place: "the params of the request, as the protocol allows"})
	}
	input, _ := jsonrpc.Member(r.Tool, "inputSchema")
	properties, _ := jsonrpc.Member(input, "properties")
	sent := map[string]bool{}
	for _, k := range all {
		sent[k.Name] = true
	}
	declared := 0
	for name := range jsonrpc.Members(properties) {
		if declared++; declared > maxDeclared {
			break
		}
		if !sent[string(name)] {
			sent[string(name)] = true
			all = append(all, Known{Kind: ThingArgument, Name: string(name), Absent: true})
		}
	}
	return all
}

// knownVariables returns the variables of the server of a command. In a container, the members of the
// container.
func knownVariables(a Attempt) (all []Known) {
	add := func(pairs []string, place string, inherited bool) {
		for _, pair := range pairs {
			name, value, _ := strings.Cut(pair, "=")
			if slices.ContainsFunc(all, func(k Known) bool { return k.Name == name }) {
				continue
			}
			if secret.IsName(name) {
				value = ""
			}
			all = append(all, Known{Kind: ThingVariable, Name: name, Value: value, Place: place, Inherited: inherited})
		}
	}
	if a.Container != "" {
		add(containerVariables(a.Argv), "-e in the command", false)
		return all
	}
	add(a.Set, cmp.Or(a.Entry, "-e"), false)
	add(a.Inherited, "", true)
	return all
}

// containerVariables returns the variables that a docker or podman command sets.
func containerVariables(argv []string) (pairs []string) {
	for i, word := range argv {
		if pair, ok := strings.CutPrefix(word, "--env="); ok {
			pairs = append(pairs, pair)
		}
		if (word == "-e" || word == "--env") && i+1 < len(argv) {
			pairs = append(pairs, argv[i+1])
		}
	}
	return pairs
}

// knownClaims returns the claims of the token that was sent, if it is a JWT. The token itself is not shown.
func knownClaims(a Attempt) (all []Known) {
	authorization := a.Failed.RequestHeader.Get("Authorization")
	if a.Own.Get("Authorization") != "" {
		authorization = a.Own.Get("Authorization")
	}
	_, token, _ := strings.Cut(authorization, " ")
	claims := oauth.Claims(strings.TrimSpace(token))
	for _, name := range [...]string{"aud", "iss", "scope", "scp", "azp", "client_id"} {
		value, ok := jsonrpc.Member(claims, name)
		if !ok {
			continue
		}
		text, ok := jsonrpc.Unquote(value)
		if !ok {
			text = string(value)
		}
		all = append(all, Known{Kind: ThingClaim, Name: name, Value: text, Place: "the token"})
	}
	return all
}

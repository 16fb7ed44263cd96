package facts

import (
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// A Party is the author of the words of a failure.
type Party string

// The parties, from the process outward.
const (
	PartyLauncher Party = "launcher" // npx, uv, docker and other programs that start the server
	PartyProgram  Party = "program"  // a process that has not spoken MCP yet
	PartyLibrary  Party = "library"  // the MCP library of the server
	PartyCode     Party = "code"     // an exception in the code of the server
	PartyTool     Party = "tool"
	PartyServer   Party = "server"
	PartyService  Party = "service" // behind the server
	PartyProxy    Party = "proxy"   // proxy in front of the server
)

// A Speaker is a party with its name.
type Speaker struct {
	Party Party
	By    string // name, or ""
}

// libraryWords matches messages that MCP libraries write.
var libraryWords = lazyregexp.New(`(?i)^(?:MCP error -\d+: )*(?:invalid request parameters|input validation error:|invalid (?:params|arguments) for tool|received request before initialization|bad request: (?:server (?:not|already) initialized|no valid session id|mcp-session-id header|unsupported protocol version|missing session id)|not acceptable: client must accept|parse error: invalid json|method not found(?:$|:)|unsupported protocol version|invalid session id|\d+ validation errors? for (?:call\[|\w+Arguments\b)|error executing tool [\w.-]+: \d+ validation error|tool [\w.-]+ has an output schema)`)

// behindWords matches words about a response of another service, and its name.
var behindWords = lazyregexp.New(`(?i)\b(?:error|failed|failure|unable) (?:when |while |to )?(?:fetch|retriev|quer|request|download|upload|post|load)(?:e|ing|ying|y)? [\w ]{2,40}: ?\{|\brequested URL was not found on (?:the|this) server\b|\bupstream\b(?: (?:server|service|api|mcp server))?(?: ['"\x60]?([\w.-]{2,40})['"\x60]? )?|\bbackend\b (?:server|service|error|returned|responded|failed|unavailable)|\b((?-i:[A-Z][\w.-]+(?: [A-Z][\w-]+)?)) API (?:v?\d+ )?(?:error|returned|responded|request failed|call failed|failure)|\bAPI (?:request |call |response )?(?:error|failed|failure|returned)\b|\b(?:status(?: code)?|HTTP(?: error)?!?(?: status)?(?: code)?)[:=]? ?\(?[45]\d\d\b|\b[45]\d\d (?:Client|Server) Error\b|\b(?:Client|Server) error '[45]\d\d|\brequest failed with status code [45]\d\d|\b(?:responded|returned|replied|answered|failed) (?:with )?(?:an? )?(?:status |HTTP |code |error )*[45]\d\d\b|\b(?:axios|fetch|httpx|requests|aiohttp|HttpClient)\w*\.?\w*(?:Error|Exception)\b|\bfetch failed\b|\b[45]\d\d (?:unauthorized|forbidden|not found|bad request|internal server error|bad gateway|service unavailable|too many requests|conflict|unprocessable entity)\b`)

// exceptionWords matches exceptions of programs, and their names.
var exceptionWords = lazyregexp.New(`\b(TypeError|ReferenceError|RangeError|AttributeError|NameError|IndexError|UnboundLocalError|NullPointerException|NullReferenceException|ClassCastException|IllegalStateException|ZeroDivisionError|RecursionError|NotImplementedError|NoMethodError)\b|\bcannot read propert(?:y|ies) of (?:undefined|null)|\bis not a function\b|\b\w+ is not defined(?:$|\n)|\bis not (?:iterable|subscriptable|callable)\b|\b(?:object|module) ['"][^'"]+['"] has no attribute|\bobject has no attribute\b|\bnil pointer dereference\b|\bobject reference not set\b|\bpanicked at\b|\bindex out of (?:range|bounds)\b|\bgot an unexpected keyword argument\b|\bmissing \d+ required positional argument|\bobject is not extensible\b|\bTraceback \(most recent call last\)`)

// launcherWords matches the beginnings of the messages of launchers.
var launcherWords = lazyregexp.New(`(?i)^(?:npm (?:err!|error|warn)|npx:|error: (?:failed to (?:spawn|resolve|fetch|download|build|install|parse)|no such (?:option|command)|unable to find|could not find|the requested|distribution|no (?:interpreter|virtual environment|solution))|docker: |unable to find image|error response from daemon|yarn |pnpm |ERR_PNPM|bun: |deno: |uvx?: |×|╰|go: |cargo: |dotnet: |could not execute because|the command could not be loaded)`)

// ownPage matches pages that web servers and platforms make themselves.
var ownPage = lazyregexp.New(`(?i)<center>(?:nginx|openresty|cloudflare)|<address>apache|<h1>(?:bad gateway|gateway time-?out|service unavailable|5\d\d)|the request could not be satisfied|\bcloudfront\b|cloudflare ray|cf-error|varnish cache server|no healthy upstream|^upstream (?:connect|request)|^default backend|^404 page not found$|^no available server$|^error code: 1\d\d\d|awselb|application failed to respond|heroku`)

func speakerOf(a Attempt, r Refusal) Speaker {
	text := strings.TrimSpace(string(r.Body))
	behind, isBehind := behindOf(a, text)
	switch {
	case r.Status != 0:
		name := Intermediary(r.Header)
		kind := jsonrpc.Scan(r.Body).Kind
		switch {
		case Bot(r) != "":
			return Speaker{PartyProxy, name}
		case kind == jsonrpc.ErrorResponse && libraryWords().MatchString(messageIn(r.Body)):
			return Speaker{PartyLibrary, ""}
		case kind == jsonrpc.ErrorResponse && isBehind && r.Status/100 != 4:
			return Speaker{PartyService, behind}
		case kind == jsonrpc.ErrorResponse && !exceptionWords().MatchString(text):
			return Speaker{PartyServer, ""}
		case ownPage().MatchString(text), len(text) == 0 && contentNetworks[name], isProxy(r.Header) && r.Status >= http.StatusBadGateway && r.Status <= http.StatusGatewayTimeout:
			return Speaker{PartyProxy, name}
		case r.Status/100 == 5 && exceptionWords().MatchString(text):
			return Speaker{PartyCode, exceptionWords().FindStringSubmatch(text)[1]}
		}
		return Speaker{PartyServer, ""}
	case r.Response || a.Request.Method != "" || a.Request.Failure != "":
		switch {
		case libraryWords().MatchString(text):
			return Speaker{PartyLibrary, ""}
		case isBehind:
			return Speaker{PartyService, behind}
		case exceptionWords().MatchString(text):
			return Speaker{PartyCode, exceptionWords().FindStringSubmatch(text)[1]}
		case a.Request.IsTool:
			return Speaker{PartyTool, jsonrpc.Text(a.Request.Params, "name")}
		}
		return Speaker{PartyServer, ""}
	case len(a.Argv) > 0 && launcherWords().MatchString(text):
		return Speaker{PartyLauncher, launcherName(a.Argv)}
	case len(a.Argv) > 0 && isBehind:
		return Speaker{PartyService, behind}
	case len(a.Argv) > 0:
		return Speaker{PartyProgram, ""}
	}
	return Speaker{PartyServer, ""}
}

// messageIn returns the message of an error response.
func messageIn(body []byte) string {
	return jsonrpc.ParseError(body, jsonrpc.Scan(body)).Message
}

// behindOf reports whether a text is about a response of a service behind the server, and returns the name of the service.
func behindOf(a Attempt, text string) (name string, ok bool) {
	for _, m := range urlForm().FindAllString(text, maxThings) {
		if u, err := url.Parse(m); err == nil && u.Host != "" && u.Host != a.Host && !pages().MatchString(m) {
			name = u.Host
			break
		}
	}
	m := behindWords().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	for _, group := range m[1:] {
		if group != "" && name == "" && !slices.Contains(noServices, strings.ToLower(group)) {
			name = group
		}
	}
	return name, true
}

// noServices holds words that stand where the name of a service may stand.
var noServices = strings.Fields("the an a this error http rest external internal remote mcp from to response request returned connect")

var urlForm = lazyregexp.New(`https?://[^\s"'<>()\[\]},;\x60]+`)

// launcherName returns the name of the program that starts a server.
func launcherName(argv []string) string {
	return strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
}

var statusInText = lazyregexp.New(`\b(?:status(?: code)?|HTTP(?: error)?!?(?: status)?(?: code)?|error|code|returned|responded with|failed with|failed:)[:=]? ?\(?([45]\d\d)\b|\b([45]\d\d) (?i:(?:client|server) error|unauthorized|forbidden|not found|bad request|internal server error|bad gateway|service unavailable|too many requests|conflict|unprocessable)|error '([45]\d\d)`)

// unknownURL matches the message with which web frameworks explain status 404.
var unknownURL = lazyregexp.New(`(?i)\brequested URL was not found on\b`)

// statusIn returns the HTTP status that a text names, or "".
func statusIn(text string) string {
	if m := statusInText().FindStringSubmatch(text); m != nil {
		return m[1] + m[2] + m[3]
	}
	if unknownURL().MatchString(text) {
		return "404"
	}
	return ""
}

// argumentsShown returns the arguments of a call in words, or "" if there are none.
func argumentsShown(r Request) string {
	const most, width = 3, 40
	var shown []string
	for _, k := range knownArguments(r) {
		if k.Absent || k.Kind != ThingArgument || k.Value == "" {
			continue
		}
		if len(shown) == most {
			return strings.Join(shown, ", ") + " …"
		}
		shown = append(shown, k.Name+" = "+phrase.Quote(k.Value, width))
	}
	return strings.Join(shown, ", ")
}

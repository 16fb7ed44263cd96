package facts

import (
	"net/http"

	"mcptea/client/transport"
)

// An Attempt is the recorded data of an attempt to connect, or of a connection.
type Attempt struct {
	Own       http.Header          // headers that the user has given
	Failed    transport.Exchange   // failed exchange, or the zero value
	Exchanges []transport.Exchange // newest first
	Answered  []uint32             // exchanges with a response of the server
	Session   bool                 // the server had created a session
	Offered   []string             // versions of the result of server/discover
	Written   [][]byte             // newest messages to a server over stdio
	Came      [][]byte             // newest messages and lines on stdout
	Request   Request              // request that was answered with a failure, or the zero value
	Sending   Sending              // request that got no response, or the zero value
	Argv      []string             // command of a server over stdio
	Words     []string             // lines of the server other than messages
	// Capabilities are the capabilities of the server, as received.
	Capabilities []byte
	StreamLost   bool // HTTP+SSE failed: the connection ended at GET
	// StreamTimedOut reports that HTTP+SSE failed: GET brought no endpoint event in time.
	StreamTimedOut bool
	Host           string   // host and port of the URL, or ""
	Dir            string   // working directory of the command, or ""
	Set, Inherited []string // variables that the target sets, and others of the command's environment, as NAME=VALUE
	EnvUnknown     bool     // the environment comes from a recording: other variables may be set
	Entry          string   // entry of a configuration file that sets them, in words, or ""
	Container      string   // program that runs the command in a container, or ""
	Asked          []Known  // parameters of the failed request to an authorization server
	// Initialized reports that the server responded to initialize and that notifications/initialized was sent.
	Initialized bool
}

// A Refusal is a response that is not a result: an HTTP response with status, headers and the start of the
// body, or an error response, with its message and data as the body.
type Refusal struct {
	Status int // 0 for an error response
	Header http.Header
	Body   []byte
	// Response reports that it is an error response.
	Response bool
}

// Facts are the facts of a failure.
type Facts struct {
	Sent    Sent
	Earlier Earlier
	Between Between
	Offered Offered
	Around  Around
	Request Request
	Call    Call
	URI     URI
	Fate    Fate
	Stream  Stream
	Command Command
	Speaker Speaker

	Unfilled Unfilled
	Package  string // package that the command runs with a launcher, or ""
	Names    string // names of the variables that the target sets
}

// Of collects the facts of an attempt that ended with a refusal, or with the zero value.
func Of(a Attempt, r Refusal) Facts {
	return Facts{Sent: sentOf(a, r), Earlier: earlierOf(a), Between: betweenOf(a, r), Offered: offeredOf(a, r), Around: aroundOf(a), Request: a.Request, Call: callOf(a.Request), URI: uriOf(a.Request), Fate: fateOf(a), Stream: streamOf(a), Command: commandOf(a), Speaker: speakerOf(a, r), Unfilled: unfilledOf(a), Package: packageRun(a.Argv), Names: namesSet(a)}
}

// A Fact is a fact under the name that the conditions and holes of rows use.
type Fact struct {
	Name  string
	About string // description, for the reader of a row

	value func(*Facts) any
}

// Value returns the fact as a text, a number or a bool, or the zero value if it is absent.
func (f Fact) Value(of *Facts) any { return f.value(of) }

// All lists the facts, by topic.
var All = []Fact{
	{"accept_sent", "both types, in the Accept that mcptea itself sent", func(f *Facts) any { return f.Sent.Accept }},
	{"content_type_sent", "Content-Type that mcptea itself sent", func(f *Facts) any { return f.Sent.ContentType }},
	{"method_lost", "the method that the response is about, if another one was sent", func(f *Facts) any { return f.Sent.OtherMethod }},
	{"own_header", "names of the headers that the user has given", func(f *Facts) any { return f.Sent.Own }},
	{"header_lost", "header that was sent, and that the response says is missing", func(f *Facts) any { return f.Sent.Lost }},
	{"unread_body", "bytes of the body that was sent, of which the response says that it was empty", func(f *Facts) any { return f.Sent.Unread }},
	{"session_sent", "the request had the session id that the server had created", func(f *Facts) any { return f.Sent.Session }},
	{"token_fault", "what the response says is wrong with the token", func(f *Facts) any { return f.Sent.TokenFault }},
	{"token_opaque", "the token that was sent has not the form of a JWT", func(f *Facts) any { return f.Sent.Opaque }},
	{"token_audience", "the audience of the token that was sent, if the response refuses it", func(f *Facts) any { return f.Sent.Audience }},
	{"token_claims", "the audience and the issuer of the token that was sent, if it has not expired and the response does not say why it is refused", func(f *Facts) any { return f.Sent.Claims }},
	{"header_unsent", "the header that the response requires and the request did not have", func(f *Facts) any { return f.Sent.Unsent }},
	{"body_size", "bytes of the body that was refused for its size", func(f *Facts) any { return f.Sent.Size }},
	{"size_limit", "the program whose limit refused the body, with the limit", func(f *Facts) any { return f.Sent.SizeLimit }},
	{"scope_required", "the scope that the request needs and its token lacks", func(f *Facts) any { return f.Sent.Scope }},
	{"session_refused", "the response says that the session is unknown, whose id the request had", func(f *Facts) any { return f.Sent.SessionRefused }},
	{"not_found", "the response with the error had the status 404", func(f *Facts) any { return f.Sent.NotFound }},
	{"token_sent", "the request had credentials", func(f *Facts) any { return f.Sent.Token }},

	{"before", "an earlier message of this attempt was accepted at the URL", func(f *Facts) any { return f.Earlier.Accepted > 0 }},
	{"earlier", "how many earlier messages were accepted at the URL", func(f *Facts) any { return f.Earlier.Accepted }},
	{"mixed_status", "status of a request that was accepted when it was repeated", func(f *Facts) any { return f.Earlier.Mixed }},
	{"handshake_done", "initialize was answered on this connection, and notifications/initialized was sent", func(f *Facts) any { return f.Earlier.Initialized }},
	{"session_age", "how long before the request the server had created its session, if that was a short time ago", func(f *Facts) any { return f.Earlier.SessionAge }},
	{"other_session", "a response to a request with the session id had another session id", func(f *Facts) any { return f.Earlier.OtherSession }},
	{"unlike_before", "what the refusal lacks, and earlier responses of the URL had", func(f *Facts) any { return f.Earlier.Unlike }},
	{"answered_at_url", "a message of the server came from the URL in this attempt", func(f *Facts) any { return f.Earlier.Answered > 0 }},

	{"intermediary", "the content network or proxy that the response names", func(f *Facts) any { return f.Between.Name }},
	{"bot", "the evidence that a bot protection refused the request", func(f *Facts) any { return f.Between.Bot }},
	{"proxied", "the response came through a proxy, by its headers", func(f *Facts) any { return f.Between.Proxy }},
	{"stream_idle", "how long a stream was idle when it ended", func(f *Facts) any { return f.Between.Idle }},

	{"offered_refused", "the version that server/discover offers and this request was refused for", func(f *Facts) any { return f.Offered.Refused }},

	{"arguments_fit", "the arguments of the call fit the inputSchema of the tool", func(f *Facts) any { return f.Call.Fits }},
	{"misfit", "the argument that does not fit the inputSchema, and why", func(f *Facts) any { return f.Call.Misfit }},
	{"argument_named", "an argument of the call that the response names", func(f *Facts) any { return f.Call.Named }},
	{"output_declared", "the called tool has an outputSchema", func(f *Facts) any { return f.Call.Output }},
	{"no_params", "the request has no parameters, except those of the protocol", func(f *Facts) any { return f.Call.Empty }},
	{"declared", "an argument that the response refuses and the inputSchema has", func(f *Facts) any { return f.Call.Declared }},
	{"undeclared", "an argument that was sent, that the response refuses, and that the inputSchema does not have", func(f *Facts) any { return f.Call.Undeclared }},
	{"foreign_place", "the place of a value that the response rejects, and that was neither sent nor declared", func(f *Facts) any { return f.Call.Foreign }},
	{"declared_names", "the names of the properties of the inputSchema, if they are few", func(f *Facts) any { return f.Call.Names }},
	{"converted", "an argument that was sent as a string, and of which the response has the value in another type", func(f *Facts) any { return f.Call.Converted }},
	{"on_windows", "the output has an error number or a path of Windows", func(f *Facts) any { return f.Command.Windows }},
	{"encoded", "an argument that is JSON in a string", func(f *Facts) any { return f.Call.Encoded }},
	{"no_arguments", "the arguments of the call are an object without members", func(f *Facts) any { return f.Call.NoArguments }},

	{"arguments_absent", "the request may have arguments, and has no such member", func(f *Facts) any { return f.Call.Absent }},
	{"listed", "the response says that the called tool is unknown, and the list of the server has it", func(f *Facts) any { return f.Call.Listed }},
	{"no_text", "the response has no text that says why", func(f *Facts) any { return f.Call.NoText }},
	{"no_reason", "the text of the response only says that something failed", func(f *Facts) any { return f.Call.NoReason }},
	{"call_took", "how long the request took", func(f *Facts) any { return f.Call.Took }},
	{"called", "the method of the request that was answered with a failure", func(f *Facts) any { return f.Request.Method }},
	{"error_code", "the code of the error response", func(f *Facts) any { return f.Request.Code }},
	{"request_refused", "the method of a request that the server sent meanwhile and that mcptea refused", func(f *Facts) any { return f.Request.Refused }},
	{"capability_declared", "the capability that the server declares and whose method it does not know", func(f *Facts) any { return f.Offered.Capability }},

	{"stream_held", "an event stream of GET was open when the response came", func(f *Facts) any { return f.Stream.Open }},
	{"stream_silent", "GET was accepted at the URL, and no status came in time", func(f *Facts) any { return f.Stream.Silent }},
	{"stream_empty", "GET opened an event stream at the URL, and no event came in time", func(f *Facts) any { return f.Stream.Empty }},
	{"stream_lost", "the connection ended at GET, without a response", func(f *Facts) any { return f.Stream.Lost }},

	{"party", "who wrote the message", func(f *Facts) any { return string(f.Speaker.Party) }},
	{"party_name", "the name of that party", func(f *Facts) any { return f.Speaker.By }},

	{"service_status", "the HTTP status that a message behind the server names", func(f *Facts) any {
		if f.Speaker.Party != PartyService {
			return ""
		}
		return statusIn(f.Request.Failure)
	}},
	{"arguments_sent", "the arguments of the call", func(f *Facts) any { return argumentsShown(f.Request) }},

	{"stream_lasted", "how long the stream was open that carried the responses", func(f *Facts) any { return f.Stream.Lasted }},
	{"stream_through", "the proxy that the stream came through, by its headers", func(f *Facts) any { return f.Stream.Through }},
	{"schema_wrong", "why the inputSchema of the called tool is invalid", func(f *Facts) any { return f.Call.Schema }},

	{"option_refused", "an option of the command that the output refuses", func(f *Facts) any { return f.Command.Option }},
	{"launcher_twice", "the first argument of a launcher is its own name", func(f *Facts) any { return f.Command.Twice }},
	{"argument_quoted", "an argument of the command that begins and ends with a quotation mark, and that the output names", func(f *Facts) any { return f.Command.Quoted }},
	{"argument_cut", "an argument of the command with a space, of which the output names the part before it", func(f *Facts) any { return f.Command.Cut }},

	{"server_package", "the package that the command runs with a launcher", func(f *Facts) any { return f.Package }},
	{"variables_set", "the names of the variables that the target sets", func(f *Facts) any { return f.Names }},
	{"unfilled", "a variable or placeholder in a value that was sent or set, as it is written in a configuration", func(f *Facts) any { return f.Unfilled.Part }},
	{"unfilled_in", "the header, argument or variable that has it", func(f *Facts) any { return f.Unfilled.Place }},
	{"unfilled_kind", "variable or placeholder", func(f *Facts) any { return f.Unfilled.kind() }},

	{"uri_deep", "the URI of the request has several segments", func(f *Facts) any { return f.URI.Deep }},
	{"uri_undecoded", "a segment of the URI that the response repeats with its percent-encoding, alone", func(f *Facts) any { return f.URI.Undecoded }},
	{"uri_changed", "the URI of the request in the other form that the response repeats", func(f *Facts) any { return f.URI.Changed }},

	{"fate", "whether a call without a response was carried out: not sent, refused or unknown", func(f *Facts) any { return string(f.Fate) }},

	{"echo", "what came on stdout is what was written to stdin, byte for byte", func(f *Facts) any { return f.Around.Echo }},
}

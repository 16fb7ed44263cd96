package facts

// A Thing is something that the words of a peer name, compared with what mcptea sent and knows.
type Thing struct {
	Kind  ThingKind
	Name  string // as the peer writes it
	State State
	Value string // value that was sent for it, or the name that was sent in its place
	Place string // what set the value, such as "argument 2 of the command"
	// OfCommand reports that it is a word of the command.
	OfCommand bool
}

// A ThingKind is the kind of a thing.
type ThingKind string

// The kinds of things, in the order in which they are reported.
const (
	ThingArgument  ThingKind = "argument"  // argument of a call
	ThingParameter ThingKind = "parameter" // parameter of a request to an authorization server
	ThingVariable  ThingKind = "variable"  // variable of the environment
	ThingOption    ThingKind = "option"    // option of a command
	ThingHeader    ThingKind = "header"
	ThingClaim     ThingKind = "claim" // claim of a token that was sent
	ThingAddress   ThingKind = "address"
	ThingFile      ThingKind = "file"
	ThingName      ThingKind = "name"  // name in quotation marks
	ThingPlace     ThingKind = "place" // file and line of source code
)

var thingKinds = []ThingKind{ThingArgument, ThingParameter, ThingVariable, ThingOption, ThingHeader, ThingClaim, ThingAddress, ThingFile, ThingName, ThingPlace}

// A State is the relation of a thing to the sent message.
type State string

// The states of things.
const (
	Given     State = "given"     // sent, with Value
	Lacking   State = "lacking"   // declared or possible, and not sent
	ValueOf   State = "value"     // the value of what Place names
	Near      State = "near"      // sent in the form Value
	Inherited State = "inherited" // a variable of the environment of mcptea
	Own       State = "own"       // the host of the URL
	Elsewhere State = "elsewhere" // nothing that was sent
)

// states holds the states, most telling first: what is missing, then what was sent.
var states = []State{Lacking, Given, ValueOf, Near, Inherited, Own, Elsewhere}

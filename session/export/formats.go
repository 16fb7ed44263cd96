package export

import (
	"slices"

	"mcptea/client/transport"
)

// Format is a way to write a session.
type Format struct {
	Name      string // for --to
	Title     string // for a list of formats: what it is, in a few words
	Extension string // of the name of a file, with its dot
	// Requests says that only requests of the client are written: of a selected
	// response the request is meant.
	Requests bool
	// Directed says that [Options.Dir] selects the side.
	Directed bool

	write func(s *session) error
}

// formats are the formats in the order of display. The row of a format without a
// write function is reserved, and not offered.
var formats = []Format{
	{Name: "raw", Title: "exact bytes of one direction", Extension: ".txt", Directed: true, write: (*session).writeRaw},
	{Name: "jsonl", Title: "recording of mcptea, redacted", Extension: ".mcptea.jsonl", write: (*session).writeRecording},
	{Name: "otlp", Title: "OpenTelemetry spans and metrics"},
}

// Formats returns the formats in the order of display. The caller owns the slice.
func Formats() []Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.write == nil })
}

// Lookup returns the format of a name.
func Lookup(name string) (Format, bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// isDirection reports whether a frame of this direction is written.
func (s *session) isDirection(dir transport.Direction) bool { return !s.format.Directed || dir == s.Dir }

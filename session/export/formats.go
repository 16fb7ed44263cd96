package export

import (
	"slices"

	"mcptea/client/transport"
)

// Format is a format in which a session can be written.
type Format struct {
	Name      string // value of --to
	Title     string // short description for a list of formats
	Extension string // extension of the file name, with its dot
	// Requests reports whether the format writes requests of the client. Then a selected response
	// stands for its request; see [Format.Extend].
	Requests bool
	// Marks reports whether the format writes the marks and notes of the user.
	Marks bool
	// Report reports whether the format is a report for an issue.
	Report bool
	// Host reports whether the report is about the client of a session, if that is not mcptea.
	Host bool
	// responses reports whether the responses to the requests are written, too.
	responses bool
	// exchanges reports whether the format writes a request and its response as one entry. Then
	// selecting one of them selects both.
	exchanges bool
	// apps reports whether the format writes messages of apps, which are not from the server.
	apps bool
	// Directed reports whether the format writes only one direction; [Options.Dir] selects it.
	Directed bool

	write func(s *session) error
}

// formats holds the formats in the order of display.
var formats = []Format{
	{Name: "raw", Title: "exact bytes of one direction", Extension: ".txt", Directed: true, write: (*session).writeRaw},
	{Name: "jsonl", Title: "recording of mcptea, redacted", Extension: ".mcptea.jsonl", Marks: true, apps: true, write: (*session).writeRecording},
	{Name: "html", Title: "page with filter and folding, in one file", Extension: ".html", apps: true, write: (*session).writeHTML},
	{Name: "har", Title: "HTTP Archive 1.2", Extension: ".har", exchanges: true, write: (*session).writeHAR},
	{Name: "markdown", Title: "report about the server, for an issue", Extension: ".md", Marks: true, Report: true, apps: true, write: (*session).writeMarkdown},
	{Name: "issue", Title: "report about the host, for an issue", Extension: ".md", Marks: true, Report: true, Host: true, apps: true, write: (*session).writeIssue},
	{Name: "mermaid", Title: "sequence diagram", Extension: ".mmd", apps: true, write: (*session).writeMermaid},
	{Name: "curl", Title: "commands of curl, for messages over HTTP", Extension: ".sh", Requests: true, write: (*session).writeCurl},
	{Name: "command", Title: "commands of mcptea", Extension: ".sh", Requests: true, write: (*session).writeCommand},
	{Name: "script", Title: "script for mcptea run, with the results", Extension: ".txtar", Requests: true, responses: true, write: (*session).writeScript},
	{Name: "mock", Title: "server for mcptea mock, with responses", Extension: ".yaml", exchanges: true, write: (*session).writeMock},
	{Name: "typescript", Title: "program on the TypeScript SDK", Extension: ".mts", Requests: true, write: (*session).writeTypeScript},
	{Name: "types-ts", Title: "types of the tools for TypeScript", Extension: ".ts", exchanges: true, write: (*session).writeTypesTypeScript},
	{Name: "types-go", Title: "types of the tools for Go", Extension: ".go", exchanges: true, write: (*session).writeTypesGo},
	{Name: "types-python", Title: "types of the tools for Python", Extension: ".py", exchanges: true, write: (*session).writeTypesPython},
}

// Formats returns the formats in the order of display. The caller owns the slice.
func Formats() []Format {
	return slices.Clone(formats)
}

// Lookup returns the format with a name.
func Lookup(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// isDirection reports whether frames of a direction are written.
func (s *session) isDirection(dir transport.Direction) bool {
	return !s.format.Directed || dir == s.Dir
}

package primitives

import (
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/internal/server/peer"
)

// A file NAME.jsonl has the entries of the list NAME. A hole such as {readme} is for the
// text of a file, or its bytes in Base64; in a result it may also be for an argument.
//
//go:embed *.jsonl server.json files
var tables embed.FS

// New returns the description of the demo server, whose entries may be changed. pace is the duration of a
// second of pretended work, or 0 for a real second.
func New(pace time.Duration) *peer.Server {
	server := &peer.Server{Pace: pace, Lists: map[string][]*peer.Entry{}}
	catalog.Decode([]byte(fill(string(read("server.json")), readFiles())), server)
	for name, entries := range lists() {
		for _, e := range entries {
			copied := *e
			server.Lists[name] = append(server.Lists[name], &copied)
		}
	}
	return server
}

// lists are the entries of each list, read once: a test or a server of many connections makes
// many descriptions.
var lists = sync.OnceValue(func() map[string][]*peer.Entry {
	files, all := readFiles(), map[string][]*peer.Entry{}
	for _, list := range revision.Lists {
		all[list.Name] = Entries(list, []byte(fill(string(read(list.Name+".jsonl")), files)))
		for _, e := range all[list.Name] {
			if e.Run == nil {
				e.Run = runs[list.Name][e.Key]
			}
			if list.Name == revision.Skills.Name {
				e.ListFiles()
			}
			e.Complete = completers[e.Key]
		}
		for key := range runs[list.Name] {
			if !slices.ContainsFunc(all[list.Name], func(e *peer.Entry) bool { return e.Key == key }) {
				panic("demo/primitives: a function of no entry: " + key)
			}
		}
	}
	return all
})

// Entries reads the rows of a list.
func Entries(list revision.List, table []byte) []*peer.Entry {
	all := catalog.Read[*peer.Entry](table)
	for _, e := range all {
		e.Key = jsonrpc.Text(e.Wire, list.Key)
		if e.Result != nil {
			e.Run = constant(string(e.Result))
		}
	}
	return all
}

// constant returns a tool that returns the same result each time, with arguments filled in.
func constant(result string) peer.Run {
	return func(_ context.Context, c *peer.Call) (any, error) {
		args := map[string]any{}
		if err := c.Decode(&args); err != nil {
			return nil, err
		}
		texts := map[string]string{}
		for name, value := range args {
			if text, ok := value.(string); ok {
				texts[name] = quoted(text)
			}
		}
		return json.RawMessage(fill(result, texts)), nil
	}
}

// fill fills the holes that there are values for.
func fill(text string, values map[string]string) string {
	return catalog.Fill(text, func(name string) string {
		if value, ok := values[name]; ok {
			return value
		}
		return "{" + name + "}"
	})
}

// quoted returns the text of a JSON string without its quotes.
func quoted(text string) string {
	token := string(peer.Encode(text))
	return token[1 : len(token)-1]
}

// readFiles returns the files by their names without extension, in JSON form.
func readFiles() map[string]string {
	files := map[string]string{}
	entries, _ := tables.ReadDir("files") // embedded
	for _, entry := range entries {
		name := entry.Name()
		value, data := "", read("files/"+name)
		if utf8.Valid(data) {
			value = quoted(string(data))
		} else {
			value = base64.StdEncoding.EncodeToString(data)
		}
		files[strings.TrimSuffix(name, path.Ext(name))] = value
	}
	return files
}

func read(name string) []byte {
	data, err := tables.ReadFile(name)
	if err != nil {
		panic(err) // an embedded list names a missing file
	}
	return data
}

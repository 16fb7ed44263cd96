package apps

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/offer/declared"
	"mcptea/record/store"
)

// Apps holds the app documents and tools of a session. It is not safe for concurrent use.
type Apps struct {
	store   *store.Store
	rows    *store.Scanner
	next    int32             // first row that was not examined
	methods map[uint16]string // names of the methods seen so far
	read    map[string]Read
	listed  []listed // newest last
}

// Read is a document that was read, without its HTML.
type Read struct {
	declared.Document
	Size int   // bytes of the HTML
	Row  int32 // row of the response
	Err  error // why there is no document, or nil
}

// listed is a response to tools/list.
type listed struct {
	row   int32
	names []string // names of the tools
}

// bounds of what is kept, and of one update, which takes some milliseconds
const (
	maxRead   = 200
	maxListed = 50
	maxRows   = 8192
	maxBytes  = 1 << 20 // bytes of responses per update
)

// New returns the apps of a session before the first [Apps.Update].
func New(st *store.Store) *Apps {
	return &Apps{store: st, rows: st.NewScanner(), methods: map[uint16]string{}, read: map[string]Read{}}
}

// Update reads new rows. It returns true if more remain than it reads in one call.
func (a *Apps) Update() (more bool) {
	from, size := a.next, 0
	a.next = a.rows.Rows(from, maxRows, func(i int32, r *store.Row) bool {
		if size > maxBytes {
			return false
		}
		if r.Dir != transport.In || r.App || r.Pair == store.None || !r.Kind.IsResponse() {
			return true
		}
		method, met := a.methods[r.Method]
		if !met {
			method = a.store.Method(r.Method)
			a.methods[r.Method] = method
		}
		switch method {
		case "resources/read":
			size += a.readDocument(i, r.Pair)
		case "tools/list":
			size += a.list(i)
		}
		return true
	})
	return a.next-from == maxRows || size > maxBytes
}

// maxRequest is the number of bytes of a request that are searched for its URI.
const maxRequest = 8 << 10

// readDocument reads a response to resources/read. It returns the bytes that it has read.
func (a *Apps) readDocument(row, request int32) int {
	head, err := a.store.Head(request, maxRequest)
	if err != nil {
		return 0
	}
	raw, _ := jsonrpc.Start(head, "params", "uri") // the head may be cut off
	uri, _ := jsonrpc.Unquote(raw)
	if _, known := a.read[uri]; !strings.HasPrefix(uri, declared.Scheme) || !known && len(a.read) == maxRead {
		return 0
	}
	body, err := a.store.Body(row)
	if err != nil {
		return 0
	}
	r := Read{Row: row}
	if e := jsonrpc.Scan(body); e.Kind == jsonrpc.ErrorResponse {
		r.URI, r.Err = uri, jsonrpc.ParseError(body, e)
	} else {
		r.Document, r.Err = declared.OfDocument(uri, nil, jsonrpc.Get(body, "result"))
	}
	r.Size, r.HTML, r.UI = len(r.HTML), nil, nil
	a.read[uri] = r
	return len(body)
}

// list keeps the names in a response to tools/list. It returns the bytes that it has read.
func (a *Apps) list(row int32) int {
	body, err := a.store.Body(row)
	if err != nil {
		return 0
	}
	l := listed{row: row}
	for tool := range jsonrpc.Elements(jsonrpc.Get(body, "result", "tools")) {
		l.names = append(l.names, jsonrpc.Text(tool, "name"))
	}
	a.listed = append(a.listed[max(0, len(a.listed)+1-maxListed):], l)
	return len(body)
}

// Document returns the newest reading of a document; false if it was not read.
func (a *Apps) Document(uri string) (Read, bool) {
	r, ok := a.read[uri]
	return r, ok
}

// family is the letter of the lint rules about apps.
const family = "U"

// Of returns the findings about apps for a row. at returns all findings of a row.
func Of(row int32, at func(row int32) []lint.Finding) (found []lint.Finding) {
	for _, f := range at(row) {
		if f.Rule.Family() == family {
			found = append(found, f)
		}
	}
	return found
}

// Tool returns the findings about the app of a tool, in the newest list that contains the tool.
func (a *Apps) Tool(name string, at func(row int32) []lint.Finding) (found []lint.Finding) {
	for _, l := range slices.Backward(a.listed) {
		if !slices.Contains(l.names, name) {
			continue
		}
		for _, f := range Of(l.row, at) {
			if n := toolAt(f.Path); n >= 0 && n < len(l.names) && l.names[n] == name {
				found = append(found, f)
			}
		}
		break
	}
	return found
}

// toolAt returns the index of the tool that a JSON Pointer leads into, or -1.
func toolAt(path string) int {
	rest, ok := strings.CutPrefix(path, "/result/tools/")
	index, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(index)
	if !ok || err != nil {
		return -1
	}
	return n
}

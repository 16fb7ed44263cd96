package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/jsontree"
	"mcptea/session/runs/provenance"
	"mcptea/session/runs/script"
)

// link adds the request of a step to the chain. It returns its params, with variables for values from earlier
// results, and the names of the variables.
func (w *scriptWriter) link(st *scriptStep, method string, params []byte) (linked []byte, names []string) {
	tree, _ := jsontree.Decode(params)
	uses := w.chain.Request(method, tree)
	w.linked = append(w.linked, st)
	st.linked = len(w.linked)
	if bytes.Contains(params, []byte("{{")) {
		return params, nil // the text would look like a variable
	}
	for _, use := range uses {
		text := fmt.Sprint(use.Value)
		provider := w.linked[use.Provider]
		if secret.IsRedacted(text) || provider.line == "" || strings.HasSuffix(provider.line, " &") {
			continue
		}
		span, found := jsonrpc.Locate(params, use.At.Pointer())
		if !found {
			continue
		}
		w.capture(provider, use)
		now := jsonrpc.Quote(script.Variable(use.Name))
		if member, ok := use.At[len(use.At)-1].(string); ok { // the member name is the name of the variable
			now = jsonrpc.Quote(member) + ":" + now
		}
		params, names = span.Replace(params, []byte(now)), append(names, use.Name)
	}
	return params, names
}

// capture makes a step capture a value for later requests.
func (w *scriptWriter) capture(provider *scriptStep, use provenance.Use) {
	w.captured.Add(use.Value)
	if c := (capture{use.Name, use.Expr}); !slices.Contains(provider.captures, c) {
		provider.captures = append(provider.captures, c)
	}
}

// linkResult adds the result of a step to the chain.
func (w *scriptWriter) linkResult(st *scriptStep, result []byte) {
	if st.linked == 0 || len(result) == 0 {
		return
	}
	if tree, ok := jsontree.Decode(result); ok {
		w.chain.Result(st.linked-1, nil, tree)
	}
}

// linkEntries adds the entries of a page to the chain, starting with the entry from. Their places
// are the places in the result of the command, which has all pages.
func (w *scriptWriter) linkEntries(st *scriptStep, from int) {
	if st.linked == 0 {
		return
	}
	for i, entry := range st.entries[from:] {
		if tree, ok := jsontree.Decode(entry); ok {
			w.chain.Result(st.linked-1, jsontree.Place{st.listMember(), from + i}, tree)
		}
	}
}

// listMember returns the member that holds the entries in the result of a list command.
func (st *scriptStep) listMember() string {
	word, _, _ := strings.Cut(strings.TrimPrefix(st.line, "list "), " ")
	return word
}

// listed returns the result of a list command: the entries of all pages.
func (st *scriptStep) listed() []byte {
	return append([]byte("{"+jsonrpc.Quote(st.listMember())+":["), append(bytes.Join(st.entries, []byte(",")), "]}"...)...)
}

// ignored returns flags of expect that ignore the captured values in a result, because they differ
// in each run. The text ends with a blank.
func (w *scriptWriter) ignored(value []byte) string {
	if w.captured.Len() == 0 {
		return ""
	}
	tree, _ := jsontree.Decode(value)
	var b strings.Builder
	for _, leaf := range jsontree.Leaves(tree) {
		if w.captured.IsIn(leaf.Value) {
			b.WriteString("--ignore " + script.Word(leaf.At.Pointer()) + " ")
		}
	}
	return b.String()
}

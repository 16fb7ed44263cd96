package card

import (
	_ "embed"
	"slices"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
)

//go:embed meanings.jsonl
var meaningsText []byte

// meaningTable is the meanings of codes and of statuses, and the ranges that codes lie
// in.
var meaningTable = catalog.Lazy[entry](meaningsText)

//go:embed terms.jsonl
var termsText []byte

// terms returns the cards of everything without a number, in addition to client/revision.
var terms = catalog.Lazy[term](termsText)

// termOf returns the term of a kind with a key, or an empty term.
func termOf(kind Kind, key string) *term {
	all := terms()
	if i := slices.IndexFunc(all, func(t term) bool { return t.Kind == kind && t.Key == key }); i >= 0 {
		return &all[i]
	}
	return &term{Card: Card{Kind: kind, Key: key}}
}

// methods returns the methods of all protocol versions, including those embedded in a result.
func methods() []revision.Method { return revision.Methods("", revision.Both) }

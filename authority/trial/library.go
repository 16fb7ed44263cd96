package trial

import (
	"context"
	_ "embed" // the libraries
	"iter"
	"slices"
	"strings"
	"sync"

	"mcptea/internal/catalog"
)

// A kind is a way in which a server treats a token.
type kind string

// The kinds of results, which rows of libraries name. The kind of a result that passes is "".
const (
	kindAccepted    kind = "accepted"     // a wrong token is accepted
	kindRejected    kind = "rejected"     // a right token is rejected
	kindLate        kind = "late"         // a change is known after some time
	kindStatus      kind = "status"       // another status
	kindUncaught    kind = "uncaught"     // a status of 500 or more
	kindNoChallenge kind = "no-challenge" // 401 without WWW-Authenticate
	kindNoMetadata  kind = "no-metadata"  // 401 without resource_metadata
	kindNoError     kind = "no-error"     // 401 without error
	kindNoScope     kind = "no-scope"     // 403 without insufficient_scope and scope
	kindMalformed   kind = "malformed"    // WWW-Authenticate cannot be parsed
	kindSpaced      kind = "spaced"       // WWW-Authenticate has a space around =
	kindRepeats     kind = "repeats"      // the token is in the response
	kindFetched     kind = "fetched"      // the server fetched an address that the token names
	kindOther       kind = "other"
)

// A library is a library that servers verify tokens with. It is recognized by its error messages, which do
// not prove it.
type library struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"` // version that was measured
	Token   string `json:"token"`   // token whose rejection shows the library
	Says    string `json:"says"`    // words of the body of the rejection
	traits  []trait
}

// A trait is the behavior of a library, or advice for its users.
type trait struct {
	Library string   `json:"library"` // id of the library, which has an earlier row
	Kind    kind     `json:"kind"`
	Tokens  []string `json:"tokens"` // names of tokens, or null for all
	Does    string   `json:"does"`   // behavior of the library, without a period, or "" if the server causes it
	Try     string   `json:"try"`    // advice for the author of the server
}

//go:embed libraries.jsonl
var libraryRows []byte

// knownLibraries returns the libraries with their traits. The caller must not modify them.
var knownLibraries = sync.OnceValue(func() []*library {
	var all []*library
	for line := range catalog.Lines(libraryRows) {
		var row struct {
			library
			trait
		}
		catalog.Decode(line, &row)
		if row.ID != "" {
			all = append(all, &row.library)
			continue
		}
		i := slices.IndexFunc(all, func(l *library) bool { return l.ID == row.trait.Library })
		all[i].traits = append(all[i].traits, row.trait) // panics if the table lists the row before its library
	}
	return all
})

// LibraryTraits returns the libraries that choose the reaction to a token for their users, and the
// reactions.
func LibraryTraits(token string) iter.Seq2[string, string] {
	return func(yield func(library, does string) bool) {
		for _, l := range knownLibraries() {
			for _, t := range l.traits {
				if t.Does != "" && slices.Contains(t.Tokens, token) && !yield(l.Name+" "+l.Version, t.Does) {
					return
				}
			}
		}
	}
}

// recognize finds the libraries by the rejections of some tokens.
func (t *trial) recognize(ctx context.Context) {
	seen := map[string]response{"none": t.bare}
	for _, l := range knownLibraries() {
		got, sent := seen[l.Token]
		if !sent {
			text, _ := t.Authority.Forge(l.Token, t.grant)
			got = t.send(ctx, message{scheme: "Bearer", token: text})
			seen[l.Token] = got
		}
		if !got.accepted && strings.Contains(string(got.body), l.Says) {
			t.libraries = append(t.libraries, l)
		}
	}
}

// blame attributes a result to the library that causes it, if known, and replaces the advice.
func (t *trial) blame(r *Result) {
	for _, l := range t.libraries {
		for _, trait := range l.traits {
			if trait.Kind != r.kind || len(trait.Tokens) > 0 && !slices.Contains(trait.Tokens, r.Token) {
				continue
			}
			r.Fix = trait.Try
			if trait.Does != "" {
				r.Library, r.does = l.Name+" "+l.Version, trait.Does
				r.known = "The error messages of the server are those of " + l.Name + " (" + l.Says + ")."
			}
			return
		}
	}
}

// Package failure says in words why a connection or a call did not work: what was
// attempted, how far it got, what there is to see, what the likely cause is, and what to
// try.
//
// Facts and conclusions are of two types. Facts are what was seen: an exit code, a status,
// lines, bytes, times, what mcptea itself did. [Explain] collects them as a situation, and
// the sentence of an [Explanation] has holes for facts alone. Conclusions are its
// [Candidate]s, each with a [Strength] that says how it is known:
//
//   - it proves: an exit code, a signal, the error of a call of mcptea, a status, a code
//   - it reports: the message of the peer, or a line that is an error by its form
//   - it hints: a word elsewhere, or silence. It is told as "may"
//
// The strongest one is told; two of one strength are both told, as "may". A word in a line
// is no cause by itself: package stderr reads what the line is, and source code, help
// texts, stack traces, log lines below error, quotations, URLs and paths do not count.
// Only what belongs to the request that failed is evidence: see wire.go.
//
// The texts are rows of failures.jsonl: the first that fits a situation counts, unless a fact
// speaks against it. Facts that may do so are in each situation: see seen.go. A new
// failure is a row there, and a fact in the code if the conditions need one; with a row for
// lines, an example in known_test.go, which is then tried in each innocent place.
//
// The package knows no terminal. It sanitizes nothing: lines that a server controls are
// marked as foreign, and what draws them sanitizes them.
//
// A row may name an action, which says how a program can do what the row advises: see candidate.go,
// and package remedy, which offers nothing that is set already or that protects less (allowed.go).
// Such a row has a test that does the action in its situation and reads what the second attempt
// says (remedied_test.go).
//
// It also finds out what is left of a call that got no response: the cause of the
// end of the server, and frames that may be its response.
package failure

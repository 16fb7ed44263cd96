// Package failure explains in words why a connection or a call failed: the attempt, the steps that were
// reached, the evidence, the likely cause, and advice.
//
// Facts and conclusions have two types. Facts are observations: an exit code, a status, lines, bytes, times,
// actions of mcptea. [Explain] collects them as a situation, and the sentence of an [Explanation] has holes for
// facts only. Conclusions are its [Candidate]s, each with a [Strength], the kind of its evidence:
//
//   - it proves: an exit code, a signal, the error of an operation of mcptea, a status, a code
//   - it reports: the message of the peer, or a line in the form of an error
//   - it hints: a word elsewhere, or silence. The text then says "may"
//
// The strongest candidate is shown; two of equal strength are both shown, with "may". One word in a line does
// not prove a cause: package stderr classifies the line, and source code, help texts, stack traces, log lines
// below error, quotations, URLs and paths do not count. Only frames of the failed request are evidence: see
// wire.go.
//
// The texts are rows of failures.jsonl: the first row that matches a situation counts, unless a fact speaks
// against it. Facts that may do so are in each situation: see seen.go. A new failure is a row there, and a fact
// in the code if the conditions need one. A row for lines also needs an example in known_test.go, which is then
// tried at each harmless place.
//
// If only a general row is about a failure, the page says who wrote the message, and how all that the message names
// relates to what was sent: see voice.go, and the rows of "who" and "named". Of a row that is open, the cause is
// extended by what was sent. Advice about the session or the credentials of the client declares that with "to": it
// is not given if a service behind the server wrote the message.
//
// The package is independent of the terminal and sanitizes nothing: lines that a server controls are marked as
// foreign, and the code that draws them sanitizes them.
//
// A row may name an action, with which a program can follow the advice: see candidate.go, and package remedy,
// which offers only actions that change something and keep all protections (allowed.go). Such a row has a test
// that carries out the action in its situation and reads the outcome of the second attempt (remedied_test.go).
//
// It also finds the traces of a call that got no response: the cause of the end of the server, and frames that
// may be its response.
package failure

// Package experiment finds out why connecting failed. Over HTTP it repeats the failed request with one thing
// changed, as people do with curl. A trial is a row of [trials]; a conclusion is a row of failures.jsonl.
//
// Three kinds of trials show three kinds of causes:
//
//   - A substitution changes one thing. If it works, the thing is the cause.
//   - An ablation omits one thing. If the response stays the same, the program that responds does not see
//     the thing.
//   - A relocation requests something else at the same origin. If the response stays the same, the failure does
//     not depend on the message.
//
// A trial sends initialize, ping, GET of a made-up path, or the failed request. It never calls a tool. It goes
// only to the origin of the URL, with the TLS and proxy settings of the target, and without credentials that
// the server has refused. It does not follow redirects. It ends the sessions that it started.
//
// The control comes first: the same request again. After a change that works, the first request must fail
// again, and the changed one must work again; otherwise the failure is intermittent.
//
// A command is started again with one thing changed, at most four times: see starts.go. It receives at most one
// message.
package experiment

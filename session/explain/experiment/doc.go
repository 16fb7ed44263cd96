// Package experiment finds out why connecting failed. Over HTTP it does what people do with curl: it repeats the request
// that failed with one thing changed. A trial is a row of [trials]; a conclusion is a row of failures.jsonl.
//
// Three kinds of trials show three kinds of causes:
//
//   - A substitution changes one thing. If it works, the thing is the reason.
//   - An ablation omits one thing. If the response stays the same, the program that responds does not see
//     the thing.
//   - A relocation requests something else of the same origin. If the response stays the same, the failure is
//     not about the message.
//
// A trial sends initialize, ping, GET of a made-up path, or the request that failed. It never calls a tool. It
// goes only to the origin of the URL, with the TLS and proxy settings of the target, and with no credential that
// the server has refused. Redirects are not followed. Sessions of trials are ended.
//
// The control comes first: the same request again. After a change that works, the first request must fail
// again, and the changed one must work again; else the failure comes and goes.
//
// A command is started again with one thing changed, at most four times: see starts.go. Nothing is sent to it, or one
// message.
package experiment

// Package otlp turns sessions into OpenTelemetry spans and sends them to
// a collector over OTLP.
//
// A [Sender] is a connection to the collector; a [Session] receives the events of one session in
// order. Each request becomes a span, from the request to its response, and each notification a span
// without duration. Progress becomes events of the request's span instead. Names and attributes are those
// of the semantic conventions for MCP: messages of the client are observed on the sender's side (span kind
// client), messages of the server on the receiver's (span kind server). A request with _meta.traceparent
// continues that trace, and a request of the server that belongs to a request of the client is its child.
//
// Arguments and results leave the machine only with [Options.Payloads], and no
// secret that package secret recognizes does.
package otlp

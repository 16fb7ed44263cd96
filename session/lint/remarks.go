package lint

// remarks are what is to be known of a rule beyond what the catalogue says: what
// it cannot see, and where it is judged otherwise than its source does.
var remarks = map[string]string{
	"A005": "The redirect URI of a request that the user's browser makes cannot be seen; that of a token request and of a registration can.",
	"A007": "Of the token request, the verifier is masked and its presence is judged.",
	"H015": "Of a session id of more than eight characters, a recording has the first eight, the length, and whether all are allowed: a counter of nine characters or more cannot be told from a random number.",
	"K009": "The inspector waits one second and commands half a second before they end a server, less than the three seconds of this rule: it fires where a server was given the time, such as in a transport's own patience or in what was written down elsewhere.",
	"K011": "A slow tool looks like a full buffer, so only answers to what is always quick are judged, and only when the next answer comes along within a quarter of a second.",
	"L007": "A warning, where the source has an error: the lifecycle asks for \"another protocol version it supports\", and a server that has only newer ones breaks no rule by naming them. A client that does not know them has to leave.",
	"X056": "It is held against 2026-07-28, for which it is listed; what it says of 2025-11-25 in passing is not judged.",
}

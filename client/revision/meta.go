package revision

// The members of _meta that take the place of the handshake: what each request
// says of the client, and each result of the server (2026-07-28, basic,
// "_meta").
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
)

// Other members of _meta that MCP defines.
const (
	// MetaLogLevel asks for the log messages of one request (2026-07-28).
	MetaLogLevel = "io.modelcontextprotocol/logLevel"
	// MetaSubscriptionID says to which subscription a message belongs
	// (2026-07-28).
	MetaSubscriptionID = "io.modelcontextprotocol/subscriptionId"
	// MetaRelatedTask says to which task a message belongs (2025-11-25).
	MetaRelatedTask = "io.modelcontextprotocol/related-task"
)

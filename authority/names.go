package authority

// Names of servers that do not exist. Nothing is sent to them.
const (
	otherResource = "https://other.example/mcp"
	otherIssuer   = "https://issuer.example"
)

package authority

// Invented servers, to which nothing is sent.
const (
	otherResource = "https://other.example/mcp"
	otherIssuer   = "https://issuer.example"
)

package oauth

// requirements maps the names of steps to the requirements of the specification.
var requirements = map[string]string{
	StepChallenge: "401 with WWW-Authenticate: Bearer and resource_metadata, or metadata at a well-known URI; scope says what to request (RFC 9728 §5.1, RFC 6750 §3)",
	StepLoad:      "credentials are kept by issuer, and are not used with another one",
	StepResource:  "resource_metadata of the challenge, else /.well-known/oauth-protected-resource with the path of the server, else without it; resource names the server, authorization_servers has one or more (RFC 9728 §3)",
	StepServer:    "the client chooses one of authorization_servers (RFC 9728 §7.6)",
	StepMetadata:  "/.well-known/oauth-authorization-server, else openid-configuration; issuer is identical to the requested issuer, code_challenge_methods_supported has S256 (RFC 8414 §3, OpenID Connect Discovery 1.0 §4)",
	StepClient:    "a registered client, else a client ID metadata document if the server supports that, else dynamic registration with a loopback redirect URI (RFC 7591 §3)",
	StepConsent:   "response_type=code, PKCE with S256, state, and resource, the URI of the server (RFC 8707); in the response the same state, and the issuer as iss (OAuth 2.1 §4.1, RFC 9207)",
	StepIdentity:  "the ID token is exchanged for an assertion for the authorization server (RFC 8693 §2)",
	StepToken:     "the code with its code_verifier, redirect_uri and resource, or the configured grant; access_token and token_type in the response (OAuth 2.1 §3.2)",
	StepRefresh:   "grant_type=refresh_token with the resource; a public client gets a new refresh token (OAuth 2.1 §4.3)",
	StepStore:     "mode 0600 or a keyring; the token is sent to the origin of its server only",
}

// Requirement returns the requirement of the specification for the step with a name.
func Requirement(step string) string { return requirements[step] }

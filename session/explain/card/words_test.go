package card_test

import (
	"strings"
	"testing"

	"mcptea/session/explain/card"
)

// words are words of the specification, of its ecosystem and of systems that people look up.
const words = `
SEP-414 SEP-985 SEP-986 SEP-990 SEP-991 SEP-1034 SEP-1046 SEP-1330 SEP-1577 SEP-1686 SEP-1699 SEP-1865 SEP-1932 SEP-1933 SEP-2127
SEP-2164 SEP-2322 SEP-2356 SEP-2468 SEP-2532 SEP-2549 SEP-2577 SEP-2640 SEP-2663 SEP-2998 SEP-3221 SEP-3415 sep-990 SEP3415
server-card ai-catalog mcpb dxt manifest.json user_config server.json registry CIMD DPoP DCR PKCE MRTR iss audience aud exp state nonce
resource_metadata invalid_grant invalid_client invalid_request invalid_scope unauthorized_client unsupported_grant_type access_denied
insufficient_scope invalid_token invalid_target use_dpop_nonce scope step-up refresh_token access_token id_token authorization_code
client_credentials private_key_jwt jwt-bearer token-exchange redirect_uri callback introspection revocation jwt jwks jwks_uri bearer
token_endpoint registration_endpoint offline_access authorization_pending code_challenge code_verifier S256 ID-JAG resource
.well-known /.well-known/oauth-protected-resource /.well-known/oauth-authorization-server /.well-known/openid-configuration
/.well-known/ai-catalog.json RFC_9728 traceparent tracestate baggage
ttlMs cacheScope resultType input_required requestState inputRequests inputResponses inputSchema outputSchema structuredContent nextCursor
cursor progressToken listChanged taskSupport pollInterval pollIntervalMs icons mimeType blob supportedVersions clientInfo serverInfo
protocolVersion capabilities instructions content isError readOnlyHint destructiveHint idempotentHint openWorldHint uri uriTemplate
resource_link requestId taskId requestedSchema elicitationId modelPreferences stopReason maxTokens hasMore execution annotations title
arguments statusMessage lastUpdatedAt websiteUrl includeContext systemPrompt temperature intelligencePriority sampling roots elicitation
Tool Resource Prompt CreateMessageRequestParams ToolAnnotations ClientCapabilities ServerCapabilities Implementation TextContent ImageContent
params.progressToken input_schema inputschema NextCursor tasks subscriptions/listen endTurn
stdio stdin stdout stderr streamable_http sse http+sse websocket session json-rpc batch notification pagination tool prompt host
version_negotiation cancellation timeout CORS DNS_rebinding tool_poisoning
ECONNREFUSED ECONNRESET EPIPE ENOENT EACCES EPERM EADDRINUSE ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENOEXEC EMFILE ENOSPC ENOTDIR EISDIR
ENOMEM EEXIST EAGAIN ESRCH E2BIG SIGTERM SIGKILL command_not_found
-32700 -32600 -32601 -32602 -32603 -32001 -32002 -32042 404 401 405 Mcp-Session-Id Last-Event-ID MCP-Protocol-Version Mcp-Param-x WWW-Authenticate
Origin Retry-After initialize tools/call tools/list ping notifications/progress notifications/cancelled server/discover logging/setLevel
J031 K001 S011 N003 io.modelcontextprotocol/events io.modelcontextprotocol/ui enterprise-managed_authorization emergency warning`

// Each word has a card, and the card is about the word.
func TestFind_Words(t *testing.T) {
	all := strings.Fields(words)
	if len(all) < 195 {
		t.Fatalf("%d words", len(all))
	}
	for _, word := range all {
		word = strings.ReplaceAll(word, "_", " ")
		found := false
		for _, spelled := range []string{word, strings.ReplaceAll(word, " ", "_")} { // one of them is the word
			if c, ok := card.Find(spelled, card.Where{}); ok && len(c.Lines()) > 0 {
				found = true
			}
		}
		if !found {
			t.Errorf("%s has no card", word)
		}
	}
}

// A member is described by the schemas: what it is a member of, its type, and the versions.
func TestFind_Member(t *testing.T) {
	c, ok := card.Find("ttlMs", card.Where{})
	if !ok || c.Kind != card.Member || !strings.Contains(c.What[0], "cached") {
		t.Fatalf("%+v", c)
	}
	c, ok = card.Find("outputSchema", card.Where{Revision: "2025-06-18"})
	if !ok || len(c.Facts) == 0 || !strings.HasPrefix(c.Facts[0].Text, "Tool: ") {
		t.Errorf("%+v", c)
	}
	if _, ok := card.Find("outputSchema", card.Where{Revision: "2024-11-05"}); ok {
		t.Error("2024-11-05 has no outputSchema")
	}
	if c, ok := card.Find("CreateMessageRequestParams", card.Where{}); ok && len(c.Facts) < 3 {
		t.Errorf("%+v", c)
	}
}

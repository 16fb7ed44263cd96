package failure

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client/transport"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func TestSaid_Bodies(t *testing.T) {
	const nginx = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>"
	const akamai = `<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access "http&#58;&#47;&#47;www&#46;a&#46;test&#47;" on this server.<P>Reference&#32;&#35;18&#46;1a&#46;2b</BODY></HTML>`
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"FastAPI", 422, `{"detail":[{"type":"missing","loc":["header","x-tenant-id"],"msg":"Field required","input":null}]}`, "header x-tenant-id: Field required"},
		{"ASP.NET", 400, `{"type":"https://a.test/1","title":"One or more validation errors occurred.","status":400,"errors":{"X-Workspace":["The X-Workspace field is required."]},"traceId":"00-1"}`, "The X-Workspace field is required."},
		{"Spring", 403, `{"timestamp":"2026-01-01","status":403,"error":"Forbidden","message":"No tenant for this host","path":"/mcp"}`, "No tenant for this host"},
		{"Spring without a message", 500, `{"timestamp":"2026-01-01","status":500,"error":"Internal Server Error","trace":"java.lang.X","path":"/mcp"}`, ""},
		{"RFC 9457", 403, `{"type":"about:blank","title":"Forbidden","status":403,"detail":"The project is archived"}`, "The project is archived"},
		{"JSON:API", 422, `{"errors":[{"code":"t","title":"Tenant missing","detail":"No tenant is selected"}]}`, "Tenant missing; No tenant is selected"},
		{"GraphQL", 400, `{"errors":[{"message":"Workspace header must be set","extensions":{"code":"BAD_USER_INPUT"}}]}`, "Workspace header must be set"},
		{"OAuth", 401, `{"error":"invalid_token","error_description":"The token is of another tenant"}`, "invalid_token: The token is of another tenant"},
		{"OAuth in the other order", 401, `{"error_description":"The token is of another tenant","error":"invalid_token"}`, "invalid_token: The token is of another tenant"},
		{"an inner error", 401, `{"error":{"code":"AuthenticationFailed","message":"Unauthorized","innererror":{"message":"Tenant 1 does not match 2"}}}`, "Tenant 1 does not match 2"},
		{"an error of JSON-RPC with data", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request","data":{"details":"The region is not enabled"}}}`, "The region is not enabled"},
		{"JSON in a string", 500, `{"error":"{\"message\":\"Upstream said no\"}"}`, "Upstream said no"},
		{"a reason below data", 400, `{"success":false,"data":{"reason":"Plan does not include MCP"}}`, "Plan does not include MCP"},
		{"a list", 400, `[{"error":{"json":{"message":"No procedure","code":-32004}}}]`, "No procedure"},
		{"an exception with a stack", 500, "System.InvalidOperationException: No handlers are registered.\n   at Microsoft.X.Y()\n\nHEADERS", "System.InvalidOperationException: No handlers are registered."},
		{"an exception in a page", 500, "<!DOCTYPE html><html><head><title>Error</title></head><body><pre>Error: quota of acme is used up<br> &nbsp; &nbsp;at handle (/srv/index.js:3:1)</pre></body></html>", "Error: quota of acme is used up"},
		{"a message in a page", 403, "<html><head><title>Blocked</title></head><body><h1>Blocked hosts: app.test</h1><p>Add it to config.hosts</p></body></html>", "Blocked hosts: app.test Add it to config.hosts"},
		{"XML", 403, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>The bucket policy denies this</Message></Error>`, "The bucket policy denies this"},
		{"a page of nginx", 502, nginx, ""},
		{"a page of an edge", 403, akamai, ""},
		{"a page that is not found", 404, "<html><title>Oops</title><body><p>We could not find the page that you are looking for</p></body></html>", ""},
		{"only the status", 404, `{"statusCode":404,"message":"Resource not found"}`, ""},
		{"nothing", 500, "", ""},
	} {
		err := &transport.StatusError{Method: http.MethodPost, URL: "http://a.test/mcp", Status: c.status, Body: []byte(c.body)}
		if said := Said(err); said != c.want {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
	}
}

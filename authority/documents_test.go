package authority_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"mcptea/authority"
)

// A website is the responses of web servers, by URL.
type website map[string]string

func (s website) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := s[r.URL.String()]
	resp := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
	switch {
	case !ok:
		resp.StatusCode, resp.Status = http.StatusNotFound, "404 Not Found"
	case strings.HasPrefix(body, "to "):
		resp.StatusCode, resp.Status = http.StatusFound, "302 Found"
		resp.Header.Set("Location", body[3:])
	}
	return resp, nil
}

// A client ID metadata document is fetched without redirects, and must be about itself.
func TestAuthorize_ClientIDMetadataDocument(t *testing.T) {
	const id = "https://client.example/metadata.json"
	document := func(id, more string) string {
		return `{"client_id":"` + id + `","client_name":"Client","redirect_uris":["http://127.0.0.1:1/callback"],"token_endpoint_auth_method":"none"` + more + `}`
	}
	site := website{
		id:                                  document(id, ""),
		"https://client.example/other.json": document(id, ""),
		"https://client.example/moved.json": "to " + id,
		"https://client.example/text":       "hello",
		"https://client.example/large":      document("https://client.example/large", `,"x":"`+strings.Repeat("x", 6<<10)+`"`),
		"https://client.example/secret":     document("https://client.example/secret", `,"client_secret":"s"`),
	}
	defer authority.SetDocuments(site)()
	for at, says := range map[string]string{
		id:                                    "",
		"https://client.example/other.json":   "has the client_id",
		"https://client.example/moved.json":   "has the status 302",
		"https://client.example/missing.json": "has the status 404",
		"https://client.example/text":         "is not a JSON object",
		"https://client.example/large":        "larger than 5 KiB",
		"https://client.example/secret":       "has a client_secret",
		"https://client.example":              "a URL without a path",
		"https://client.example/":             "a URL without a path",
		"https://u:p@client.example/a":        "a user name",
		"http://client.example/metadata.json": "is not registered",
	} {
		r := start(t, authority.Options{})
		got := r.send(http.MethodGet, "/authorize?"+authorization(at).Encode(), "", nil)
		switch {
		case says == "" && got.status != http.StatusFound, says != "" && (got.status != http.StatusBadRequest || !strings.Contains(got.body, says)):
			t.Errorf("%s: %d %s", at, got.status, got.body)
		case says == "":
			if token := r.token(exchange(at, got.redirected().Get("code")), nil); token.status != http.StatusOK {
				t.Errorf("token: %d %s", token.status, token.body)
			}
			if s := r.Summary(); len(s.Findings) != 0 || !strings.Contains(jsonOf(t, s), "client ID metadata document "+id) {
				t.Errorf("%+v", s)
			}
		}
	}
}

// A web page chooses the URL of a document: it is not fetched from this machine or a private network.
func TestAuthorize_DocumentsOfPublicServersOnly(t *testing.T) {
	r := start(t, authority.Options{})
	for _, at := range []string{"https://127.0.0.1:1/a", "https://localhost:1/a", "https://10.0.0.1/a", "https://169.254.169.254/a", "https://[::1]:1/a", "https://[fe80::1]/a", "https://0.0.0.0/a"} {
		got := r.send(http.MethodGet, "/authorize?"+authorization(at).Encode(), "", nil)
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "is not a public address") {
			t.Errorf("%s: %d %s", at, got.status, got.body)
		}
	}
}

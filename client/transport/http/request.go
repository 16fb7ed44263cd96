package http

import (
	"context"
	"mime"
	"net/http"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

const (
	// replyLimit is the maximum size of a Reply.
	replyLimit = 1 << 20
	// reportLimit is the maximum size of a body in a report.
	reportLimit = 16 << 10
)

var _ transport.Requester = (*Client)(nil)

// Request makes one exchange that carries no frame. Its report has the heads of both bodies,
// secrets masked. A response with any status is not an error.
func (c *Client) Request(ctx context.Context, r transport.Request) (transport.Reply, error) {
	header := r.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if Value(header, agentHeader) == "" {
		header.Set(agentHeader, agent)
	}
	ex := c.prepare(r.URL, r.Purpose, r.Method, header, r.Body)
	c.addSecrets(r.URL, header)
	c.secrets.AddForm(mediaType(header), r.Body)
	ex.Report.RequestBody = bodyHead(header, r.Body)
	c.Receiver.Exchange(ex.Report)
	if err := ex.roundTrip(ctx); err != nil {
		return transport.Reply{}, err
	}
	read := func() ([]byte, error) { return ex.Read(replyLimit) }
	if r.Purpose == transport.PurposeTrial {
		read = ex.readResponse
	}
	body, err := read()
	ex.Report.ResponseBody = []byte(c.secrets.Redact(string(bodyHead(ex.Response.Header, body))))
	ex.Finish(err)
	return transport.Reply{Status: ex.Report.Status, Header: ex.Response.Header, Body: body}, err
}

// mediaType returns the bare media type of a body, or empty.
func mediaType(h http.Header) string {
	media, _, _ := mime.ParseMediaType(Value(h, "Content-Type")) // empty if invalid
	return media
}

// bodyHead returns the head of a body for a report, secrets masked.
func bodyHead(h http.Header, body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	masked := secret.Body(mediaType(h), body)
	return masked[:min(len(masked), reportLimit)]
}

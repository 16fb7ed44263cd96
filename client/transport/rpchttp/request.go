package rpchttp

import (
	"context"
	"mime"
	"net/http"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

const (
	// replyLimit is for documents such as the metadata of a server.
	replyLimit = 1 << 20
	// shownLimit is how much of a body is in its report.
	shownLimit = 16 << 10
)

var _ transport.Requester = (*Wire)(nil)

// Request makes one exchange that carries no frame. Its report has the heads of
// both bodies, secrets masked. The errors are [ErrTooLong] and failures to
// reach the server; a status is none.
func (w *Wire) Request(ctx context.Context, r transport.Request) (transport.Reply, error) {
	header := r.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if Lookup(header, agentHeader) == "" {
		header.Set(agentHeader, agent)
	}
	ex := w.prepare(r.URL, r.Purpose, r.Method, header, r.Body)
	w.learn(r.URL, header)
	w.secrets.AddForm(mediaType(header), r.Body)
	ex.Report.RequestBody = shown(header, r.Body)
	w.Receiver.Exchange(ex.Report)
	if err := ex.do(ctx); err != nil {
		return transport.Reply{}, err
	}
	body, err := ex.Read(replyLimit)
	ex.Report.ResponseBody = []byte(w.secrets.Redact(string(shown(ex.Response.Header, body))))
	ex.Finish(err)
	return transport.Reply{Status: ex.Report.Status, Header: ex.Response.Header, Body: body}, err
}

// mediaType returns the bare media type of a body, "" if there is none.
func mediaType(h http.Header) string {
	media, _, _ := mime.ParseMediaType(Lookup(h, "Content-Type")) // an invalid one counts as none
	return media
}

// shown is what a report says of a body.
func shown(h http.Header, body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	masked := secret.Body(mediaType(h), body)
	return masked[:min(len(masked), shownLimit)]
}

package spelling

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
)

// maxLine is the longest line that is copied, in bytes.
const maxLine = 16 << 20

// Copy copies lines until r ends. It writes lines of JSON in the spelling.
func (s *Spelling) Copy(w io.Writer, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if _, err := io.WriteString(w, s.line(lines.Bytes())+"\n"); err != nil {
			return err
		}
	}
	return lines.Err()
}

// line respells one line on stdio, or of an event stream.
func (s *Spelling) line(line []byte) string {
	before, value := "", line
	if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
		before, value = "data: ", data
	}
	if value = bytes.TrimRight(value, "\r"); !jsonrpc.Valid(value) {
		return string(line)
	}
	return before + s.Write(value)
}

// Proxy returns a reverse proxy in front of an MCP server over HTTP: what the server sends is
// written in the spelling.
func (s *Spelling) Proxy(server *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		ErrorLog:      log.New(io.Discard, "", 0), // clients cancel requests on purpose
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = server.Scheme, server.Host
			r.Out.Host = server.Host
			// The server of net/http closes the body of a request once the response begins, and
			// an upstream request that still reads it would end with that.
			body, err := io.ReadAll(r.In.Body)
			r.Out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		},
		ModifyResponse: func(response *http.Response) error {
			kind := response.Header.Get("Content-Type")
			if !strings.HasPrefix(kind, "application/json") && !strings.HasPrefix(kind, "text/event-stream") {
				return nil
			}
			body := response.Body
			r, w := io.Pipe()
			go func() { w.CloseWithError(s.Copy(w, body)) }()
			response.Body = respelled{r, body}
			response.ContentLength = -1
			response.Header.Del("Content-Length")
			return nil
		},
	}
}

// failing is a reader of no bytes that ends with an error, or with the end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// respelled is a respelled body, which ends when the original one does.
type respelled struct {
	io.Reader
	from io.Closer
}

func (b respelled) Close() error {
	if c, ok := b.Reader.(io.Closer); ok {
		_ = c.Close()
	}
	return b.from.Close()
}

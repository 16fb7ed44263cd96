package tap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/system"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/tap/control"
	"mcptea/session/tap/pipeline"
)

// Proxy is a tap in front of a server over HTTP: a reverse proxy for the origin of the
// server. Its fields are set before [Proxy.Serve].
type Proxy struct {
	URL    *url.URL // URL of the server
	Target string   // target with its secrets redacted
	// Secrets holds the secrets of the target. Secrets of requests are added. If nil, there are
	// none.
	Secrets *secret.Values
	Header  http.Header // sent with each request, instead of the host's values
	TLS     mcphttp.TLS // settings for connections to the server
	// Names are host names that requests may use in the headers Host and Origin, besides the
	// address.
	Names []string
	// Record creates the recording of a session over a transport. It may be nil. If it fails, the
	// session runs without a recording.
	Record  func(transport string) (*store.Writer, error)
	Observe pipeline.Observe // observer, or nil
	// Baseline is a file with which the lists of the server are compared, or "". See
	// [baseline.Watch].
	Baseline string
	Gate     *intercept.Gate  // gate, or nil
	Control  *control.Control // socket that controls the Gate, or nil
	// Warn is called with a sentence for the user, from any goroutine.
	Warn func(text string)

	address    *url.URL // address of the proxy
	loopback   bool     // listens only on this machine
	reverse    *httputil.ReverseProxy
	transport  *mcphttp.Transport
	queue      *store.Queue
	sessions   sessions
	secrets    *secret.Values
	life       context.Context // context that ends with Serve
	background background
	refused    sync.Once // guards the warning about a certificate
}

const (
	// upstreamIdle is the time after which an idle connection to the server is closed. It is shorter than in
	// common servers, because a POST on a connection that the server is closing would fail.
	upstreamIdle  = 4 * time.Second
	headerTimeout = 10 * time.Second
	dialTimeout   = 30 * time.Second
	tlsTimeout    = 15 * time.Second
	// flushInterval is the flush interval for a body whose length is in the headers. Other bodies
	// are flushed as they arrive.
	flushInterval = 10 * time.Millisecond
	// shutdownGrace bounds the time that open exchanges get at the end.
	shutdownGrace = 500 * time.Millisecond
)

// Serve accepts hosts until the context ends. It returns when all recordings are
// complete.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	p.life = life
	p.prepare(l)
	recorded := pipeline.Start(p.queue)
	server := &http.Server{
		Handler: mcphttp.WithBodyTimeout(p, mcphttp.BodyTimeout), ReadHeaderTimeout: headerTimeout, ErrorLog: log.New(discard{}, "", 0),
		BaseContext: func(net.Listener) context.Context { return life },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	idle := time.NewTicker(idleTimeout / 10)
	defer idle.Stop()
	var err error
	for running := true; running; {
		select {
		case now := <-idle.C:
			p.queue.Call(func() { p.sessions.closeIdle(now) })
		case err = <-served:
			running = false
		case <-ctx.Done():
			last, done := context.WithTimeout(life, shutdownGrace)
			if server.Shutdown(last) != nil {
				end() // ends streams, which stay open as long as their session
				_ = server.Close()
			}
			done()
			err = <-served
			running = false
		}
	}
	end()
	p.background.Wait()
	p.transport.CloseIdleConnections()
	now := time.Now()
	p.queue.Call(func() { p.sessions.closeAll(now) })
	p.queue.Close()
	pipeline.Await(p.queue, recorded, p.Warn)
	if failed := p.queue.Err(); failed != nil {
		p.Warn(failed.Error())
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// discard is the log of net/http, which reports hosts that close connections. It drops the lines.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// buffers is the buffer pool of [httputil.ReverseProxy] for bodies.
type buffers struct{}

var bufferPool = sync.Pool{New: func() any { return new([readSize]byte) }}

func (buffers) Get() []byte { return bufferPool.Get().(*[readSize]byte)[:] }

func (buffers) Put(b []byte) { bufferPool.Put((*[readSize]byte)(b)) }

func (p *Proxy) prepare(l net.Listener) {
	p.address = &url.URL{Scheme: "http", Host: l.Addr().String()}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok {
		p.loopback = tcp.IP.IsLoopback()
	}
	if p.secrets = p.Secrets; p.secrets == nil {
		p.secrets = new(secret.Values)
	}
	p.queue = store.NewQueue()
	p.sessions.proxy = p
	p.transport = mcphttp.NewTransport(p.TLS, p.URL, &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: tlsTimeout, IdleConnTimeout: upstreamIdle, MaxIdleConnsPerHost: 64,
	})
	p.reverse = &httputil.ReverseProxy{
		Rewrite: p.rewrite, Transport: watched{p.transport}, FlushInterval: flushInterval, ModifyResponse: p.respond,
		ErrorHandler: p.failed, ErrorLog: log.New(discard{}, "", 0), BufferPool: buffers{},
	}
	if p.Gate != nil {
		p.Gate.OnChange(func(session string, c *record.Change) {
			now := time.Now()
			p.queue.Call(func() { p.sessions.change(session, now, c) })
		})
	}
}

// watched sends requests to the server, and records their TLS handshakes.
type watched struct{ *mcphttp.Transport }

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, handshake := mcphttp.Watch(r.Context())
	response, err := w.Transport.RoundTrip(r.WithContext(ctx))
	if t := handshake.Result(response, err); t != nil {
		f := flowOf(r)
		f.proxy.queue.Call(func() { f.record.report.TLS = t })
	}
	if response != nil {
		response.Request = r
	}
	return response, err
}

// ServeHTTP forwards one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := p.refuse(r); why != "" {
		http.Error(w, "mcptea tap: "+why, http.StatusForbidden)
		return
	}
	if !p.background.begin() {
		http.Error(w, "mcptea tap: the tap has ended", http.StatusServiceUnavailable)
		return
	}
	defer p.background.end()
	f := p.begin(r)
	defer f.end()
	// The response may begin before the end of the request. For HTTP/1, net/http must be told so.
	_ = http.NewResponseController(w).EnableFullDuplex()
	if f.holdRequest(w) {
		p.reverse.ServeHTTP(w, f.request)
	} else if f.dropped {
		panic(http.ErrAbortHandler)
	}
}

// refuse returns why a request is not forwarded, or "". The server cannot distinguish a web page of
// another site from a host, because the proxy replaces the Host and its own Origin, and adds
// credentials.
func (p *Proxy) refuse(r *http.Request) string { return system.SiteRefusal(r, p.loopback, p.Names) }

// upstream returns the URL at the server for a URL at the proxy. It adds the query of the server's
// URL, which may contain a secret. The host need not know it.
func (p *Proxy) upstream(u *url.URL) *url.URL {
	to := *u
	to.Scheme, to.Host, to.User = p.URL.Scheme, p.URL.Host, nil
	if to.RawQuery == "" && to.Path == p.URL.Path {
		to.RawQuery = p.URL.RawQuery
	}
	return &to
}

// forwardedHeaders are the headers that [httputil.ReverseProxy] removes and the tap keeps.
var forwardedHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// rewrite makes the request to the server. It sets the Host of the server. If the Origin is the
// origin of the proxy, it becomes the origin of the server.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	if small := flowOf(r.In).small; small != nil {
		r.Out.Body = io.NopCloser(bytes.NewReader(small))
	}
	r.Out.URL = p.upstream(r.In.URL)
	for _, name := range forwardedHeaders {
		if values := r.In.Header[name]; values != nil {
			r.Out.Header[name] = values
		}
	}
	r.Out.Host = p.setHeaders(r.In, r.Out.Header)
}

// setHeaders changes the headers of a host's request into the headers for the server: the origin of
// the server, the credentials in its URL, and the headers of the configuration. host is the value
// of the header Host, or "" for the host of the URL.
func (p *Proxy) setHeaders(in *http.Request, out http.Header) (host string) {
	if origin, err := url.Parse(in.Header.Get("Origin")); err == nil && p.isOwn(in, origin) {
		out.Set("Origin", mcphttp.Origin(p.URL))
	}
	for name, values := range mcphttp.DefaultHeaders(p.URL) {
		if name == "Authorization" && out.Get(name) == "" {
			out[name] = values // made from the user name and password in the URL
		}
	}
	mcphttp.SetHeaders(out, p.Header)
	host = mcphttp.Value(out, "Host")
	mcphttp.DeleteHeader(out, "Host")
	return host
}

// isOwn reports whether a URL is at the proxy. The proxy has the address that the host has used in
// the request.
func (p *Proxy) isOwn(r *http.Request, u *url.URL) bool {
	return u.Scheme == "http" && (u.Host == r.Host || u.Host == p.address.Host)
}

// respond prepares the response of the server for the host.
func (p *Proxy) respond(response *http.Response) error {
	f := flowOf(response.Request)
	f.responded(response.StatusCode, response.Header)
	if location := response.Header.Get("Location"); location != "" {
		response.Header.Set("Location", p.toOwn(f.request, location))
	}
	encoding := response.Header.Get("Content-Encoding")
	if mcphttp.MediaType(response.Header) == mcphttp.StreamType && (encoding == "" || encoding == "identity") {
		var endpoint func([]byte) []byte
		if f.request.Method == http.MethodGet && f.request.Header.Get(sessionHeader) == "" {
			endpoint = func(data []byte) []byte { return []byte(p.toOwn(f.request, endpointReference(data))) }
		}
		fixed := response.ContentLength >= 0
		if fixed && (endpoint != nil || p.Gate.Active()) {
			fixed = false
			response.ContentLength = -1
			response.Header.Del("Content-Length")
		}
		response.Body = newStream(f, response.Body, endpoint, fixed)
		return nil
	}
	return f.holdResponse(response)
}

// toOwn replaces the origin of the server in an absolute URL, so that the host stays
// with the proxy.
func (p *Proxy) toOwn(r *http.Request, reference string) string {
	u, err := url.Parse(reference)
	if err != nil || u.Host == "" || !mcphttp.SameOrigin(p.URL.ResolveReference(u), p.URL) {
		return reference
	}
	u = p.URL.ResolveReference(u)
	return "http://" + r.Host + strings.TrimPrefix(u.String(), u.Scheme+"://"+u.Host)
}

// setLength sets the length of a body after a change.
func setLength(r *http.Response, n int) {
	r.ContentLength = int64(n)
	r.Header.Set("Content-Length", strconv.Itoa(n))
}

// failed responds to a request for which the server has sent no response.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	f := flowOf(r)
	if f.dropped {
		panic(http.ErrAbortHandler)
	}
	err = system.NamedErrno(err)
	if reason := mcphttp.ReasonOf(err); reason == "certificate" || reason == "tls-alert" {
		p.refused.Do(func() {
			p.Warn(fmt.Sprintf("cannot reach %s: %v; mcptea info with the same URL and flags shows what to do", p.Target, err))
		})
	}
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	http.Error(w, "mcptea tap: cannot reach "+p.Target+": "+err.Error(), http.StatusBadGateway)
}

package hostpage

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Config configures a page: its content, and the handlers for its messages. Handlers are called one at a time,
// and the page waits for them.
type Config struct {
	HTML   []byte
	Policy string // Content-Security-Policy of the document; directives of the sandbox are added
	Allow  string // permissions, in the format of the attribute allow
	Bare   bool   // without a border

	// Message receives each message of the app as JSON text, and owns it.
	Message func(raw []byte)
	// Event is called with the events that the page reports.
	Event func(Event)
	// Gone is called once, when the page has ended or does not read.
	Gone func(why error)
}

// Event is a report of the page. Fields that it does not concern are zero.
type Event struct {
	Connected     bool // the page is in the browser
	Width, Height int  // size of the window, in CSS pixels
	Lost          int  // messages of the app that were dropped because of their number or size
	// Violation is a report of the browser that the policy has blocked something, as the
	// browser has sent it: JSON that the app can forge.
	Violation []byte
}

// Look is the appearance of the page.
type Look struct {
	Display string `json:"display"` // "inline", "fullscreen" or "pip"
	Theme   string `json:"theme"`   // "light" or "dark"
	Width   int    `json:"width"`   // width of the app, in CSS pixels
	Height  int    `json:"height"`
	Name    string `json:"name"`  // untrusted text
	State   string `json:"state"` // a few words
}

// TokenLife is for how long the address of a page can be opened.
const TokenLife = 10 * time.Minute

// maxQueued bounds the bytes that wait for the page to read.
const maxQueued = 64 << 20

var errSlow = errors.New("the page in the browser does not read its messages")

// Page is the page of one app. Its methods may be called from any goroutine.
type Page struct {
	cfg       Config
	host, box origin
	path      string // path of the sandbox, with a slash at both ends
	token     string // good for one request
	key       string
	expires   time.Time

	receiving sync.Mutex // while a request of the page or the browser is handled
	gone      sync.Once
	ctx       context.Context // ends with the page
	end       context.CancelFunc

	mu      sync.Mutex
	used    bool // the token
	queue   [][]byte
	queued  int           // bytes
	wake    chan struct{} // has one slot
	reading bool          // the page has its stream
	ended   bool          // no more commands are queued
}

// An origin is one of the two servers.
type origin struct {
	address string // host and port
	server  *http.Server
	done    chan struct{}
}

func (o *origin) url() string { return "http://" + o.address }

// Serve starts the servers of a page. The caller closes it.
func Serve(ctx context.Context, cfg Config) (*Page, error) {
	p := &Page{cfg: cfg, path: "/" + random() + "/", key: random(), token: random(), wake: make(chan struct{}, 1), expires: time.Now().Add(TokenLife)}
	p.ctx, p.end = context.WithCancel(context.Background())
	if err := p.host.listen(ctx, http.HandlerFunc(p.serveHost)); err != nil {
		p.end()
		return nil, err
	}
	if err := p.box.listen(ctx, http.HandlerFunc(p.serveSandbox)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// random returns a text of letters and digits with at least 128 random bits.
func random() string { return rand.Text() }

// maxHeader bounds the headers of a request.
const maxHeader = 16 << 10

// listen serves on a free port of the loopback interface.
func (o *origin) listen(ctx context.Context, h http.Handler) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("cannot listen for the browser: %w", err)
	}
	o.address, o.done = listener.Addr().String(), make(chan struct{})
	server := &http.Server{Handler: exactHost(o.address, h), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: maxHeader}
	o.server = server
	go func() {
		defer close(o.done)
		_ = server.Serve(listener) // it ends with Close
	}()
	return nil
}

// URL returns the address to open in a browser. It works once.
func (p *Page) URL() string { return p.host.url() + "/a/" + p.token }

// Expires returns when the address becomes invalid.
func (p *Page) Expires() time.Time { return p.expires }

// Ports returns the ports of the host page and of the sandbox.
func (p *Page) Ports() []string {
	var ports []string
	for _, o := range []*origin{&p.host, &p.box} {
		_, port, _ := strings.Cut(o.address, ":")
		ports = append(ports, port)
	}
	return ports
}

// Origin returns the origin of the host page.
func (p *Page) Origin() string { return p.host.url() }

// Send sends a message to the app: JSON in UTF-8. If too many messages wait for the page, the page is ended.
func (p *Page) Send(frame []byte) {
	p.command(struct {
		Do   string `json:"do"`
		Text string `json:"text"`
	}{"message", string(frame)})
}

// Show changes the appearance of the page.
func (p *Page) Show(l Look) {
	p.command(struct {
		Do string `json:"do"`
		Look
	}{"show", l})
}

// command sends a command to the page.
func (p *Page) command(c any) {
	line, err := json.Marshal(c)
	if err != nil {
		return // strings and numbers always marshal
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if p.queued += len(line); p.queued > maxQueued && p.reading {
		p.ended = true
		go p.leave(errSlow)
		return
	}
	p.queue = append(p.queue, append(line, '\n'))
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// leave reports the end of the page.
func (p *Page) leave(why error) {
	p.gone.Do(func() {
		if p.ctx.Err() == nil && p.cfg.Gone != nil {
			p.cfg.Gone(why)
		}
	})
}

// closeGrace is the time that the page gets to read the last messages.
const closeGrace = time.Second

// End sends the page the reason why the app is closed, and closes it.
func (p *Page) End(why string) {
	p.command(struct {
		Do  string `json:"do"`
		Why string `json:"why"`
	}{"end", why})
	p.Close()
}

// Close closes the page and frees the ports. Nothing is reported after that.
func (p *Page) Close() {
	p.end()
	p.mu.Lock()
	p.ended, p.used = true, true
	p.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), closeGrace)
	defer stop()
	for _, o := range []*origin{&p.host, &p.box} {
		if o.server == nil {
			continue
		}
		if o.server.Shutdown(ctx) != nil {
			_ = o.server.Close() // the page does not read
		}
		<-o.done
	}
}

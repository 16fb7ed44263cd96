package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// connect connects to the server of a task; the caller closes.
func connect(ctx context.Context, t task, cfg client.Config) (*client.Client, error) {
	cfg.Name, cfg.Version = "mcptea-conformance", "1"
	cfg.Timeout = 10 * time.Second
	if cfg.Revision == "" {
		cfg.Revision = t.revision
	}
	c := client.New(client.Target{URL: t.url, Transport: client.TransportHTTP}, narrator{}, cfg)
	if err := c.Connect(ctx); err != nil {
		hangUp(c)
		return nil, err
	}
	return c, nil
}

func hangUp(c *client.Client) {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	_ = c.Close(ctx)
}

// narrator prints what happens to stderr, which the suite keeps beside its
// verdict.
type narrator struct{}

func (narrator) Frame(f transport.Frame) transport.Ref {
	fmt.Fprintf(os.Stderr, "%s %s\n", map[transport.Direction]string{transport.Out: ">", transport.In: "<"}[f.Dir], f.Bytes)
	return transport.Ref{}
}

func (narrator) Exchange(x transport.Exchange) {
	if x.Phase == transport.ExchangeSent {
		fmt.Fprintf(os.Stderr, "# %s %s (%s)\n", x.Method, x.URL, x.Purpose)
		return
	}
	fmt.Fprintf(os.Stderr, "# %s %s: %d %s\n", x.Method, x.URL, x.Status, x.Err)
}

func (narrator) Step(s client.Step) {
	fmt.Fprintf(os.Stderr, "# %s %s: %s\n", s.State, s.Name, s.Detail)
}

func (narrator) Stderr(transport.Line)          {}
func (narrator) Process(transport.ProcessEvent) {}
func (narrator) Lost(id jsonrpc.ID, err error)  { fmt.Fprintf(os.Stderr, "# %s is lost: %v\n", id, err) }

package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

const methodDiscover = "server/discover"

// ErrNoVersions says that the answer to server/discover is none.
var ErrNoVersions = errors.New(`the result of server/discover has no "supportedVersions"`)

// DiscoverError says that server/discover led to nothing.
type DiscoverError struct {
	Err           error
	InitializeErr error // why initialize had been refused before; nil when it was not sent
	Attempts      int   // how often it was asked, when that is known
}

// Error gives both reasons.
func (e *DiscoverError) Error() string {
	if e.InitializeErr == nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("initialize was refused (%v), and so was what came next: %v", e.InitializeErr, e.Err)
}

// Unwrap returns the later reason: the earlier one is what made us ask.
func (e *DiscoverError) Unwrap() error { return e.Err }

// isModern reports whether initialize was refused in the way of a server that
// has no handshake: it names a revision without one, does not know the method,
// or misses what only requests without handshake have (2026-07-28, basic /
// versioning, "Backward Compatibility with Initialization-Based Versions"). A
// list of revisions that all have a handshake counts for more than the code.
func isModern(refused error) bool {
	var revisions *RevisionError
	var rpc *RPCError
	var status *transport.StatusError
	switch {
	case errors.As(refused, &revisions):
		return revisions.Selected == string(revision.NewestModern) || namesModern(revisions.Listed)
	case errors.As(refused, &rpc):
		return rpc.Code == jsonrpc.CodeMethodNotFound || isModernRefusal(rpc)
	case errors.As(refused, &status):
		// Who checks the headers first may answer without the id.
		body := Response{Frame: status.Body, Envelope: jsonrpc.Scan(status.Body)}
		return errors.As(body.Err(), &rpc) && (rpc.Code == jsonrpc.CodeMethodNotFound || isModernRefusal(rpc))
	}
	return false
}

func isModernRefusal(e *RPCError) bool {
	switch e.Code {
	case revision.CodeHeaderMismatch, revision.CodeMissingCapability, revision.CodeUnsupportedVersion:
		return true
	}
	modern := string(revision.NewestModern)
	return strings.Contains(e.Message, modern) || strings.Contains(string(e.Data), modern)
}

func namesModern(listed []string) bool { return slices.Contains(listed, string(revision.NewestModern)) }

// discover asks the server what it is (2026-07-28, server / discover). There is
// nothing to agree on: each request says which revision it is of, this one too.
func (c *Client) discover(ctx context.Context, list *checklist) error {
	c.goModern()
	ask := func() (Response, error) {
		return c.askWhat(ctx, &stepsOfQuestion{list: list}, c.NextID(), c.cfg.ConnectTimeout, c.cfg.ConnectTimeout)
	}
	answer, err := c.persist(ctx, list, StepDiscover, ask)
	if err == nil && refusesAndNames(answer) {
		answer, err = ask()
	}
	if err != nil {
		return c.explainSilence(err)
	}
	h, err := c.discovered(answer)
	if err != nil {
		return err
	}
	c.enter(list, h)
	return nil
}

// refusesAndNames reports whether a server will not have a revision that it
// lists: that may be a matter of the first request alone.
func refusesAndNames(a Response) bool {
	return a.Err() != nil && namesModern(supportedRevisions(a))
}

// goModern makes all that follows speak without handshake.
func (c *Client) goModern() {
	c.modern.Store(true)
	c.transport().Negotiated(string(revision.NewestModern))
}

// askWhat sends server/discover and takes an answer as long as it is open;
// patience is what the steps promise. A server that does not answer is not told
// that nobody waits any more: one with a handshake would be the worse for it.
func (c *Client) askWhat(ctx context.Context, step *stepsOfQuestion, id jsonrpc.ID, patience, open time.Duration) (Response, error) {
	frame := jsonrpc.AppendRequest(nil, id, methodDiscover, withMeta(nil, c.clientMeta()))
	step.asking(c.target.String(), patience)
	return c.do(ctx, call{
		id: id, method: methodDiscover, frame: frame, timeout: open, silent: true,
		onSent: func() {
			step.asked(fmt.Sprintf("%d bytes, speaks %s", len(frame), revision.NewestModern), patience)
		},
	})
}

// enter ends the connecting to a server without handshake.
func (c *Client) enter(list *checklist, h Handshake) {
	list.finish(StepResponse, fmt.Sprintf("%s, revision %s", h.Server, h.Revision))
	c.mu.Lock()
	c.handshake = h
	c.unexpected, c.connected = nil, true
	c.mu.Unlock()
	list.begin(StepReady, "", 0)
	list.finish(StepReady, "no handshake: each request stands alone")
}

// discovered reads the answer to server/discover.
func (c *Client) discovered(a Response) (Handshake, error) {
	h := Handshake{
		Revision: revision.NewestModern, Offered: revision.NewestModern,
		Result: a.Result(), ClientCaps: c.statelessCapabilities(),
	}
	if err := a.Err(); err != nil {
		if listed := supportedRevisions(a); len(listed) > 0 && !namesModern(listed) {
			err = &RevisionError{Offered: h.Offered, Listed: listed}
		}
		return h, err
	}
	versions, ok := jsonrpc.Member(h.Result, "supportedVersions")
	if !ok || versions[0] != '[' {
		return h, ErrNoVersions
	}
	if listed := texts(versions); !namesModern(listed) {
		return h, &RevisionError{Offered: h.Offered, Listed: listed}
	}
	h.ServerCaps, _ = jsonrpc.Member(h.Result, "capabilities")
	h.Instructions = text(h.Result, "instructions")
	info, _ := jsonrpc.Member(h.Result, "_meta", revision.MetaServerInfo)
	h.Server = implementation(info)
	return h, nil
}

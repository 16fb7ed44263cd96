package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"mcptea/client/revision"
	"mcptea/client/transport"
)

// speaksModern reports whether connecting begins without handshake and without
// asking.
func (c *Client) speaksModern() bool {
	return c.cfg.Revision.IsModern() || c.cfg.Revision == "" && c.cfg.Era == revision.EraModern
}

// probes reports whether connecting begins with a question.
func (c *Client) probes() bool {
	return c.cfg.Revision == "" && c.cfg.Era == revision.EraUnknown && c.target.Transport != TransportSSE
}

// offer is the revision that a handshake begins with.
func (c *Client) offer() revision.Revision {
	if c.cfg.Revision.IsLegacy() || c.cfg.Revision != "" && !c.cfg.Revision.Known() {
		return c.cfg.Revision
	}
	return revision.NewestLegacy
}

// offerOverSSE is what a handshake over the transport of 2024-11-05 begins with:
// no later revision than 2025-03-26 knows how to speak with servers that have
// nothing else.
func (c *Client) offerOverSSE() revision.Revision {
	if c.cfg.Revision == "" {
		return revision.R20250326
	}
	return c.offer()
}

// agree finds out who the server is and what is spoken (2026-07-28, basic /
// versioning, "Backward Compatibility with Initialization-Based Versions"). A
// revision that was asked for is the only one that is tried.
func (c *Client) agree(ctx context.Context, list *checklist) error {
	pinned := c.cfg.Revision
	switch {
	case pinned.IsModern():
		c.rule(revision.EraModern, EraPinned, "%s was asked for", pinned)
		return c.discoverAlone(ctx, list, nil)
	case pinned != "":
		c.rule(revision.EraLegacy, EraPinned, "%s was asked for", pinned)
		return c.shakeHands(ctx, list, pinned)
	case c.target.Transport == TransportSSE:
		c.rule(revision.EraLegacy, EraPinned, "HTTP+SSE was asked for, which no revision without handshake has")
		return c.shakeHands(ctx, list, c.offerOverSSE())
	case c.cfg.Era != revision.EraUnknown:
		return c.remembered(ctx, list)
	}
	return c.probe(ctx, list)
}

// remembered connects as the server was found the last time, and asks it anew
// when that does not work any more.
func (c *Client) remembered(ctx context.Context, list *checklist) error {
	c.rule(c.cfg.Era, EraRemembered, "it was %s when it was connected to before", c.cfg.Era)
	var err error
	if c.cfg.Era == revision.EraModern {
		err = c.discoverAlone(ctx, list, nil)
	} else {
		err = c.legacy(ctx, list, c.offer())
	}
	_, ok := c.transport().(*autoTransport)
	gone := c.redial != nil && hasEnded(err)
	if !gone && !isRefusal(err) && !c.isSilence(err) || ok && mayBeSSE(err, list) {
		return err
	}
	because := fmt.Sprintf("that does not work any more: %v", err)
	if gone && c.cfg.Era == revision.EraModern {
		return c.restart(ctx, list, finding{err: err, because: because})
	}
	c.rule(revision.EraUnknown, EraCorrected, "%s", because)
	list.stop(err)
	if gone {
		c.restarted = true // initialize is what it ended at
		if err := c.startAnew(ctx, list, stepsOfProbe); err != nil {
			return err
		}
	} else {
		list.replan(stepsOfProbe...)
	}
	c.goLegacy()
	return c.probe(ctx, list)
}

// hasEnded reports whether the server ended at what it was told.
func hasEnded(err error) bool {
	var closed *ClosedError
	return errors.As(err, &closed) && !errors.Is(err, ErrClosed)
}

// isSilence reports whether a server did not answer that is there: over HTTP
// that would be known by the connection alone.
func (c *Client) isSilence(err error) bool {
	var late *TimeoutError
	return errors.As(err, &late) && c.target.URL == ""
}

// legacy does the handshake. When it is refused in the way of a server that has
// none, the server is asked what it is.
func (c *Client) legacy(ctx context.Context, list *checklist, offer revision.Revision) error {
	refused := c.shakeHands(ctx, list, offer)
	if !isModern(refused) {
		return refused
	}
	c.rule(revision.EraModern, EraCorrected, "initialize was refused: %v", refused)
	list.stop(refused)
	list.replan(stepsOfDiscovery...)
	c.forgetOddities() // they were about the handshake
	return c.discoverAlone(ctx, list, refused)
}

// discoverAlone asks a server that is taken for one without handshake.
func (c *Client) discoverAlone(ctx context.Context, list *checklist, refused error) error {
	if err := c.discover(ctx, list); err != nil {
		return &DiscoverError{Err: err, InitializeErr: refused}
	}
	return nil
}

// goLegacy makes all that follows speak with a handshake.
func (c *Client) goLegacy() {
	c.modern.Store(false)
	c.transport().Negotiated("")
	c.forgetOddities()
}

func (c *Client) forgetOddities() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unexpected, c.garbled = nil, false
}

// isRefusal reports whether the server understood that it was spoken to and
// would not have it, so that speaking otherwise may help.
func isRefusal(err error) bool {
	var rpc *RPCError
	var revisions *RevisionError
	var status *transport.StatusError
	switch {
	case errors.As(err, &status):
		switch status.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
			return false
		}
		return status.Status/100 == 4
	case errors.As(err, &rpc), errors.As(err, &revisions), errors.Is(err, ErrNoVersions):
		return true
	}
	return false
}

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Handshake is what the two sides told each other (specification, basic /
// lifecycle; 2026-07-28, server / discover). All bytes are raw JSON and may be kept.
type Handshake struct {
	Revision     revision.Revision
	Offered      revision.Revision // what we asked for
	Unknown      string            // what the server calls its revision when nobody has released that
	Server       Implementation
	Instructions string
	ServerCaps   []byte // nil when the server sent none
	ClientCaps   []byte
	Result       []byte // the whole result
}

// Implementation is how a side names itself.
type Implementation struct{ Name, Title, Version string }

// HasCapability reports whether the server declared a capability, such as
// "tools", or a member of one.
func (h Handshake) HasCapability(path ...string) bool {
	v, ok := jsonrpc.Member(h.ServerCaps, path[0], path[1:]...)
	return ok && string(v) != "null" && string(v) != "false"
}

// Handshake returns what was agreed on, the zero value before that.
func (c *Client) Handshake() Handshake {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handshake
}

// RevisionError says that the two sides have no revision in common.
type RevisionError struct {
	Offered  revision.Revision
	Selected string   // what the server wants to speak; empty when it refused
	Listed   []string // what it says it supports
}

// Error says what was offered and what was answered.
func (e *RevisionError) Error() string {
	switch {
	case e.Selected == string(revision.NewestModern) || e.Selected == "" && namesModern(e.Listed):
		return fmt.Sprintf("the server speaks %s, which has no handshake (offered: %s)", revision.NewestModern, e.Offered)
	case e.Offered.IsModern():
		return fmt.Sprintf("the server supports %s, and not %s, in which it was asked", listing(e.Listed), e.Offered)
	case e.Selected != "":
		return fmt.Sprintf("the server wants to speak revision %q, which is none of MCP's (offered: %s)", e.Selected, e.Offered)
	}
	return fmt.Sprintf("the server supports %s, and mcptea speaks none of these (offered: %s)", listing(e.Listed), e.Offered)
}

// listing writes what a server calls revisions; what is not one stands in
// quotation marks.
func listing(revisions []string) string {
	if len(revisions) == 0 {
		return "nothing"
	}
	said := make([]string, len(revisions))
	for i, r := range revisions {
		said[i] = r
		if _, err := time.Parse(time.DateOnly, r); err != nil {
			said[i] = strconv.Quote(r)
		}
	}
	return strings.Join(said, ", ")
}

// shakeHands sends initialize, judges the answer, and sends initialized. A
// server that refuses the revision but names others gets one more try.
func (c *Client) shakeHands(ctx context.Context, list *checklist, offer revision.Revision) error {
	answer, err := c.persist(ctx, list, StepInitialize, func() (Response, error) { return c.initialize(ctx, list, offer) })
	if err == nil && answer.Err() != nil {
		listed := supportedRevisions(answer)
		next, ok := revision.NewestCommonLegacy(listed)
		switch {
		case namesModern(listed):
			return &RevisionError{Offered: offer, Listed: listed}
		case ok && next != offer:
			offer = next
			answer, err = c.initialize(ctx, list, offer)
		case len(listed) > 0:
			return &RevisionError{Offered: offer, Listed: listed}
		}
	}
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return c.explainSilence(err)
	}
	h, err := c.judge(answer, offer)
	if err != nil {
		return err
	}
	list.finish(StepResponse, fmt.Sprintf("%s, %s", h.Server, h.remark()))
	return c.initialized(ctx, list, h)
}

func (c *Client) initialize(ctx context.Context, list *checklist, offer revision.Revision) (Response, error) {
	id := c.NextID()
	frame := jsonrpc.AppendRequest(nil, id, "initialize", Params(map[string]any{
		"protocolVersion": offer,
		"capabilities":    c.capabilities(offer),
		"clientInfo":      map[string]string{"name": c.cfg.Name, "version": c.cfg.Version},
	}))
	list.begin(StepInitialize, c.target.String(), c.cfg.ConnectTimeout)
	return c.do(ctx, call{
		id: id, method: "initialize", frame: frame, timeout: c.cfg.ConnectTimeout,
		onSent: func() {
			list.finish(StepInitialize, fmt.Sprintf("%d bytes, offers %s", len(frame), offer))
			list.begin(StepResponse, "", c.cfg.ConnectTimeout)
		},
	})
}

// remark says which revision came of it, and what is odd about that.
func (h Handshake) remark() string {
	switch {
	case h.Unknown != "":
		return fmt.Sprintf("revision %q, which nobody has released, taken for %s because of --lenient", h.Unknown, h.Revision)
	case h.Revision.Before(h.Offered):
		return fmt.Sprintf("revision %s, negotiated down from %s", h.Revision, h.Offered)
	case h.Offered.Before(h.Revision):
		return fmt.Sprintf("revision %s, newer than the %s that was offered: a fault of the server", h.Revision, h.Offered)
	}
	return "revision " + string(h.Revision)
}

// initialized ends the handshake.
func (c *Client) initialized(ctx context.Context, list *checklist, h Handshake) error {
	c.mu.Lock()
	c.handshake = h
	c.unexpected, c.connected = nil, true
	c.mu.Unlock()
	c.transport().Negotiated(string(h.Revision))
	list.begin(StepInitialized, "", c.cfg.ConnectTimeout)
	ctx, stop := c.withTimeout(ctx, c.cfg.ConnectTimeout, context.DeadlineExceeded)
	defer stop()
	if err := c.Notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	list.finish(StepInitialized, "ready")
	return nil
}

// ResultError says that the result of initialize is none.
type ResultError struct {
	Result []byte // its head
}

// Error names what is missing.
func (e *ResultError) Error() string {
	if !bytes.HasPrefix(bytes.TrimSpace(e.Result), []byte("{")) {
		return "the result of initialize is no object"
	}
	return `the result of initialize has no "protocolVersion"`
}

// supportedRevisions reads the list that a refusal may carry, whatever its
// code: servers have used several.
func supportedRevisions(a Response) []string {
	var rpc *RPCError
	if !errors.As(a.Err(), &rpc) {
		return nil
	}
	list, _ := jsonrpc.Member(rpc.Data, "supported")
	return texts(list)
}

// texts are the strings in an array.
func texts(list []byte) []string {
	var found []string
	for item := range jsonrpc.Elements(list) {
		if s, ok := jsonrpc.Unquote(item); ok {
			found = append(found, s)
		}
	}
	return found
}

// judge reads the result of initialize.
func (c *Client) judge(a Response, offer revision.Revision) (Handshake, error) {
	result := a.Result()
	h := Handshake{
		Offered:    offer,
		Result:     result,
		ClientCaps: c.capabilities(offer),
	}
	h.ServerCaps, _ = jsonrpc.Member(result, "capabilities")
	h.Instructions = text(result, "instructions")
	info, _ := jsonrpc.Member(result, "serverInfo")
	h.Server = implementation(info)
	version := text(result, "protocolVersion")
	h.Revision = revision.Revision(version)
	if version == "" {
		return h, &ResultError{Result: head(result, 200)}
	}
	if h.Revision.IsLegacy() {
		return h, nil
	}
	if !c.cfg.Lenient || h.Revision.Known() {
		return h, &RevisionError{Offered: offer, Selected: version}
	}
	h.Revision, h.Unknown = revision.NewestLegacyBefore(version), version
	if h.Revision == "" {
		h.Revision = offer
	}
	return h, nil
}

func implementation(info []byte) Implementation {
	return Implementation{Name: text(info, "name"), Title: text(info, "title"), Version: text(info, "version")}
}

// String is the name and the version.
func (i Implementation) String() string {
	if i.Name == "" {
		return "an unnamed server"
	}
	if i.Version == "" {
		return i.Name
	}
	return i.Name + " " + i.Version
}

func text(object []byte, name string, more ...string) string {
	v, _ := jsonrpc.Member(object, name, more...)
	s, _ := jsonrpc.Unquote(v)
	return s
}

// unexpectedFrame is something that came in place of the answer to initialize.
type unexpectedFrame struct {
	kind  unexpectedKind
	id    jsonrpc.ID
	fault jsonrpc.Fault
	at    int
	bytes []byte
}

type unexpectedKind uint8

const (
	notMessage        unexpectedKind = iota // bytes that are no message
	unmatchedResponse                       // an answer to nothing that was asked
)

// garbledGrace is how long the wait goes on after a frame that was probably meant as
// the answer.
const garbledGrace = 2 * time.Second

// noteUnexpected remembers the first oddity of the handshake. What looks like a spoilt
// answer shortens the wait; a banner does not, since the answer may follow.
// The caller holds c.mu.
func (c *Client) noteUnexpected(o unexpectedFrame) {
	if c.connected {
		return
	}
	spoilt := o.kind == unmatchedResponse || o.fault != jsonrpc.FaultNoMember && containsVersion(o.bytes)
	if c.unexpected == nil || spoilt && !c.garbled {
		c.unexpected = &o
	}
	c.garbled = c.garbled || spoilt
	if !spoilt {
		return
	}
	for _, p := range c.pending {
		select {
		case p.garbled <- struct{}{}:
		default:
		}
	}
}

// explainSilence adds what came in place of the answer.
func (c *Client) explainSilence(err error) error {
	c.mu.Lock()
	o := c.unexpected
	c.mu.Unlock()
	if o == nil {
		return err
	}
	var timeout *TimeoutError
	var closed *ClosedError
	if !errors.As(err, &timeout) && !errors.As(err, &closed) {
		return err
	}
	return &NoResponseError{Err: err, WrongID: o.id, Fault: o.fault, At: o.at, Bytes: o.bytes}
}

// NoResponseError is a handshake that was never answered, but something else was
// said in its place.
type NoResponseError struct {
	Err     error         // the timeout, or the end of the connection
	WrongID jsonrpc.ID    // id of an answer to nothing; empty when Bytes are no message
	Fault   jsonrpc.Fault // why Bytes are no message
	At      int           // offset of the fault in Bytes
	Bytes   []byte        // the head of what came
}

// Error says what was sent in place of the answer.
func (e *NoResponseError) Error() string {
	if e.WrongID != "" {
		return fmt.Sprintf("%v, but one came with id %s: an answer must carry the id of its request, unchanged", e.Err, e.WrongID)
	}
	return fmt.Sprintf("%v; the server sent this instead, which is %s: %q", e.Err, e.Fault, e.Bytes)
}

// Unwrap returns the timeout or the end of the connection.
func (e *NoResponseError) Unwrap() error { return e.Err }

package chromium

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// script is a context of the page that evaluates expressions.
type script struct {
	session string
	id      int
}

type answer struct {
	result json.RawMessage
	err    error
}

// A message is a message of the DevTools protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type failure struct {
	Message string `json:"message"`
}

// attach attaches to a new page and to the frames that it loads.
func (b *Browser) attach(ctx context.Context) error {
	var target struct {
		TargetID string `json:"targetId"`
	}
	// The first page is available when the processes of the browser have started: only [Start] bounds the wait.
	if err := b.await(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	err := b.await(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	if err != nil {
		return err
	}
	b.session = attached.SessionID
	if err := b.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil); err != nil {
		return err
	}
	for _, m := range setup {
		if err := b.call(ctx, b.session, m.method, m.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// setup lists the requests for a page and for each frame with its own process.
var setup = []struct {
	method string
	params map[string]any
}{
	{"Runtime.enable", nil},
	{"Log.enable", nil},
	{"Network.enable", nil},
	{"Page.enable", nil},
	{"Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}},
	{"Runtime.runIfWaitingForDebugger", nil},
}

// read reads the browser's messages until it ends.
func (b *Browser) read() {
	defer b.settleAll(errEnded)
	for r := bufio.NewReader(b.from); ; {
		text, err := readMessage(r)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		if m.ID != 0 {
			b.answered(m)
		} else {
			b.happened(m)
		}
		b.changed.Notify()
	}
}

// settleAll fails the pending requests when the browser has ended. Later requests fail immediately.
func (b *Browser) settleAll(reason error) {
	b.mu.Lock()
	waiting := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	for _, to := range waiting {
		to <- answer{err: reason}
	}
	close(b.ended)
}

// readMessage reads a message up to its zero byte. A message that is too long is cut and therefore not valid
// JSON.
func readMessage(r *bufio.Reader) (text []byte, err error) {
	for {
		part, err := r.ReadSlice(0)
		if len(text) <= maxMessage {
			text = append(text, part...)
		}
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

func (b *Browser) answered(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if to := b.waiting[m.ID]; to != nil {
		a := answer{result: m.Result}
		if m.Error != nil {
			a.err = errors.New(m.Error.Message)
		}
		to <- a // never blocks: it has one slot
	}
	delete(b.waiting, m.ID)
}

// happened handles an event. A new frame is set up before its scripts run.
func (b *Browser) happened(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch size := len(m.Params); {
	case strings.HasPrefix(m.Method, "Network.") && m.Method != "Network.loadingFailed":
	case len(b.events) >= maxEvents || b.eventBytes+size > maxEventBytes:
		b.lost = true
	default:
		b.eventBytes += size
		b.events = append(b.events, Event{m.Method, m.Params, time.Now()})
	}
	var p struct {
		Context            struct{ ID int }
		ExecutionContextID int
		SessionID          string
	}
	_ = json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "Runtime.executionContextCreated":
		if len(b.scripts) < maxContexts {
			b.scripts = append(b.scripts, script{m.Session, p.Context.ID})
		}
	case "Runtime.executionContextDestroyed":
		b.forget(func(s script) bool { return s == script{m.Session, p.ExecutionContextID} })
	case "Runtime.executionContextsCleared":
		b.forget(func(s script) bool { return s.session == m.Session })
	case "Target.detachedFromTarget":
		b.forget(func(s script) bool { return s.session == p.SessionID })
	case "Target.attachedToTarget":
		first := b.lastID + 1
		b.lastID += len(setup)
		go b.setUp(p.SessionID, first)
	}
}

// setUp configures a frame, with requests starting at an id. It does not wait for their results.
func (b *Browser) setUp(session string, id int) {
	for i, one := range setup {
		_ = b.write(message{ID: id + i, Session: session, Method: one.method}, one.params) // the browser may have ended
	}
}

func (b *Browser) forget(gone func(script) bool) {
	kept := b.scripts[:0]
	for _, s := range b.scripts {
		if !gone(s) {
			kept = append(kept, s)
		}
	}
	b.scripts = kept
}

func (b *Browser) write(m message, params any) error {
	if params != nil {
		text, err := json.Marshal(params)
		if err != nil {
			return err
		}
		m.Params = text
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	_ = b.pipe.SetWriteDeadline(time.Now().Add(callTimeout)) // if this fails, writing fails too
	_, err = b.pipe.Write(append(text, 0))
	return err
}

// call sends a request and waits for the result, which a script that never ends can hold back.
func (b *Browser) call(ctx context.Context, session, method string, params, result any) error {
	ctx, stop := context.WithTimeoutCause(ctx, callTimeout, ErrTimeout)
	defer stop()
	return b.await(ctx, session, method, params, result)
}

// await sends a request and waits for the result, until the context ends.
func (b *Browser) await(ctx context.Context, session, method string, params, result any) error {
	got := make(chan answer, 1)
	b.mu.Lock()
	if b.waiting == nil {
		b.mu.Unlock()
		return fmt.Errorf("%s: %w", method, errEnded)
	}
	b.lastID++
	id := b.lastID
	b.waiting[id] = got
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.waiting, id)
		b.mu.Unlock()
	}()
	if err := b.write(message{ID: id, Session: session, Method: method}, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case a := <-got:
		if a.err == nil && result != nil {
			a.err = json.Unmarshal(a.result, result)
		}
		if a.err != nil {
			return fmt.Errorf("%s: %w", method, a.err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}

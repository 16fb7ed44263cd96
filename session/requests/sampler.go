package requests

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/shell"
)

const (
	// samplerTimeout bounds the time of a sampler for one request. It is less than requestTimeout.
	samplerTimeout = 4 * time.Minute
	// maxSamplers bounds the concurrent samplers; more requests wait.
	maxSamplers = 4
	// maxSampled is the largest result of a sampler, in bytes.
	maxSampled = 16 << 20
	// maxSamplerStderr bounds the part of its stderr that is kept.
	maxSamplerStderr = 4 << 10
)

// Sample makes a command respond to a sampling request that waits for the user.
func (b *Inbox) Sample(id jsonrpc.ID, command string) error {
	ctx, stop := context.WithCancel(context.Background())
	b.mu.Lock()
	r := b.find(id, 0)
	if r == nil || r.stop != nil {
		b.mu.Unlock()
		stop()
		return errNotWaiting
	}
	r.stop = stop
	request := *r
	b.mu.Unlock()
	b.session.Changed()
	b.session.Go(func() { b.sample(ctx, &request, command) })
	return nil
}

// sample responds to a request with the result that a command prints: it gets the
// params on stdin and prints the result, both as JSON. A command that fails is an
// error response with the reason.
func (b *Inbox) sample(ctx context.Context, request *Request, line string) {
	select {
	case b.samplers <- struct{}{}:
		defer func() { <-b.samplers }()
	case <-ctx.Done():
		return // the request was withdrawn, or the user has responded
	}
	params := request.Params
	if params == nil {
		params = []byte("{}")
	}
	out, err := shell.Run(ctx, shell.Command{
		Line: line, Stdin: params, Timeout: samplerTimeout, MaxStdout: maxSampled, MaxStderr: maxSamplerStderr,
	})
	if ctx.Err() != nil {
		return
	}
	b.keepStderr(request, []byte(secret.Text(string(out.Stderr))))
	r := samplerResponse(out, err)
	_ = b.send(request.ID, r, "sampler") // it fails if the request was withdrawn or the connection has ended
}

func samplerResponse(out shell.Output, err error) response {
	refused := func(reason string) response {
		return response{state: Refused, code: jsonrpc.CodeInternalError, message: "sampler failed: " + secret.Text(reason)}
	}
	result := bytes.TrimSpace(out.Stdout)
	switch {
	case err != nil:
		return refused(shell.Reason(err, out))
	case out.Cut:
		return refused("its result is larger than 16 MB")
	case len(result) == 0 || result[0] != '{' || !json.Valid(result):
		return refused("its standard output is not a JSON object")
	}
	var line bytes.Buffer
	_ = json.Compact(&line, result) // a message over stdio is one line
	return resultResponse(line.Bytes())
}

// keepStderr stores the stderr output of a sampler.
func (b *Inbox) keepStderr(request *Request, text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.find(request.ID, request.Conn); r != nil && len(text) > 0 {
		r.Stderr = text
	}
}

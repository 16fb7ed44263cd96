package agent

import (
	"context"
	"strconv"
	"strings"

	"mcptea/internal/server/peer"
)

// templates offers frames and recordings as resources.
func (a *agent) templates() []*peer.Entry {
	entry := func(name, title, uri, kind, description string, run peer.Run) *peer.Entry {
		return &peer.Entry{Key: uri, Waits: true, Fleeting: true, Run: run, Wire: peer.Encode(map[string]string{
			"name": name, "title": title, "uriTemplate": uri, "mimeType": kind, "description": description,
		})}
	}
	return []*peer.Entry{
		entry("frame", "Frame", "mcptea://{connection}/frame/{number}", "application/json", "The bytes of a recorded frame", a.frameResource),
		entry("traffic", "Traffic", "mcptea://{connection}/traffic", "text/plain", "The newest 500 frames of a connection, one line each", a.trafficResource),
	}
}

// A resourceInput holds the variables of the templates.
type resourceInput struct{ Connection, Number string }

// textContents is the part of contents other than the URI and the type.
type textContents struct {
	Text string `json:"text"`
}

func (a *agent) frameResource(_ context.Context, call *peer.Call) (any, error) {
	var in resourceInput
	if err := call.Decode(&in); err != nil {
		return nil, err
	}
	number, err := strconv.ParseInt(in.Number, 10, 32)
	if err != nil {
		return nil, call.NotFound("a URI is mcptea://CONNECTION/frame/NUMBER or mcptea://CONNECTION/traffic")
	}
	c, err := a.find(in.Connection)
	if err != nil {
		return nil, call.NotFound(err.Error())
	}
	_, body, err := c.body(int32(number))
	if err != nil {
		return nil, call.NotFound(err.Error())
	}
	text, _ := part(body, 0, maxText)
	return textContents{text}, nil
}

func (a *agent) trafficResource(ctx context.Context, call *peer.Call) (any, error) {
	var in resourceInput
	if err := call.Decode(&in); err != nil {
		return nil, err
	}
	c, err := a.use(ctx, in.Connection)
	if err != nil {
		return nil, call.NotFound(err.Error())
	}
	out, err := turn{Context: ctx, connection: c}.traffic(trafficInput{Limit: 500})
	if err != nil {
		return nil, call.NotFound(err.Error())
	}
	return textContents{strings.Join(out.Frames, "\n")}, nil
}

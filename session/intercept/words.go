package intercept

import (
	"fmt"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// Text describes the decision.
func (d Decision) Text() string {
	switch d.Action {
	case Drop:
		return "The frame was dropped."
	case Duplicate:
		return "The frame was forwarded twice."
	case Delay:
		return fmt.Sprintf("The frame is forwarded in %s.", d.Delay)
	case Respond:
		return "Responded by hand."
	}
	if d.Bytes != nil {
		return "The frame was forwarded as edited."
	}
	return "The frame was forwarded."
}

// Subject returns the tool, prompt or URI of a held request.
func (h *Held) Subject() string {
	const most = 16 << 10 // a longer frame takes too long: Subject is called at each painting
	if h.Kind != jsonrpc.Request || len(h.Bytes) > most {
		return ""
	}
	params, _ := jsonrpc.Member(h.Bytes, "params")
	for _, name := range []string{"name", "uri"} {
		if text := jsonrpc.Text(params, name); text != "" {
			return text
		}
	}
	return ""
}

// Name names a held frame in a list.
func (h *Held) Name() string {
	name := strings.TrimSpace(h.Method + " " + h.Subject())
	if h.Kind.IsResponse() {
		name = h.Kind.String() + " of " + name
	}
	if h.Row >= 0 {
		name = "#" + strconv.Itoa(int(h.Row)+1) + " " + name
	}
	return strings.TrimSpace(name)
}

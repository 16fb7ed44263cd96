package behavior

import (
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// answer handles the client's response to a request of the server.
func (r *reader) answer(m *store.Match) {
	how := "result"
	switch action := jsonrpc.Text(m.Envelope.Result.Of(m.Bytes), "action"); {
	case m.Kind() == jsonrpc.ErrorResponse:
		how = "error"
	case m.Method == client.MethodElicitation && slices.Contains(actions, action):
		how = action
	}
	r.answered(m.Method, how)
}

var actions = []string{"accept", "decline", "cancel"}

// inputs handles the client's answers in the inputResponses of a call.
func (r *reader) inputs(params []byte) {
	for _, result := range jsonrpc.Members(jsonrpc.Get(params, "inputResponses")) {
		switch action := jsonrpc.Text(result, "action"); {
		case slices.Contains(actions, action):
			r.answered(client.MethodElicitation, action)
		case jsonrpc.Get(result, "roots") != nil:
			r.answered(client.MethodRoots, "result")
		default:
			r.answered(client.MethodSampling, "result")
		}
	}
}

func (r *reader) answered(method, how string) {
	if method != client.MethodElicitation && method != client.MethodRoots && method != client.MethodSampling {
		return
	}
	all := r.client.Answers[method]
	i := slices.IndexFunc(all, func(c Count) bool { return c.How == how })
	if i < 0 {
		r.client.Answers[method] = append(all, Count{how, 1})
		return
	}
	all[i].Times++
}

// answerKinds maps the server requests that clients answer in different ways to their names in a profile.
var answerKinds = map[string]string{client.MethodElicitation: "elicitation", client.MethodSampling: "sampling", client.MethodRoots: "roots"}

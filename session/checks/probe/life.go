package probe

import (
	"context"

	"mcptea/client"
)

// unknownMethod is a method that no server has: the error that it leads to is a sign of life
// of a server that answers nothing else.
const unknownMethod = "mcptea/no-such-method"

// chooseLife finds a request that the server answers, whatever it answers: what it is asked
// for behind a frame to see whether it goes on. It is empty if the server answers none of
// those that it should.
func (r *Run) chooseLife(ctx context.Context) {
	for i, method := range r.signs() {
		o := r.runner.shared.exchange(ctx, r.runner.shared.Request(method, ""), patient, r.runner.responseTimeout())
		r.runner.setPremise(method, "", o)
		if r.report.Sent++; o.Kind <= Refused {
			r.runner.life = method
			if i == 0 {
				r.runner.note(&r.runner.pings, o.Took)
			}
			return
		}
		if r.runner.shared.connect(ctx) != nil {
			break
		}
	}
	r.runner.life = ""
}

// signs are the requests that may be a sign of life, the cheapest first.
func (r *Run) signs() []string {
	first := "ping"
	if r.IsStateless() {
		first = "server/discover"
	}
	all := []string{first}
	for _, kind := range client.ListKinds {
		if r.Server.Offers(kind) {
			all = append(all, kind.Method)
		}
	}
	return append(all, unknownMethod)
}

// signOfLife is the method of [Run.chooseLife]; the first candidate without one.
func (r *Runner) signOfLife() string {
	switch {
	case r.life != "":
		return r.life
	case r.server.Revision.IsStateless():
		return "server/discover"
	}
	return "ping"
}

// SignOfLife is the method of a request that this server answers.
func (r *Run) SignOfLife() string { return r.runner.signOfLife() }

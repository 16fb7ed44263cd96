package probe

import (
	"context"

	"mcptea/client"
)

// unknownMethod is a method that no server has. Even its error is a sign of life.
const unknownMethod = "mcptea/no-such-method"

// chooseLife finds a request that the server answers in any way, for checking whether it is alive after a
// frame. If there is no such request, life stays empty.
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

// signs returns the candidates for chooseLife, cheapest first.
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

// signOfLife returns the method chosen by [Run.chooseLife], or the first candidate.
func (r *Runner) signOfLife() string {
	switch {
	case r.life != "":
		return r.life
	case r.server.Revision.IsStateless():
		return "server/discover"
	}
	return "ping"
}

// SignOfLife returns a method that this server answers.
func (r *Run) SignOfLife() string { return r.runner.signOfLife() }

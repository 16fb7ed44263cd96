package events

import (
	"mcptea/record/webhook"
	"mcptea/session/events"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// planExample is an example of deliberate responses.
const planExample = "500*2,delay=12s,307,challenge=wrong"

// noPlan is the text shown if there is no plan.
const noPlan = "No delivery is refused on purpose."

// planHint describes the effect of a plan, and where it ends.
func planHint(plan webhook.Plan) string {
	n := len(plan.Deliveries)
	switch {
	case n == 0:
		return "Verifications of the callback are answered so."
	case plan.Deliveries[n-1].Count == 0:
		return "Deliveries that would be accepted are answered so, in this order; the last item is for all later ones."
	}
	return "The next deliveries that would be accepted are answered so, in this order."
}

// respond asks for the deliberate responses to the next deliveries.
func (p *Pane) respond(k *kind) {
	server := p.ofWebhook(k).server
	read := func(text string) (webhook.Plan, error) {
		if text == "" {
			return webhook.Plan{}, nil
		}
		return webhook.ParsePlan(text)
	}
	dialog.Prompt{
		Title: "Refuse deliveries on purpose", Verb: "set", Value: server.Plan().String(),
		Text: "What to answer to the next deliveries, with commas between: a status, such as 500, 410 or 307; 200 to accept; delay=12s to answer late; challenge=wrong for the verification of a callback. *2 is for two of them, * for all later ones.",
		Hint: func(text string) string {
			plan, _ := read(text)
			if plan.IsEmpty() {
				return noPlan
			}
			return planHint(plan)
		},
		Check: func(text string) error { _, err := read(text); return err },
		Accept: func(text string) (func(), error) {
			plan, err := read(text)
			return func() {
				server.Respond(plan)
				p.app.Say(paint.If(plan.IsEmpty(), noPlan, "Deliveries are answered with "+plan.String()+"."))
			}, err
		},
	}.Open(p.app)
}

// planOf returns the rest of the plan for the deliveries of a subscription.
func (p *Pane) planOf(s *events.State) string {
	if r := p.receivers[s.Number]; r != nil {
		return r.server.Plan().String()
	}
	return ""
}

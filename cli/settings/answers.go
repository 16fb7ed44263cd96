package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/client/jsonrpc"
	"mcptea/session/requests"
)

const answerHint = `Write --answer KIND=HOW. KIND is sampling, elicitation or roots, HOW is one of:
  ask         the user replies in the inspector
  accept      action accept with defaults and examples (elicitation), or the roots (roots)
  decline     action decline (elicitation), or an error (sampling)
  cancel      action cancel (elicitation)
  error       a JSON-RPC error
  none        do not declare the capability
  @file.json  the result in this file
  {…}         this result`

// Policies returns how server requests are answered: by default the inspector shows
// them to the user, and commands do not declare the capabilities.
func (p *Settings) Policies(inspector bool) (requests.Policies, error) {
	var all requests.Policies
	if inspector {
		all.Sampling.Mode, all.Elicitation.Mode = requests.PolicyUser, requests.PolicyUser
	}
	seen := map[string]bool{}
	for _, word := range p.Flags.Answers {
		kind, how, ok := strings.Cut(word, "=")
		policies := map[string]*requests.Policy{"sampling": &all.Sampling, "elicitation": &all.Elicitation, "roots": &all.Roots}
		switch {
		case !ok || policies[kind] == nil:
			return all, app.Usage(answerHint, "--answer: invalid value %q", word)
		case seen[kind]:
			return all, app.Usage("Set each kind once.", "--answer %s is set twice", kind)
		case how == "ask" && !inspector:
			return all, app.Usage("Use decline, cancel, error, none, @file.json or JSON.", "--answer %s=ask requires the inspector", kind)
		}
		seen[kind] = true
		policy, err := policyOf(p.Ctx, kind, how)
		if err != nil {
			return all, err
		}
		*policies[kind] = policy
	}
	if line := strings.TrimSpace(p.Flags.Sampler); line != "" {
		if seen["sampling"] {
			return all, app.Usage("Omit one of the flags.", "--sampler and --answer sampling=… exclude each other")
		}
		all.Sampling = requests.Policy{Mode: requests.PolicyCommand, Command: line}
		seen["sampling"] = true
	}
	p.Flags.asClient(&all, inspector, seen)
	return all, nil
}

// NotOffered returns the capabilities that the inspector offers and this command does not:
// "sampling" and "elicitation". The command offers them only with a flag, which was not given. A
// server may therefore list less. A connection that already exists keeps its capabilities.
func (p *Settings) NotOffered() (kinds []string) {
	if p.Flags.Attach != "" {
		return nil
	}
	for _, kind := range []string{"sampling", "elicitation"} {
		given := func(word string) bool { return strings.HasPrefix(word, kind+"=") }
		if !slices.ContainsFunc(p.Flags.Answers, given) && (kind != "sampling" || p.Flags.Sampler == "") {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

var policyModes = map[string]requests.PolicyMode{
	"ask": requests.PolicyUser, "decline": requests.PolicyDecline, "cancel": requests.PolicyCancel,
	"error": requests.PolicyError, "none": requests.PolicyNone, "accept": requests.PolicyAccept,
}

func policyOf(ctx context.Context, kind, how string) (requests.Policy, error) {
	switch mode, ok := policyModes[how]; {
	case how == "accept" && kind == "sampling", how == "none" && kind == "roots":
		return requests.Policy{}, app.Usage(answerHint, "--answer: %s does not apply to %s", how, kind)
	case how == "accept" && kind == "roots":
		return requests.Policy{}, nil // the client responds with the saved answers
	case ok:
		return requests.Policy{Mode: mode}, nil
	}
	raw, where := []byte(how), "--answer "+kind+"="+how
	if file, ok := strings.CutPrefix(how, "@"); ok {
		var err error
		if raw, err = app.ReadText(ctx, file, app.MaxStdin); err != nil {
			return requests.Policy{}, app.InputError("", "--answer "+kind, err)
		}
		where = file
	}
	raw = bytes.TrimSpace(raw)
	var one bytes.Buffer
	if len(raw) == 0 || raw[0] != '{' || json.Compact(&one, raw) != nil {
		return requests.Policy{}, app.Usage(answerHint, "%s: not a JSON object", where)
	}
	if _, ok := jsonrpc.Member(raw, "action"); kind == "elicitation" && !ok {
		return requests.Policy{}, app.Usage(`Write it as {"action":"accept","content":{…}}.`, "%s: a reply to elicitation requires \"action\"", where)
	}
	return requests.Policy{Mode: requests.PolicyResult, Result: one.Bytes()}, nil
}

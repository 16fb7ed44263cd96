package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"mcptea/cli/input"
	"mcptea/client/jsonrpc"
	"mcptea/session/inbox"
)

const answerHint = `Write --answer KIND=HOW. KIND is sampling or elicitation, HOW is one of:
  ask         a person answers in the inspector
  decline     no
  cancel      nobody chose
  error       an error
  none        do not offer it to the server
  @file.json  the result in this file
  {…}         this result`

// policies say who answers what a server asks. In the inspector that is the
// person at it, elsewhere nobody, unless a flag says otherwise.
func (p *program) policies(inspector bool) (inbox.Policies, error) {
	var all inbox.Policies
	if inspector {
		all.Sampling.Mode, all.Elicitation.Mode = inbox.PolicyUser, inbox.PolicyUser
	}
	seen := map[string]bool{}
	for _, word := range p.flags.answers {
		kind, how, ok := strings.Cut(word, "=")
		policies := map[string]*inbox.Policy{"sampling": &all.Sampling, "elicitation": &all.Elicitation}
		switch {
		case !ok || policies[kind] == nil:
			return all, usage(answerHint, "--answer is given %q", word)
		case seen[kind]:
			return all, usage("Name each of them once.", "--answer %s is given twice", kind)
		case how == "ask" && !inspector:
			return all, usage("Choose decline, cancel, error, none, @file.json or JSON.", "--answer %s=ask needs the inspector: there is nobody to ask here", kind)
		}
		seen[kind] = true
		policy, err := policyOf(p.ctx, kind, how)
		if err != nil {
			return all, err
		}
		*policies[kind] = policy
	}
	return all, nil
}

var policyModes = map[string]inbox.PolicyMode{
	"ask": inbox.PolicyUser, "decline": inbox.PolicyDecline, "cancel": inbox.PolicyCancel,
	"error": inbox.PolicyError, "none": inbox.PolicyNone,
}

func policyOf(ctx context.Context, kind, how string) (inbox.Policy, error) {
	if mode, ok := policyModes[how]; ok {
		return inbox.Policy{Mode: mode}, nil
	}
	raw, where := []byte(how), "--answer "+kind+"="+how
	if file, ok := strings.CutPrefix(how, "@"); ok {
		var err error
		if raw, err = input.ReadFile(ctx, file, inputLimit); err != nil {
			return inbox.Policy{}, inputError("", "--answer "+kind, err)
		}
		where = file
	}
	raw = bytes.TrimSpace(raw)
	var one bytes.Buffer
	if len(raw) == 0 || raw[0] != '{' || json.Compact(&one, raw) != nil {
		return inbox.Policy{}, usage(answerHint, "%s is no JSON object", where)
	}
	if _, ok := jsonrpc.Member(raw, "action"); kind == "elicitation" && !ok {
		return inbox.Policy{}, usage(`It looks like {"action":"accept","content":{…}}.`, "%s has no action, so it is no answer to elicitation", where)
	}
	return inbox.Policy{Mode: inbox.PolicyResult, Result: one.Bytes()}, nil
}

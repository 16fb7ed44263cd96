package trial

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mcptea/authority"
	"mcptea/client/jsonrpc"
)

// A StepUp is a tool whose calls require a scope that other requests do not.
type StepUp struct{ Tool, Scope string }

// ParseStepUps parses texts of the form TOOL=SCOPE.
func ParseStepUps(texts []string) (all []StepUp, err error) {
	for _, text := range texts {
		tool, scope, ok := strings.Cut(text, "=")
		if !ok || tool == "" || scope == "" {
			return nil, fmt.Errorf("%q names no tool and scope", text)
		}
		all = append(all, StepUp{tool, scope})
	}
	return all, nil
}

// tryStepUp calls a tool with a token without its scope, which the server must reject with 403, then with the scope.
func (t *trial) tryStepUp(ctx context.Context, s StepUp) Result {
	r := Result{
		Token: "step-up " + s.Tool, Summary: fmt.Sprintf("a call of %s without the scope %s", s.Tool, s.Scope), Verdict: Pass,
		Spec: "MCP authorization, scope challenge handling; RFC 6750 §3.1 insufficient_scope",
		Fix:  "Return 403 with error=\"insufficient_scope\" and scope=\"" + s.Scope + "\" in WWW-Authenticate, before the tool is carried out.",
	}
	say := func(v Verdict, format string, args ...any) {
		r.Verdict, r.Message = v, authority.Redact(fmt.Sprintf(format, args...))
	}
	few, all := t.grant, t.grant
	few.Scope = strings.Join(slices.DeleteFunc(strings.Fields(few.Scope), func(have string) bool { return have == s.Scope }), " ")
	all.Scope = strings.TrimSpace(few.Scope + " " + s.Scope)
	begun := t.send(ctx, message{scheme: "Bearer", token: t.Authority.Access(all), keepSession: true})
	if !begun.accepted {
		say(Unjudged, "The server rejects a right token with the scopes %s: %v.", all.Scope, begun)
		return r
	}
	call := message{
		scheme: "Bearer", session: begun.header.Get("Mcp-Session-Id"), method: "tools/call",
		params: `{"name":` + jsonrpc.Quote(s.Tool) + `,"arguments":{}}`,
	}
	defer func() {
		if call.session != "" {
			t.endSession(ctx, call)
		}
	}()
	call.token = t.Authority.Access(few)
	got := t.send(ctx, call)
	r.Status, r.Challenge = got.status, authority.Redact(got.challenge())
	if !got.accepted {
		r.Body = excerpt(got.body)
	}
	call.token = t.Authority.Access(all)
	control := t.send(ctx, call)
	switch {
	case control.status == http.StatusUnauthorized || control.status == http.StatusForbidden || !control.replied:
		say(Unjudged, "The server rejects the call with the scope %s, too: %v.", s.Scope, control)
	case got.status/100 == 2 && got.replied && !got.accepted && control.accepted:
		say(Warning, "The server rejects the call only in the body: the status is %d instead of 403, which clients need.", got.status)
	case got.status/100 == 2 && got.replied:
		say(Error, "The server carries out a call of %s without the scope %s.", s.Tool, s.Scope)
	case got.err != nil && got.status == 0:
		say(Error, "The server sends no response to a call without the scope: %v.", got.err)
	case got.status != http.StatusForbidden:
		say(Warning, "The server returns %d instead of 403 to a call without the scope.", got.status)
	default:
		if complaint := challengeOf(got).scopeComplaint(); complaint != "" {
			say(Warning, "%s", complaint)
		}
	}
	return r
}

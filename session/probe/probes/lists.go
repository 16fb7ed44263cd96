package probes

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

func pageWalk(r *probe.Run) {
	for _, kind := range client.ListKinds {
		list := r.Server.Lists[kind.Name]
		if list == nil {
			continue
		}
		if list.Problem != "" {
			r.Case(kind.Method)
			r.Error("The list cannot be read: %s.", list.Problem)
			continue
		}
		seen := map[string]bool{}
		for _, item := range list.Items {
			name := jsonrpc.Text(item, kind.Key)
			if seen[name] {
				r.Case(kind.Method)
				r.About(lint.Error, kind.Noun+":"+name, "The %s %q is listed twice.", kind.Noun, name)
			}
			seen[name] = true
		}
		for i, page := range list.Pages {
			items, _ := jsonrpc.Member(page.Result(), kind.Member)
			if len(bytes.Trim(items, "[] \n\t")) == 0 && i < len(list.Pages)-1 {
				r.Case(kind.Method)
				r.Warn("Page %d of %s is empty, and more pages follow.", i+1, kind.Method)
			}
		}
	}
}

func listStable(r *probe.Run) {
	c := r.Fresh()
	for _, kind := range client.ListKinds {
		list := r.Server.Lists[kind.Name]
		if list == nil || list.Problem != "" {
			continue
		}
		again := r.Walk(c, kind)
		if again.Problem != "" {
			continue
		}
		before, after := names(list, kind), names(again, kind)
		if slices.Equal(before, after) {
			continue
		}
		slices.Sort(before)
		slices.Sort(after)
		severity := lint.Warn
		switch {
		case slices.Equal(before, after):
			r.Warn("%s returns another order on a second connection.", kind.Method)
		case r.IsStateless():
			severity = lint.Error
			fallthrough
		default:
			r.About(severity, "", "%s returns other entries on a second connection: %s.", kind.Method, difference(before, after))
		}
	}
}

func names(l *probe.List, kind client.ListKind) []string {
	var all []string
	for _, item := range l.Items {
		all = append(all, jsonrpc.Text(item, kind.Key))
	}
	return all
}

// difference names up to three entries that only one of two sorted lists has.
func difference(before, after []string) string {
	var parts []string
	for _, n := range before {
		if !slices.Contains(after, n) {
			parts = append(parts, "without "+n)
		}
	}
	for _, n := range after {
		if !slices.Contains(before, n) {
			parts = append(parts, "with "+n)
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], "…")
	}
	return strings.Join(parts, ", ")
}

func cursorBad(r *probe.Run) {
	kind, ok := r.Server.FirstList()
	if r.SkipIf(!ok, "capability with a list") {
		return
	}
	cursors := []string{`"mcptea-invalid-cursor"`, `1`}
	pages := false
	for _, l := range r.Server.Lists {
		if len(l.Cursors) > 0 && l.Kind.Method == kind.Method {
			pages = true
			if text, isText := jsonrpc.Unquote([]byte(l.Cursors[0])); isText && text != "" {
				last := text[len(text)-1]
				cursors = append(cursors, probe.JSON(text[:len(text)-1]+string(rune(last^1))))
			}
		}
	}
	hasPages := func(*probe.Run, sample, probe.Outcome) bool { return pages }
	try(r, provoke, named(kind.Method+" with the cursor ", cursors, func(cursor string) sample {
		return sample{method: kind.Method, params: `{"cursor":` + cursor + `}`}
	}),
		verdict{and(isResult, hasPages), lint.Warn, kind.Method + " accepts the invalid cursor {what}, although the server has pages."},
		verdict{isResult, lint.Info, kind.Method + " ignores the cursor {what}; the server has no pages."},
		verdict{errorBut(jsonrpc.CodeInvalidParams), lint.Info, kind.Method + " replied to the cursor {what} with error {code}; -32602 is expected."},
	)
}

// definitionsByClient compares the lists that clients of other names get.
func definitionsByClient(r *probe.Run) {
	for _, name := range []string{"claude-ai", "cursor-vscode"} {
		c := r.Fresh(func(cfg *client.Config) { cfg.Name = name })
		for _, kind := range client.ListKinds {
			list := r.Server.Lists[kind.Name]
			if list == nil || list.Problem != "" {
				continue
			}
			again := r.Walk(c, kind)
			if again.Problem != "" || len(again.Items) != len(list.Items) {
				if again.Problem == "" {
					r.Warn("A client with the name %q gets %d %s, mcptea %d.", name, len(again.Items), kind.Name, len(list.Items))
				}
				continue
			}
			for i := range again.Items {
				if !bytes.Equal(again.Items[i], list.Items[i]) {
					r.About(lint.Warn, kind.Noun+":"+jsonrpc.Text(list.Items[i], kind.Key), "A client with the name %q gets another definition of the %s %q.", name, kind.Noun, jsonrpc.Text(list.Items[i], kind.Key))
					break
				}
			}
		}
		r.Close(c)
	}
}

package probes

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema"
	"mcptea/lint"
)

// missesService matches the messages of runtimes and databases about an unreachable service. That is not a
// mistake of the server.
var missesService = lazyregexp.New(`(?i)\b(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EAI_AGAIN|connection refused|no such host|no route to host|password authentication failed|access denied for user)\b`)

func pageWalk(r *probe.Run) {
	for _, kind := range client.ListKinds {
		list := r.Server.Lists[kind.Name]
		if list == nil {
			continue
		}
		if list.IsUnknown() {
			if kind.Name != client.Templates.Name { // no specification requires the method of templates
				r.UnknownList(kind)
			}
			continue
		}
		if list.Problem != "" {
			last := list.Pages[len(list.Pages)-1]
			about := r.Case(kind.Method, last)
			if missesService().MatchString(last.Message) {
				about.Named("unreadable").Advise("Check the server again where it reaches what it needs.").Warn("The list cannot be read: %s. The server does not reach a service that it needs.", list.Problem)
				continue
			}
			if len(list.Pages) == 1 {
				about = about.Advise("Return a result with the list, also while there is nothing to list. If the list needs credentials or a service, check the server with them.")
			}
			about.Named("unreadable").Error("The list cannot be read: %s.", list.Problem)
			continue
		}
		for i, page := range list.Pages {
			items, _ := jsonrpc.Member(page.Result(), kind.Member)
			if len(bytes.Trim(items, "[] \n\t")) == 0 && i < len(list.Pages)-1 {
				r.Case(kind.Method, page).Warn("Page %d of %s is empty, and more pages follow.", i+1, kind.Method)
			}
		}
	}
}

func listStable(r *probe.Run) {
	c := r.Ready()
	for kind, list := range completeLists(r) {
		again := r.Walk(c, kind)
		if again.Problem != "" {
			continue
		}
		before, after := names(list, kind), names(again, kind)
		if slices.Equal(before, after) {
			otherDefinitions(r, c, kind, again)
			continue
		}
		// A list that differs on one connection is unstable: the other connection is not the cause.
		same := r.Walk(c, kind)
		if same.Problem != "" {
			r.NotComparable(kind)
			continue
		}
		if !slices.Equal(after, names(same, kind)) {
			unstable(r, c, kind, again, same)
			continue
		}
		// A call after the first reading may have changed the list for the first connection, too.
		if now := r.Walk(r.Shared(), kind); now.Problem == "" {
			list, before = now, names(now, kind)
		}
		if slices.Equal(before, after) {
			continue
		}
		slices.Sort(before)
		slices.Sort(after)
		order, entries := lint.Info, lint.Info // before 2026-07-28 connections may differ
		if r.IsStateless() {
			order, entries = lint.Warn, lint.Error
		}
		about := r.Case(kind.Method+" on a second connection", append(list.Pages, again.Pages...)...)
		if slices.Equal(before, after) {
			about.Named("other-order").About(order, "", "%s returns another order on a second connection.", kind.Method)
		} else {
			about.Named("other-entries").About(entries, "", "%s returns other entries on a second connection: %s.", kind.Method, difference(before, after))
		}
	}
	if r.IsStateless() {
		return // P-150 has a subscription
	}
	changedLists(r, c, func(kind client.ListKind, changed string) {
		r.Case(kind.Method).Named("unannounced").Warn("%s has changed after a call, but %s, which the server declares, was not sent.", kind.Method, changed)
	})
}

// otherDefinitions compares the definitions of a list on a second connection with those of the shared one, which are read now: a
// call may have changed them in the meantime.
func otherDefinitions(r *probe.Run, c *probe.Conn, kind client.ListKind, second *probe.List) {
	if !r.IsStateless() {
		return // connections may differ
	}
	changed := r.Differences(kind, r.Server.Lists[kind.Name], second, func() *probe.List { return r.Walk(r.Shared(), kind) })
	if len(changed) == 0 || len(r.Differences(kind, second, r.Walk(c, kind), func() *probe.List { return second })) > 0 {
		return
	}
	about := r.Case(kind.Method+" on a second connection", append(r.Server.Lists[kind.Name].Showing(changed...), second.Showing(changed...)...)...)
	about.Named("other-entries").About(lint.Error, kind.Noun+":"+changed[0], "%s returns another definition of the %s %q on a second connection.", kind.Method, kind.Noun, changed[0])
}

// unstable judges two readings of a list on one connection, whose sorted names are before
// and after. The order of the tools is for lint rule T019.
func unstable(r *probe.Run, c *probe.Conn, kind client.ListKind, first, second *probe.List) {
	before, after := slices.Sorted(slices.Values(names(first, kind))), slices.Sorted(slices.Values(names(second, kind)))
	about := r.Case(kind.Method+" twice on one connection", append(slices.Clone(first.Pages), second.Pages...)...)
	of, _ := revision.ListOf(kind.Method)
	announced := false
	for range taken(c.Take(), of.Changed) {
		announced = true
	}
	switch {
	case slices.Equal(before, after) && kind.Method == "tools/list", announced:
	case slices.Equal(before, after):
		about.Info("%s returns another order each time it is read.", kind.Method)
	case r.Server.Offers(kind, "listChanged") && !r.IsStateless():
		about.Named("unannounced").Warn("%s returns other entries each time it is read, and %s does not announce it: %s.", kind.Method, of.Changed, difference(before, after))
	default:
		about.Info("%s returns other entries each time it is read: %s.", kind.Method, difference(before, after))
	}
}

func names(l *probe.List, kind client.ListKind) []string {
	var all []string
	for _, item := range l.Items {
		all = append(all, jsonrpc.Text(item, kind.Key))
	}
	return all
}

// difference names up to three entries that only one of two sorted lists has, or has more often.
func difference(before, after []string) string {
	count := map[string]int{}
	for _, n := range before {
		count[n]--
	}
	for _, n := range after {
		count[n]++
	}
	var without, with []string
	for _, n := range slices.Sorted(maps.Keys(count)) {
		often := ""
		if slices.Contains(before, n) && slices.Contains(after, n) {
			often = " so often"
		}
		switch {
		case count[n] < 0:
			without = append(without, "without "+n+often)
		case count[n] > 0:
			with = append(with, "with "+n+often)
		}
	}
	parts := append(without, with...)
	if len(parts) > 3 {
		parts = append(parts[:3], "…")
	}
	return strings.Join(parts, ", ")
}

func cursorBad(r *probe.Run) {
	altered, pages := "", ""
	for _, l := range r.Server.Lists {
		if len(l.Cursors) > 0 && l.Kind.Method == listMethod(r) {
			pages = l.Kind.Method
			if text, ok := jsonrpc.Unquote([]byte(l.Cursors[0])); ok && text != "" {
				last := text[len(text)-1]
				altered = probe.JSON(text[:len(text)-1] + string(rune(last^1)))
			}
		}
	}
	job{Run: r}.run("P-047", "altered", altered, "pages", pages)
}

// definitionsByClient compares the lists for clients with different names.
func definitionsByClient(r *probe.Run) {
	names := []string{"claude-ai", "cursor-vscode"}
	next := r.FreshEach(len(names), func(i int, cfg *client.Config) { cfg.Name = names[i] })
	for _, name := range names {
		c := next()
		for kind, list := range completeLists(r) {
			again := r.Walk(c, kind)
			// The name is only to blame for differences that do not occur without it.
			changed := r.Differences(kind, list, again, func() *probe.List {
				own := r.Fresh()
				defer r.Close(own)
				return r.Walk(own, kind)
			})
			about := r.Case(kind.Method+" as "+name, slices.Concat(list.Showing(changed...), again.Showing(changed...))...)
			switch {
			case again.Problem != "" || len(changed) == 0:
			case len(again.Items) != len(list.Items):
				about.Warn("A client with the name %q gets %d %s, mcptea %d.", name, len(again.Items), kind.Name, len(list.Items))
			default:
				about.About(lint.Warn, kind.Noun+":"+changed[0], "A client with the name %q gets another definition of the %s %q.", name, kind.Noun, changed[0])
			}
		}
		r.Close(c)
	}
}

func descriptions(r *probe.Run) {
	for i := range items(r) { // rule T016 reports this for tools
		if i.kind.Name != client.Tools.Name && jsonrpc.Text(i.raw, "description") == "" && jsonrpc.Text(i.raw, "title") == "" {
			r.Case(i.kind.Method).About(lint.Info, i.subject, "The %s %q has neither a description nor a title.", i.kind.Noun, i.name)
		}
	}
	for _, t := range r.Server.Tools {
		var missing []string
		form := schema.Parse(t.Input)
		for _, f := range form.Fields {
			if f.Description == "" && f.Title == "" && f.Kind != schema.Enum && f.Kind != schema.Boolean {
				missing = append(missing, f.Name)
			}
		}
		if len(missing) > 0 {
			r.Case("tools/list").Advise("Give each property of the inputSchema a description.").About(lint.Info, "tool:"+t.Name, "The tool %q does not describe %s.", t.Name, strings.Join(missing, ", "))
		}
	}
}

// tokens estimates how many tokens a model reads: four bytes of JSON are about one. A host does
// not hand on the escapes and the white space of a server.
func tokens(definition []byte) int { return (jsonrpc.PlainSize(definition) + 3) / 4 }

func size(r *probe.Run) {
	about := r.Case("tools/list")
	total := 0
	limit := int(r.Limit("tool-tokens"))
	for _, t := range r.Server.Tools {
		n := tokens(t.Raw)
		total += n
		r.Measure("tokens of "+t.Name, float64(n))
		if n > limit {
			about.About(lint.Info, "tool:"+t.Name, "The definition of the tool %q has about %d tokens; more than %d may be a burden for each request of a model.", t.Name, n, limit)
		}
	}
	r.Measure("tokens", float64(total))
	r.Measure("tools", float64(len(r.Server.Tools)))
	if all := int(r.Limit("all-tool-tokens")); total > all {
		about.Info("The definitions of the %d tools have about %d tokens in all, which may be a burden; the threshold is %d.", len(r.Server.Tools), total, all)
	}
}

func oversize(r *probe.Run) {
	about := r.Case("the definitions")
	long := func(subject, what, text, limit string) {
		if n, most := utf8.RuneCountInString(text), int(r.Limit(limit)); n > most {
			about.About(lint.Info, subject, "%s has %d characters, which may be a burden; the threshold is %d.", what, n, most)
		}
	}
	long("instructions", "instructions", r.Server.Handshake.Instructions, "instructions")
	bytes := 0
	for i := range items(r) {
		if bytes += len(i.raw); i.kind.Name == client.Tools.Name && tokens(i.raw) > int(r.Limit("tool-tokens")) {
			continue // P-049 has reported the whole definition
		}
		long(i.subject, "The description of the "+i.kind.Noun+" "+i.name, jsonrpc.Text(i.raw, "description"), "description")
	}
	for _, t := range r.Server.Tools {
		form := schema.Parse(t.Input)
		for _, f := range form.Fields {
			long("tool:"+t.Name, "The description of "+f.Name+" of the tool "+t.Name, f.Description, "parameter")
		}
	}
	if n, most := len(r.Server.Tools), int(r.Limit("tools")); n > most {
		about.Info("There are %d tools, which may be too many for a model; the threshold is %d.", n, most)
	}
	if most := int(r.Limit("list-bytes")); bytes > most {
		about.Info("The lists have %d bytes, which may be a burden; the threshold is %d.", bytes, most)
	}
}

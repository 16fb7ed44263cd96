package probes

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/skill"
)

// bounds on requests: entries, skills whose files are read, and directories of a skill
const (
	maxSkills        = 20
	maxSkillsRead    = 5
	maxDirectories   = 10
	maxDirectoryPage = 20
)

// skillsOf returns up to most skills of the list. Invalid entries are left out, because rules report them.
func skillsOf(r *probe.Run, most int) (all []skill.Entry) {
	for _, raw := range r.Server.Items(client.Skills) {
		e := skill.Parse(raw)
		invalid := slices.ContainsFunc(e.Faults(), func(f skill.Fault) bool { return f.Kind.Invalid() })
		if !invalid && len(all) < most {
			all = append(all, e)
		}
	}
	return all
}

func hasSkills(r *probe.Run) bool { return r.Server.Offers(client.Skills) }

// skillList checks for a declared list whose method is missing. Rules check the entries.
func skillList(r *probe.Run) {
	if list := r.Server.Lists[client.Skills.Name]; list != nil && list.IsUnknown() {
		r.Case(client.Skills.Method, list.Pages...).Advise(withoutSkillList(r)).Error("The server declares skills, but does not know %s.", client.Skills.Method)
	}
}

// withoutSkillList returns what to do for a server that declares skills without their list.
func withoutSkillList(r *probe.Run) string {
	if list := r.Server.Lists[client.Resources.Name]; list != nil {
		for _, raw := range list.Items {
			if uri := jsonrpc.Text(raw, "uri"); uri == draftSkillIndex {
				return "Answer skills/list. " + draftSkillIndex + ", which resources/list has, is of a draft; hosts do not read it any more."
			}
		}
	}
	return "Answer skills/list with the skills, [] if there are none, or do not declare the extension."
}

// draftSkillIndex is the resource that listed skills in drafts of the extension.
const draftSkillIndex = "skill://index.json"

func askSkill(r *probe.Run, c *probe.Conn, uri string) probe.Outcome {
	return r.Ask(c, "skills/get of "+uri, c.Request("skills/get", `{"uri":`+probe.JSON(uri)+`}`))
}

// skillGet compares each skill in skills/get with the list. A different skill is read twice, because it may
// have changed.
func skillGet(r *probe.Run) {
	c := r.Shared()
	for _, e := range skillsOf(r, maxSkills) {
		o := askSkill(r, c, e.URI)
		got, has := o.Member("skill"), ""
		if jsonrpc.TypeOf(got) == "object" {
			has = e.URI
		}
		job{Run: r}.judge("P-222", o, "what", e.URI, "subject", "skill:"+e.URI, "skill", has)
		if has == "" || jsonrpc.Equal(got, e.Raw) {
			continue
		}
		list := r.Walk(c, client.Skills)
		again := askSkill(r, c, e.URI)
		for _, raw := range list.Items {
			if jsonrpc.Text(raw, "uri") == e.URI && again.Member("skill") != nil && !jsonrpc.Equal(raw, again.Member("skill")) {
				r.Case("skills/get of "+e.URI, append(slices.Clone(list.Showing(e.URI)), again.At("/result/skill"))...).Error("skills/get has another entry of %s than skills/list.", e.URI)
			}
		}
	}
}

func skillUnknown(r *probe.Run) {
	job{Run: r}.run("P-223")
	for _, e := range skillsOf(r, maxSkills) {
		for _, f := range e.Files {
			if !strings.HasSuffix(f.URI, "/"+skill.MainFile) {
				job{Run: r}.run("P-223 file", "uri", f.URI)
				return
			}
		}
	}
}

// skillFiles reads the SKILL.md and the smallest other file of some skills, right after their
// entries; rules compare them.
func skillFiles(r *probe.Run) {
	c := r.Shared()
	for _, e := range skillsOf(r, maxSkillsRead) {
		if e.Dynamic {
			continue
		}
		askSkill(r, c, e.URI)
		files := slices.DeleteFunc(slices.Clone(e.Files), func(f skill.File) bool { return f.URI == e.URI })
		slices.SortStableFunc(files, func(a, b skill.File) int { return cmp.Compare(a.Size, b.Size) })
		for _, uri := range append([]string{e.URI}, urisOf(files[:min(len(files), 1)])...) {
			o := r.Ask(c, "resources/read of "+uri, read(c, uri))
			job{Run: r}.judge("P-224", o, "what", uri, "subject", "skill:"+e.URI)
			if _, ok := skill.Content(o.Result(), uri); !ok && o.Kind == probe.Result {
				r.Of(o).Named("no-content").Error("The result of resources/read of %s has no content with this URI.", uri)
			}
		}
	}
}

func urisOf(files []skill.File) (all []string) {
	for _, f := range files {
		all = append(all, f.URI)
	}
	return all
}

// skillDirectories compares the directories of some skills with their entries.
func skillDirectories(r *probe.Run) {
	c := r.Shared()
	main := ""
	for _, e := range skillsOf(r, maxSkillsRead) {
		if main = e.URI; e.Dynamic {
			continue
		}
		directories := e.Directories()
		names := make([]string, 0, len(directories))
		for name := range directories {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names[:min(len(names), maxDirectories)] {
			skillDirectory(r, c, &e, name, slices.Sorted(slices.Values(directories[name])))
		}
	}
	if main != "" {
		job{Run: r}.run("P-225 file", "uri", main)
	}
}

func skillDirectory(r *probe.Run, c *probe.Conn, e *skill.Entry, name string, want []string) {
	children, pages, ok := readDirectory(r, c, name)
	job{Run: r}.judge("P-225", pages[len(pages)-1], "what", name, "subject", "skill:"+e.URI)
	if !ok || slices.Equal(children, want) {
		return
	}
	if now := skill.Parse(askSkill(r, c, e.URI).Member("skill")); now.URI == e.URI { // the skill may have changed
		want = slices.Sorted(slices.Values(now.Directories()[name]))
	}
	again, more, ok := readDirectory(r, c, name)
	if ok && !slices.Equal(again, want) {
		r.Case("resources/directory/read of "+name, append(pages, more...)...).Error("The directory %s is not what the entry of the skill lists: %s.", name, difference(want, again))
	}
}

// readDirectory returns the URIs in a directory, sorted. pages has at least one outcome.
func readDirectory(r *probe.Run, c *probe.Conn, uri string) (children []string, pages []probe.Outcome, ok bool) {
	cursor := ""
	for range maxDirectoryPage {
		o := r.Ask(c, "resources/directory/read of "+uri, c.Request("resources/directory/read", `{"uri":`+probe.JSON(uri)+cursor+`}`))
		pages = append(pages, o)
		list := o.Member("resources")
		if jsonrpc.TypeOf(list) != "array" {
			return nil, pages, false
		}
		for item := range jsonrpc.Elements(list) {
			children = append(children, jsonrpc.Text(item, "uri"))
		}
		next := o.Member("nextCursor")
		if next == nil || string(next) == "null" {
			slices.Sort(children)
			return children, pages, true
		}
		cursor = `,"cursor":` + string(next)
	}
	return nil, pages, false
}

func readsDirectories(r *probe.Run) bool {
	return r.Server.Handshake.HasCapability("extensions", revision.SkillsExtension, "directoryRead")
}

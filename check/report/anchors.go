package report

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
)

// anchors lists the sections of the specification that are known to exist: those where quoted sentences were
// found, and those that a rule or probe names for a version. The first line holds the date.
//
//go:embed anchors.jsonl
var anchors []byte

type page struct {
	Version revision.Revision `json:"version"`
	Page    string            `json:"page"`
	Anchors []string          `json:"anchors"`
	Date    string            `json:"date"` // set in the first line only
}

// pages returns the known pages, by version and name.
var pages = sync.OnceValue(func() map[string]page {
	all := map[string]page{}
	for _, p := range catalog.Read[page](anchors) {
		all[string(p.Version)+"/"+p.Page] = p
	}
	return all
})

// moved lists pages with other names in some versions.
var moved = []struct {
	versions []revision.Revision
	from, to string
}{
	{[]revision.Revision{revision.R20241105}, "basic#", "basic/messages#"},
	{[]revision.Revision{revision.R20260728}, "basic/transports#stdio", "basic/transports/stdio"},
	{[]revision.Revision{revision.R20260728}, "basic/transports#security-warning", "basic/transports/streamable-http#security--endpoint"},
	{[]revision.Revision{revision.R20260728}, "basic/transports", "basic/transports/streamable-http"},
	{[]revision.Revision{revision.R20260728}, "basic/lifecycle", "basic/versioning"},
	{[]revision.Revision{revision.R20260728}, "basic/utilities/cancellation", "basic/patterns/cancellation"},
	{[]revision.Revision{revision.R20260728}, "basic/utilities/progress", "basic/patterns/progress"},
}

// sectionIn returns the version and the section as in URLs of the specification. It drops an anchor that is not
// known to exist in that version: the page helps more than a dead anchor.
func sectionIn(spec, version string) string {
	of := cmp.Or(version, string(revision.NewestStateless))
	spec = strings.Replace(spec, "basic/index", "basic", 1)
	for _, m := range moved {
		if rest, is := strings.CutPrefix(spec, m.from); is && version != "" && slices.Contains(m.versions, revision.Revision(of)) && (rest == "" || rest[0] == '#' || strings.HasSuffix(m.from, "#")) {
			spec = m.to + rest
			break
		}
	}
	name, anchor, has := strings.Cut(spec, "#")
	isKnown := func(v revision.Revision) bool {
		return slices.Contains(pages()[string(v)+"/"+name].Anchors, anchor)
	}
	if version == "" {
		has = has && !slices.ContainsFunc(revision.All(), isKnown) // the rule's text names the versions
	} else {
		has = has && !isKnown(revision.Revision(of))
	}
	if has {
		spec = name
	}
	return cmp.Or(version, "latest") + "/" + spec
}

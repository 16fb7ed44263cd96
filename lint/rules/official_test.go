package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/internal/test/official"
	"mcptea/lint"
)

// everyNth of the changed frames is checked by default.
const everyNth = 29

// maxBranches bounds the branches of unions that get a frame each.
const maxBranches = 5

// TestOfficial_EachRefusedFrameHasAFinding compares the linter with the official schemas and
// an independent validator: of each kind of message it makes a valid frame, and changes one
// value after the other. A frame that the schema refuses has a finding about that place. A
// frame that it allows has an error only from a rule that names a section of the
// specification, since the text says more than the schema.
func TestOfficial_EachRefusedFrameHasAFinding(t *testing.T) {
	folder := official.Schemas(t)
	c := comparison{beyond: map[string]string{}, missed: map[string]int{}}
	kinds := 0
	for _, r := range revision.All() {
		s := readOfficial(t, folder, r)
		for _, k := range s.kinds() {
			kinds++
			c.kind(t, s, k)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.missed)) {
		t.Errorf("%d times: %s", c.missed[name], name)
	}
	for _, id := range slices.Sorted(maps.Keys(c.beyond)) {
		entry, _ := Lookup(id)
		t.Logf("beyond the schema: %s (%s, %s), such as %s", id, entry.Basis, entry.Spec, c.beyond[id])
		if entry.Spec == "" || strings.HasPrefix(entry.Spec, "schema") {
			t.Errorf("%s rests on the schema, which allows %s", id, c.beyond[id])
		}
	}
	t.Logf("%d kinds, %d frames refused, %d allowed", kinds, c.refused, c.allowed)
	if kinds < 150 || *wholeMatrix && c.refused < 7000 {
		t.Error("that is not all")
	}
}

type comparison struct {
	turn, refused, allowed int
	missed                 map[string]int    // the kind and the place of frames without a finding
	beyond                 map[string]string // an allowed frame for each rule that calls it an error
}

// kind changes the frames of a kind.
func (c *comparison) kind(t *testing.T, s *officialSchema, k officialKind) {
	t.Helper()
	seen := map[string]bool{}
	for branch := range maxBranches {
		frame := s.frame(k, branch)
		if !s.allowsFrame(t, k, frame) {
			t.Errorf("%s: the frame is not valid: %s", k.name, text(frame))
			continue
		}
		valid := findings(t, k, text(frame))
		for place, changed := range changes(frame) {
			if seen[text(changed)] || place == "" {
				continue
			}
			seen[text(changed)] = true
			if c.turn++; *wholeMatrix || c.turn%everyNth == 0 {
				c.frame(t, s, k, valid, place, changed)
			}
		}
	}
}

// allowsFrame reports whether the official schema allows a frame of a kind.
func (s *officialSchema) allowsFrame(t *testing.T, k officialKind, frame any) bool {
	t.Helper()
	of := frame
	if k.isResult {
		of = frame.(map[string]any)["result"]
	}
	return s.allows(t, k.envelope, frame) && s.allows(t, k.of, of)
}

// frame compares what is found in a changed frame with what the schema says about it.
func (c *comparison) frame(t *testing.T, s *officialSchema, k officialKind, valid []lint.Finding, place string, changed any) {
	t.Helper()
	found := findings(t, k, text(changed))
	if s.allowsFrame(t, k, changed) {
		c.allowed++
		for _, f := range found {
			if f.Severity == lint.Error {
				c.beyond[f.Rule.ID] = k.name + " " + text(changed)
			}
		}
		return
	}
	c.refused++
	about := func(f lint.Finding) bool {
		known := slices.ContainsFunc(valid, func(v lint.Finding) bool { return v.Rule == f.Rule && v.Path == f.Path })
		return f.Severity != lint.Info && (f.Path == place || !known && isAbout(f.Path, place))
	}
	if !slices.ContainsFunc(found, about) && !isLenient(place, text(changed)) {
		c.missed[k.name+" "+place]++
		t.Logf("%s %s %s found %v", k.name, place, text(changed), places(&player{found: found}))
	}
}

// lenient are the places at which the text of the specification allows more than the schema does,
// as client/revision/additions.txt has it: a place, and the frame.
var lenient = []struct{ place, frame *regexp.Regexp }{
	{regexp.MustCompile(`/experimental/[^/]+$`), regexp.MustCompile(``)},                                                     // the values are open
	{regexp.MustCompile(`/(in|out)putSchema/properties/[^/]+$`), regexp.MustCompile(`"properties":\{"a(nother)?":true[,}]`)}, // true is a schema
	{regexp.MustCompile(`/content/[^/]+$`), regexp.MustCompile(`"content":\{"a":(1\.5|\["a"\])\}`)},                          // a number has fractions, in 2025-06-18 already
}

func isLenient(place, frame string) bool {
	for _, l := range lenient {
		if l.place.MatchString(place) && l.frame.MatchString(frame) {
			return true
		}
	}
	return false
}

// isAbout reports whether the place of a finding is that of a change, or near: below it, in the
// object or array around it, or around that.
func isAbout(path, place string) bool {
	around := place[:strings.LastIndexByte(place, '/')]
	return strings.HasPrefix(path+"/", around+"/") || strings.HasPrefix(place+"/", path+"/")
}

// findings are those in the last frame of a kind.
func findings(t *testing.T, k officialKind, frame string) []lint.Finding {
	t.Helper()
	p := replay(t, trace{context: k.context, lines: append(slices.Clone(k.before), k.side+" "+frame)})
	return slices.DeleteFunc(p.found, func(f lint.Finding) bool { return f.Row != p.row })
}

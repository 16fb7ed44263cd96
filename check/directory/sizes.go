package directory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/offer/declared"
	"mcptea/offer/skill"
)

// maxCharacters is the number of characters of a result that Claude shows a model.
const maxCharacters = 150_000

// resultSizes finds oversized results of the check's own calls. Other arguments may give larger results than
// the ones seen.
func resultSizes(s Subject) verdict {
	without, _ := noTools(s)
	var about []string
	largest := 0
	for _, name := range slices.Sorted(maps.Keys(s.Server.Largest)) {
		n := s.Server.Largest[name]
		if largest = max(largest, n); n > maxCharacters {
			about = append(about, fmt.Sprintf("%s (%s characters)", phrase.Clip(name, maxName), phrase.Digits(n)))
		}
	}
	switch {
	case without.not != "":
		return without
	case len(about) > 0:
		return verdict{problem: phrase.Count(len(about), "tool") + " with a result of more than 150,000 characters", about: about}
	case len(s.Server.Largest) > 0:
		return verdict{hand: fmt.Sprintf("; the largest result of the %s that the check called has %s characters", phrase.Count(len(s.Server.Largest), "tool"), phrase.Digits(largest))}
	}
	return verdict{flag: "--only tools calls those that are read-only, and looks at their results"}
}

// appDomains finds app documents without a domain or CSP. Only the content returned by resources/read proves
// this, so it takes precedence over the list entry. Whether a domain is unique and a CSP exact cannot be
// checked.
func appDomains(s Subject) verdict {
	if v, ok := noTools(s); ok {
		return v
	}
	var about []string
	read, known := 0, map[string]bool{}
	for _, t := range s.Server.Tools {
		app, _ := declared.OfTool(t.Raw)
		if app.URI == "" || known[app.URI] {
			continue
		}
		known[app.URI] = true
		result := s.Server.Documents[app.URI]
		if result == nil {
			continue
		}
		d, err := declared.OfDocument(app.URI, s.resource(app.URI), result)
		if err != nil {
			continue // the probes of apps report it
		}
		read++
		var missing []string
		if d.Domain == "" {
			missing = append(missing, "domain")
		}
		if jsonrpc.TypeOf(jsonrpc.Get(d.UI, "csp")) != "object" {
			missing = append(missing, "csp")
		}
		if len(missing) > 0 {
			about = append(about, phrase.Clip(app.URI, maxName)+" ("+strings.Join(missing, ", ")+")")
		}
	}
	switch {
	case len(known) == 0:
		return verdict{not: "no tool has an app"}
	case len(about) > 0:
		return verdict{problem: phrase.Count(len(about), "resource") + " of apps without a member of _meta.ui that is required", about: about}
	case read == 0:
		return verdict{flag: "--only apps reads them, and looks whether both are declared"}
	}
	return verdict{hand: fmt.Sprintf("; both are declared by the %s that the check read", phrase.Count(read, "app"))}
}

// resource returns the list entry of a resource, or nil.
func (s Subject) resource(uri string) []byte {
	for _, raw := range s.Server.Items(client.Resources) {
		if jsonrpc.Text(raw, "uri") == uri {
			return raw
		}
	}
	return nil
}

// The bounds of the skills that OpenAI imports, as others report them; sizes are in bytes.
const (
	maxSkills     = 5
	maxSkillPages = 10
	maxSkillMain  = 256 << 10
	maxSkillSize  = 5 << 20
	maxSkillSizes = 8 << 20
	maxSum        = 1 << 60 // bound for sizes, which a server determines, so that a sum does not overflow
)

func skillSizes(s Subject) verdict {
	list := s.Server.Lists[client.Skills.Name]
	switch {
	case !s.Server.Offers(client.Skills) || list == nil:
		return verdict{not: "the server declares no skills"}
	case list.Problem != "":
		return verdict{unseen: "the list of skills is incomplete: " + list.Problem}
	case len(list.Items) == 0:
		return verdict{not: "the list of skills is empty"}
	}
	var wrong, unsized []string
	var sum int64
	for _, raw := range list.Items {
		e := skill.Parse(raw)
		name := phrase.Clip(e.URI, maxName)
		file, ok := e.File(e.URI)
		if !ok || slices.ContainsFunc(e.Files, func(f skill.File) bool { return f.Size < 0 }) {
			unsized = append(unsized, name)
		}
		if file.Size > maxSkillMain {
			wrong = append(wrong, fmt.Sprintf("%s has %s bytes", name, phrase.Digits(file.Size)))
		}
		if n := e.Size(); n > maxSkillSize {
			wrong = append(wrong, fmt.Sprintf("the files of %s have %s bytes", name, phrase.Digits(n)))
		}
		sum = min(sum+e.Size(), maxSum)
	}
	if n := len(list.Items); n > maxSkills {
		wrong = append(wrong, fmt.Sprintf("the list has %s skills", phrase.Digits(n)))
	}
	if n := len(list.Pages); n > maxSkillPages {
		wrong = append(wrong, fmt.Sprintf("the list has %s pages", phrase.Digits(n)))
	}
	if sum > maxSkillSizes {
		wrong = append(wrong, fmt.Sprintf("all files have %s bytes", phrase.Digits(sum)))
	}
	switch {
	case len(wrong) > 0:
		return verdict{problem: "Skills are more than can be imported", about: wrong}
	case len(unsized) > 0:
		return verdict{hand: "; the sizes of these are not on the wire: " + strings.Join(unsized[:min(len(unsized), maxNamed)], ", ")}
	case len(list.Pages) == 0:
		return verdict{hand: "; of this only the number of pages is not known"}
	}
	return verdict{}
}

package sdks

import (
	"slices"
	"strings"

	"mcptea/internal/words/phrase"
)

// Official lists the SDKs whose rejections are reported with a finding.
var Official = []string{"typescript-sdk", "typescript-sdk-2", "go-sdk"}

// A Refusal is a value that SDKs reject.
type Refusal struct {
	Fault
	SDKs []string // releases of the SDKs, in the order of the ids
}

// Refusals returns the values that the SDKs with the given ids reject, each with its SDKs. faults returns the
// values that one SDK rejects.
func Refusals(ids []string, faults func(*SDK) []Fault) (all []Refusal) {
	for _, id := range ids {
		s := Named(id)
		for _, fault := range faults(s) {
			i := slices.IndexFunc(all, func(r Refusal) bool { return r.Path == fault.Path })
			if i < 0 {
				i, all = len(all), append(all, Refusal{Fault: fault})
			}
			if r := &all[i]; !slices.Contains(r.SDKs, s.Release()) {
				r.SDKs = append(r.SDKs, s.Release())
			}
		}
	}
	return all
}

// Clients names the clients that use one of the given SDKs: "a client on the Go SDK 1.8.0 or mcp-go 1.2.1".
func Clients(releases []string) string {
	var words []string
	for _, release := range releases {
		if strings.Contains(release, " SDK ") {
			release = "the " + release
		}
		words = append(words, release)
	}
	last := len(words) - 1
	if last > 0 {
		words[last-1] += " or " + words[last]
		words = words[:last]
	}
	return "a client on " + strings.Join(words, ", ")
}

// Sentence returns a sentence about a rejected value in the result of initialize, and the clients that reject
// it.
func (r Refusal) Sentence() string {
	return phrase.Capital(Clients(r.SDKs)) + " does not connect: " + r.Path + " in the result of initialize is " + r.Found + ", not " + r.Wants + "."
}

// Remedy returns how to fix a value in the result of initialize.
func (f Fault) Remedy() string {
	within, capability := strings.CutPrefix(f.Path, "/capabilities")
	switch {
	case f.Missing:
		return "Add the member."
	case f.wantsObject && f.isArray && capability:
		return "Return an object there: {} is enough. PHP writes an empty array as []; use new stdClass() there."
	case f.wantsObject && capability && within != "":
		return "Return an object there: {} is enough. Leave the member out if the server does not have the capability."
	case f.Optional:
		return "Correct the value, or leave the member out."
	}
	return "Correct the value."
}

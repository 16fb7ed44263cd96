package trial

import "slices"

// A Finding is a judgment with all tokens that it is about.
type Finding struct {
	Verdict Verdict
	Message string
	Spec    string
	Fix     string
	Tokens  []string // tokens in the order in which they were sent
	First   Result
}

// verdicts are the verdicts in the order in which they are reported.
var verdicts = []Verdict{Error, Unjudged, Warning, Info, Skipped, Pass}

// Fold returns the findings of results: those with the same verdict and message are one.
func Fold(results []Result) []Finding {
	var all []Finding
	for _, v := range verdicts {
		index := make(map[[3]string]int) // by message, and by library with its advice
		for _, r := range results {
			if r.Verdict != v {
				continue
			}
			key := [...]string{r.Message, r.Library, r.Fix}
			if r.Library == "" {
				key[2] = ""
			}
			i, known := index[key]
			if !known {
				i = len(all)
				index[key] = i
				all = append(all, Finding{Verdict: v, Message: r.Message, Spec: r.Spec, Fix: r.Fix, First: r})
			}
			all[i].Tokens = append(all[i].Tokens, r.Token)
		}
	}
	return all
}

// Libraries returns the findings that libraries cause, by library and apart from the others. Infos are not among them.
func Libraries(findings []Finding) (libraries [][]Finding, others []Finding) {
	for _, f := range findings {
		if f.First.Library == "" || f.Verdict != Warning && f.Verdict != Error {
			others = append(others, f)
			continue
		}
		i := slices.IndexFunc(libraries, func(of []Finding) bool { return of[0].First.Library == f.First.Library })
		if i < 0 {
			i = len(libraries)
			libraries = append(libraries, nil)
		}
		libraries[i] = append(libraries[i], f)
	}
	return libraries, others
}

// Count returns the number of results by verdict.
func Count(results []Result) map[Verdict]int {
	count := make(map[Verdict]int)
	for _, r := range results {
		count[r.Verdict]++
	}
	return count
}

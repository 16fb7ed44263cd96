package trial

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
var verdicts = []Verdict{Error, Unjudged, Warning, Info, Pass}

// Fold returns the findings of results: those with the same verdict and message are one.
func Fold(results []Result) []Finding {
	var all []Finding
	for _, v := range verdicts {
		index := make(map[string]int) // index of the messages
		for _, r := range results {
			if r.Verdict != v {
				continue
			}
			i, known := index[r.Message]
			if !known {
				i = len(all)
				index[r.Message] = i
				all = append(all, Finding{Verdict: v, Message: r.Message, Spec: r.Spec, Fix: r.Fix, First: r})
			}
			all[i].Tokens = append(all[i].Tokens, r.Token)
		}
	}
	return all
}

// Count returns the number of results by verdict.
func Count(results []Result) map[Verdict]int {
	count := make(map[Verdict]int)
	for _, r := range results {
		count[r.Verdict]++
	}
	return count
}

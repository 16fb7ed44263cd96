package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/internal/words/phrase"
)

// reasons lists the labels of the reasons for skipping probes, in the order of a summary.
var reasons = []struct {
	reason probe.Reason
	label  string
}{
	{probe.OtherVersion, "protocol version"},
	{probe.OtherTransport, "transport"},
	{probe.NoCapability, "capability"},
	{probe.NotPassive, "passive"},
	{probe.NotIntrusive, "without --intrusive"},
	{probe.NotEvents, "without --events"},
	{probe.ByHand, "by hand"},
	{probe.Outside, "nothing to judge"},
	{probe.OtherReason, "other"},
}

// Skipped counts the probes that do not apply to the server or that a flag skips, and lists the reasons with
// their counts. Probes that were not selected do not count.
func Skipped(reports []probe.Report, separator string) (total int, why string) {
	by := map[probe.Reason]int{}
	for _, r := range reports {
		if r.Verdict == probe.Skipped && r.Reason != probe.NotSelected {
			by[r.Reason]++
			total++
		}
	}
	var parts []string
	for _, of := range reasons {
		if n := by[of.reason]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, of.label))
		}
	}
	return total, strings.Join(parts, separator)
}

// maxNamed bounds the tools that a sentence names.
const maxNamed = 3

// NotCalled returns sentences about the tools that a run has not called, one per reason, with the flag that
// enables the calls. quote quotes a name for a command line.
func NotCalled(uncalled []probe.Uncalled, quote func(string) string) []string {
	var sentences []string
	for _, tools := range byReason(uncalled) {
		verb := "tools were not called: they are "
		if len(tools) == 1 {
			verb = "tool was not called: it is "
		}
		text := fmt.Sprintf("%d %s%s.", len(tools), verb, tools[0].Why)
		flag, value, _ := strings.Cut(tools[0].Flag, " ")
		if flag != "--allow" {
			sentences = append(sentences, text+" "+tools[0].Flag)
			continue
		}
		for _, u := range tools[:min(len(tools), maxNamed)] {
			text += " " + flag + " " + quote(strings.Replace(cmp.Or(value, "TOOL"), "TOOL", u.Tool, 1))
		}
		if len(tools) > maxNamed {
			text += " …"
		}
		sentences = append(sentences, text)
	}
	return sentences
}

// NotCalledBrief returns one line with the number of tools that a run has not called, by reason.
func NotCalledBrief(uncalled []probe.Uncalled) string {
	var parts []string
	groups := byReason(uncalled)
	for _, tools := range groups {
		parts = append(parts, fmt.Sprintf("%d %s", len(tools), tools[0].Label()))
	}
	total := phrase.Count(len(uncalled), "tool") + " not called: "
	if len(groups) == 1 {
		return total + uncalled[0].Why
	}
	return total + strings.Join(parts, ", ")
}

// byReason groups uncalled tools by reason, in order of first appearance.
func byReason(uncalled []probe.Uncalled) (groups [][]probe.Uncalled) {
	for _, u := range uncalled {
		i := slices.IndexFunc(groups, func(tools []probe.Uncalled) bool { return tools[0].Why == u.Why })
		if i < 0 {
			groups = append(groups, []probe.Uncalled{u})
			continue
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

// Uncalled returns the tools that the run has called on no server, without duplicates.
func Uncalled(servers []*probe.Server) []probe.Uncalled {
	var all []probe.Uncalled
	for _, server := range servers {
		for _, u := range server.Uncalled {
			if !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	return all
}

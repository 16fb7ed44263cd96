package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/session/checks/probe"
)

// reasons are the labels of why probes are skipped, in the order of a summary.
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

// Skipped counts the probes that do not apply to the server, or that a flag keeps from
// running, and says how many for which reason. Those that were not selected do not count.
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

// maxNamed is how many tools a sentence names.
const maxNamed = 3

// NotCalled are sentences about the tools that a run has not called, one for each
// reason, with the flag that has them called. quote writes a name as a word of a
// command line.
func NotCalled(uncalled []probe.Uncalled, quote func(string) string) []string {
	var order []string
	by := map[string][]probe.Uncalled{}
	for _, u := range uncalled {
		if by[u.Why] == nil {
			order = append(order, u.Why)
		}
		by[u.Why] = append(by[u.Why], u)
	}
	var sentences []string
	for _, why := range order {
		tools, verb := by[why], "tools were not called: they are "
		if len(tools) == 1 {
			verb = "tool was not called: it is "
		}
		text := fmt.Sprintf("%d %s%s.", len(tools), verb, why)
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

// Uncalled are the tools that no server of a run was asked to call, each once.
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

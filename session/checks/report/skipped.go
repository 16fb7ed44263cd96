package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/session/checks/probe"
)

// reasons are the labels of why probes are skipped, by how that begins, in the order of a
// summary; the last one is for all others.
var reasons = []struct{ why, label string }{
	{"version", "protocol version"},
	{"transport", "transport"},
	{"capability", "capability"},
	{"passive", "passive"},
	{"needs --intrusive", "without --intrusive"},
	{"", "other"},
}

// Skipped counts the probes that do not apply to the server, or that a flag keeps from
// running, by the reason; empty if there are none. Those that were not selected do not
// count.
func Skipped(reports []probe.Report, separator string) string {
	by, total := map[string]int{}, 0
	for _, r := range reports {
		if r.Verdict == probe.Skipped && r.Skip != probe.NotSelected {
			i := slices.IndexFunc(reasons, func(of struct{ why, label string }) bool { return strings.HasPrefix(r.Skip, of.why) })
			by[reasons[i].label]++
			total++
		}
	}
	if total == 0 {
		return ""
	}
	var parts []string
	for _, reason := range reasons {
		if n := by[reason.label]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, reason.label))
		}
	}
	return fmt.Sprintf("%d skipped: %s", total, strings.Join(parts, separator))
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
		if flag := tools[0].Flag; flag == "--allow" {
			for _, u := range tools[:min(len(tools), maxNamed)] {
				text += " " + flag + " " + quote(u.Tool)
			}
			if len(tools) > maxNamed {
				text += " …"
			}
		} else {
			text += " " + flag
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

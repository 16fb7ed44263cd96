package rules

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/session/lint"
)

// TestNetReport prints what the family D says about the traces. (experiment)
func TestNetReport(t *testing.T) {
	out := os.Getenv("NETOUT")
	if out == "" {
		t.Skip()
	}
	w, _ := os.Create(out)
	defer w.Close()
	for _, folder := range []string{"silent", "fires"} {
		for _, tr := range traces(t, folder) {
			p := replay(t, tr)
			for i, f := range p.found {
				if f.Rule.ID[0] != 'D' {
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", folder, tr.rule, tr.context, f.Rule.ID, f.Path, f.Message)
				for _, g := range p.found {
					if g.Row == f.Row && g.Rule.ID[0] != 'D' {
						fmt.Fprintf(w, "\t\t+ %s %s: %s\n", g.Rule.ID, g.Path, g.Message)
					}
				}
				c := p.causes[i]
				l := tr.lines[c]
				fmt.Fprintf(w, "\t\t%s\n", l[:min(len(l), 700)])
			}
		}
	}
}

// TestNetRedundant prints the rules whose traces the family D covers. (experiment; MCPTEA_NET=all)
func TestNetRedundant(t *testing.T) {
	out := os.Getenv("NETRED")
	if out == "" {
		t.Skip()
	}
	w, _ := os.Create(out)
	defer w.Close()
	total, covered := map[string]int{}, map[string]int{}
	for _, tr := range traces(t, "fires") {
		p := replay(t, tr)
		for _, f := range p.found {
			if f.Rule.ID[0] == 'D' || f.Rule.ID != tr.rule {
				continue
			}
			total[tr.rule]++
			for _, g := range p.found {
				if g.Rule.ID[0] == 'D' && g.Row == f.Row && (lint.Covers(f.Path, g.Path, g.Rule.ID == "D002")) {
					covered[tr.rule]++
					break
				}
			}
		}
	}
	for _, e := range Catalogue() {
		if covered[e.ID] > 0 {
			fmt.Fprintf(w, "%s\t%d/%d\t%s\t%s\t%s\t%s\n", e.ID, covered[e.ID], total[e.ID], e.DefaultSeverity, e.Basis, e.Slug, e.Condition)
		}
	}
}

// TestNetDropped prints the traces of dropped rules of which the family D says nothing, and
// what it says about silent ones. (experiment; MCPTEA_DROP)
func TestNetDropped(t *testing.T) {
	drop := os.Getenv("MCPTEA_DROP")
	if drop == "" {
		t.Skip()
	}
	for _, tr := range traces(t, "fires") {
		if !strings.Contains(drop, tr.rule) {
			continue
		}
		p, spoken := replay(t, tr), ""
		for _, f := range p.found {
			if f.Rule.ID[0] == 'D' {
				spoken += "\n   " + f.Rule.ID + " " + f.Path + " " + f.Message
			}
		}
		if spoken == "" {
			fmt.Println("LOST", tr.rule, tr.context, tr.lines[len(tr.lines)-1], ids(p.found))
		} else if os.Getenv("V") != "" {
			fmt.Println("HAS", tr.rule, spoken)
		}
	}
	for _, tr := range traces(t, "silent") {
		p := replay(t, tr)
		for _, f := range p.found {
			if f.Rule.ID[0] == 'D' {
				fmt.Println("SILENT", tr.rule, tr.context, f.Rule.ID, f.Path, f.Message)
			}
		}
	}
}

package probes

import (
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/client"
)

// The advice for a server that declares skills and does not list them names the index of a draft, if the server has it.
func TestSkillList_AdviceForADraft(t *testing.T) {
	for resources, want := range map[string]string{
		`{"uri":"skill://index.json","name":"index"}`: "skill://index.json, which resources/list has, is of a draft",
		`{"uri":"file:///a","name":"a"}`:              "or do not declare the extension",
	} {
		r := &probe.Run{Server: &probe.Server{Lists: map[string]*probe.List{client.Resources.Name: {Items: [][]byte{[]byte(resources)}}}}}
		if got := withoutSkillList(r); !strings.Contains(got, want) {
			t.Errorf("with %s: %s", resources, got)
		}
	}
}

package manual_test

import (
	"slices"
	"testing"

	"mcptea/cli/manual"
)

func names(topics []manual.Topic) (list []string) {
	for _, t := range topics {
		list = append(list, t.Name)
	}
	return list
}

// A topic is found by its name and by the file of its page.
func TestFind(t *testing.T) {
	for word, want := range map[string]string{"filter": "filter", "docs/filter.md": "filter", "Filter": "filter", "rules": manual.Rules, "architecture": "", "README": "", "": ""} {
		if topic, ok := manual.Find(word); topic.Name != want || ok != (want != "") {
			t.Errorf("%q is %q, %t", word, topic.Name, ok)
		}
	}
}

func TestTopics_HaveAGroupAndWhatTheyAnswer(t *testing.T) {
	all := manual.Topics()
	if len(all) < 30 {
		t.Fatal(len(all))
	}
	seen := map[string]bool{}
	for _, topic := range all {
		if topic.Group == "" || topic.About == "" || seen[topic.Name] {
			t.Errorf("%+v", topic)
		}
		seen[topic.Name] = true
	}
	all[0].Name = "changed"
	if manual.Topics()[0].Name == "changed" {
		t.Error("a caller changes the list of another one")
	}
}

// The help of a command leads to its pages; a command without one has none.
func TestOf(t *testing.T) {
	for command, want := range map[string][]string{"open": {"open", "branches", "clients"}, "tap": {"tap"}, "version": nil} {
		if got := names(manual.Of(command)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
}

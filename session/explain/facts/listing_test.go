package facts

import "testing"

// A message about a value that is missing leads to the tool that lists such values.
func TestListing(t *testing.T) {
	for _, c := range []struct {
		message string
		thing   Thing
		tools   []string
		want    string
	}{
		{`relation "cups" does not exist`, Thing{Kind: ThingName, Name: "cups", Place: "the argument sql"}, []string{"run", "get_schema"}, "get_schema"},
		{`Project tea not found`, Thing{Kind: ThingName, Name: "tea", Place: "the argument project_id"}, []string{"run", "create_project", "list_projects"}, "list_projects"},
		{`Repository tea not found`, Thing{Kind: ThingName, Name: "tea", Place: "the argument repo"}, []string{"run", "get_repository", "search_repositories"}, "search_repositories"},
		{`teamId is invalid`, Thing{Kind: ThingArgument, Name: "teamId", Place: "the argument teamId"}, []string{"run", "listTeams"}, "listTeams"},
		{`Project tea not found`, Thing{Kind: ThingName, Name: "tea", Place: "the argument project"}, []string{"list_projects"}, "list_projects"},
		{`not found: tea`, Thing{Kind: ThingName, Name: "tea", Place: "the argument id"}, []string{"run", "list_cups"}, ""},
		{`cup tea not found`, Thing{Kind: ThingName, Name: "tea", Place: "the argument name"}, []string{"get_cup"}, ""},
		{`Cup tea not found`, Thing{Kind: ThingName, Name: "tea", Place: "the argument cup"}, []string{"list_cups"}, "list_cups"},
	} {
		r := Request{Params: []byte(`{"name":"run"}`), Tools: c.tools}
		if got := Listing(r, c.thing, c.message); got != c.want {
			t.Errorf("%s: the tool is %q, want %q", c.message, got, c.want)
		}
	}
	if got := Listing(Request{Params: []byte(`{"name":"list_cups"}`), Tools: []string{"list_cups"}}, Thing{Kind: ThingName, Name: "tea", Place: "the argument cup"}, "tea"); got != "" {
		t.Errorf("the failed tool is named: %q", got)
	}
}

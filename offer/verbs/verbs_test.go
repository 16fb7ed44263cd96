package verbs

import "testing"

func TestChanging(t *testing.T) {
	for name, want := range map[string]int{
		"get_post_details": 0, "list-runs": 0, "readUpdate": 0, "search_install_guides": 0,
		"delete_file": 1, "post_message": 1, "run_query": 1, "set": 1, "get": 0, "updateListing": 1,
	} {
		if got := Changing(name); len(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

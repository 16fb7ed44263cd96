package failure

import "mcptea/internal/catalog"

// ActionRows are the ids of the rows with an action, with the action.
func ActionRows() map[string]Action {
	all := map[string]Action{}
	for _, r := range catalog.Read[row](failuresText) {
		if r.Action != "" {
			all[r.ID] = r.Action
		}
	}
	return all
}

// KnownLines are the lines that the tests have for the rows about stderr.
func KnownLines() map[string]string {
	lines := map[string]string{}
	for _, k := range known {
		if _, ok := lines[k.id]; !ok && k.id != "" {
			lines[k.id] = k.line
		}
	}
	return lines
}

package catalog

import (
	"strconv"

	"mcptea/demo/peer"
)

// names are the values for completion.
func names(map[string]string) []string {
	return []string{"Ada", "Alan", "Barbara", "Dennis", "Edsger", "Frances", "Grace", "Ken", "Margaret", "Rob"}
}

// numbersFrom offers more values than an answer can hold, to show hasMore.
func numbersFrom(first int) peer.Completer {
	return func(map[string]string) []string {
		values := make([]string, 250)
		for i := range values {
			values[i] = strconv.Itoa(first + i)
		}
		return values
	}
}

// laterNumbers offers numbers from the argument "from" on.
func laterNumbers(others map[string]string) []string {
	from, err := strconv.Atoi(others["from"])
	if err != nil {
		from = 1
	}
	return numbersFrom(from)(nil)
}

func languages(map[string]string) []string {
	return []string{"go", "python", "rust", "ruby", "typescript", "zig"}
}

// frameworks offers what goes with the argument "language".
func frameworks(others map[string]string) []string {
	known := map[string][]string{
		"go":         {"bubbletea", "chi", "cobra"},
		"python":     {"django", "fastapi", "flask"},
		"rust":       {"axum", "ratatui", "tokio"},
		"typescript": {"express", "react", "vue"},
	}
	if of, ok := known[others["language"]]; ok {
		return of
	}
	return []string{"none"}
}

package argument

import "strings"

// Evals returns a line for each program and option of the table, with a hole in the code, and for each program
// that takes a file with code.
func Evals() (lines [][]string) {
	for i := range readers {
		r := &readers[i]
		for _, name := range r.names {
			words := strings.Fields(name)
			options := r.evals
			for _, letter := range r.letters {
				options = append(options, "-"+string(letter), "-x"+string(letter))
			}
			for _, option := range options {
				lines = append(lines, append(words[:len(words):len(words)], option, "x {tool}"))
			}
			if r.script || r.rest && len(r.evals) == 0 {
				lines = append(lines, append(words[:len(words):len(words)], "x {tool}"))
			}
		}
	}
	return lines
}

// Forms returns the forms that are proposed instead of a hole in code.
func Forms(hole string) (forms []string) {
	for i := range readers {
		if form := readers[i].formFor(hole); form != anyForm {
			forms = append(forms, form)
		}
	}
	return forms
}

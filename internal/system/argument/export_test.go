package argument

// Forms returns the forms that are proposed instead of a hole in code.
func Forms(hole string) (forms []string) {
	for i := range readers {
		if form := readers[i].formFor(hole); form != anyForm {
			forms = append(forms, form)
		}
	}
	return forms
}

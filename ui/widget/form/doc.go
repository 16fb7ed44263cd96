// Package form is a list of fields to fill in: text, switches, choices and
// longer text, each with its label, type, help and what is wrong with it.
//
// It has its own idea of a field and knows nothing of schemas or protocols:
// the caller maps to it, reads the values back as text, and says which of them
// are wrong.
package form

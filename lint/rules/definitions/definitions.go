// Package definitions implements the rules of the family D, a safety net for the others. Each message is
// compared with the definition in the official schema of its protocol version. For differences that no other
// rule reports, they report one finding for each member of a definition.
package definitions

import "mcptea/lint"

// Rules lists the rules of the family. Their entries name the differences.
var Rules = []lint.Rule{
	{ID: "D001", Limit: lint.OncePerSubject},
	{ID: "D002", Limit: lint.OncePerSubject},
	{ID: "D003", Limit: lint.OncePerSubject},
	{ID: "D004", Limit: lint.OncePerSubject},
}

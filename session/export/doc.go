// Package export writes a session, or some of its frames, in formats of other
// programs: for a bug report, a shell, a browser, a program.
//
// A format is a file of this package with a write method of [session], and a row
// in [formats]. It gets the events that were selected, redacted already, and the
// frames of them with their numbers; it writes as it reads, so that memory does not
// grow with the recording. [Write] does the rest.
//
// A new format also gets a row in docs/export.md. The command, the window of the inspector and the
// completion use [formats], and TestExport_NoSecret tries each of them.
package export

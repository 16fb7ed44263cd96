// Package export writes a session, or selected frames of it, in formats of other programs, for
// example for a bug report, a shell or a browser.
// A format is a file of this package with a write method of [session], and a row in [formats]. The
// method receives the selected events, already redacted, and their frames with numbers. It writes
// while it reads, so memory does not grow with the recording. [Write] does the rest.
// A new format also needs a row in docs/export.md. The command, the window of the inspector and the
// completion use [formats], and TestExport_NoSecret tries each format.
package export

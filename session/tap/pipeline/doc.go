// Package pipeline has the stages of a tap over stdio, in the order in which a frame passes them:
//
//	host ─▶ first stage ─▶ recording ─▶ breakpoints and faults ─▶ server
//	host ◀─ breakpoints and faults ◀─ recording ◀─ commands ◀─ first stage ◀─ server
//
// The first stage is package relay, where a server is restarted or reached over HTTP: it waits for the server.
// A plain tap has no such stage. The baseline and traces (OTLP) read what is recorded. While nothing is asked
// for that must look at frames, bytes pass as they come ([Pump]), and copies of them go to the recording.
package pipeline

// Package lint checks the traffic of MCP connections. A finding says which rule
// is violated, which side is responsible, where in the frame, and what to do.
//
// An [Engine] follows one connection at a time. It receives the events in their
// order from a live session or a recording, and does no I/O. Time is that of the
// events, so that a recording has the same findings as the session.
//
// The rules are in one folder for each family, with their entries and traces;
// README.md describes how to add one. Package rule defines what they are written
// with, and the engine.
package lint

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

import (
	"mcptea/session/lint/rule"
)

// What a caller of this package handles is defined in package rule, which the
// families import.
type (
	// Engine checks one connection after the other.
	Engine = rule.Engine
	// Option changes which rules an engine applies.
	Option = rule.Option
	// Finding is one violation of a rule.
	Finding = rule.Finding
	// Entry is a rule as the catalog describes it.
	Entry = rule.Entry
	// Severity is how serious a finding is.
	Severity = rule.Severity
	// Side is the responsible side.
	Side = rule.Side
	// Basis is what decides whether a rule is violated.
	Basis = rule.Basis
	// Place is a JSON pointer into a message or an offset in a frame.
	Place = rule.Place
	// Frame is a frame and its row in the record.
	Frame = rule.Frame
)

// The severities, the most serious first.
const (
	Error = rule.Error
	Warn  = rule.Warn
	Info  = rule.Info
)

// The sides.
const (
	Either = rule.Either
	Client = rule.Client
	Server = rule.Server
)

// The bases.
const (
	Spec      = rule.Spec
	Schema    = rule.Schema
	Heuristic = rule.Heuristic
)

// Stdio is the transport over stdin and stdout.
const Stdio = rule.Stdio

// Whole is the frame as a whole.
var Whole = rule.Whole

// At is a JSON pointer from the root of the message; see [rule.At].
func At(parts ...any) Place { return rule.At(parts...) }

// Byte is an offset in the frame.
func Byte(offset int) Place { return rule.Byte(offset) }

// NoHeuristics leaves out the rules whose basis is [Heuristic].
func NoHeuristics() Option { return rule.NoHeuristics() }

// Redact hides the secrets that the caller knows; see [rule.Redact].
func Redact(redact func(string) string) Option { return rule.Redact(redact) }

// OfSelf marks the remarks about the client in a session of which mcptea is the
// client; see [rule.OfSelf].
func OfSelf(report func(Finding)) func(Finding) { return rule.OfSelf(report) }

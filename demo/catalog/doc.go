// Package catalog holds what the demo server shows: tables of tools of every
// schema shape, resources, templates and prompts. All of it is deterministic:
// no clock, no chance, no network, no file.
//
// It builds on package peer, which serves the tables, and must know nothing of
// transports and faults.
package catalog

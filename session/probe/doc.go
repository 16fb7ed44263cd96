// Package probe checks a server by what it does. It is what probes are written with:
// the catalog of their entries, connections that record and correlate what they carry,
// the outcome of an exchange, and the run of a probe, which collects findings. [Runner]
// runs the probes against a server. Package probes has their functions.
package probe

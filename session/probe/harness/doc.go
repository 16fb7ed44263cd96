// Package harness is what probes are written with: the entry of a probe in the
// catalog, connections that record and correlate what they carry, the outcome of
// an exchange, and the run of a probe, which collects findings. [Runner] runs the
// probes of a catalog against a server. Each group of probes is a package of its
// own beside this one; package probe lists them.
package harness

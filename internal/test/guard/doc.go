// Package guard helps tests to prove that code does not read bytes: it puts
// them into memory that can be made unreadable.
package guard

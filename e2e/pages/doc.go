// Package pages has the tests that run the commands of the README and of the
// documentation, with stand-ins for the servers that they name.
package pages

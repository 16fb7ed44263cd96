// Package content splits the results of tools/call, resources/read and prompts/get into parts in reading order:
// headings with facts, texts, JSON and pictures. The inspector and the commands show the same parts, each in
// its own way.
//
// The package depends on the result types of the protocol but not on a screen: formatting sizes and durations,
// wrapping and escaping are left to the caller. All texts come from the server and are untrusted.
package content

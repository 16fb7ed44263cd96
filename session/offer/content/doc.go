// Package content takes the results of tools/call, resources/read and
// prompts/get apart: into headings with facts, texts, JSON and pictures, in the
// order in which they are read. The inspector and the commands show the same
// parts, each in its own way.
//
// It knows the result types of the protocol and nothing of screens: how sizes
// and durations are written, what is wrapped and what is escaped is up to the
// one who shows a part. All texts are the server's and not trusted.
package content

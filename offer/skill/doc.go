// Package skill reads what a server says of its skills, and compares files with it (SEP-2640). A
// skill is a directory of resources with instructions for a model: a server lists it with the
// front matter of its SKILL.md and with the digest and the size of each file.
//
// The package knows entries and files as bytes. It fetches nothing, and acts on nothing that they
// say.
package skill

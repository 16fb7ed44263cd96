// Package skill checks what a server says of its skills (extension
// io.modelcontextprotocol/skills, SEP-2640): folders of instructions for a
// model, which a server lists with the digest and the size of each file.
//
// It knows entries and files as bytes. It must not know how they are fetched,
// and it never makes use of what they say.
package skill

// Extension is the capability that a server with skills declares.
const Extension = "io.modelcontextprotocol/skills"

// Method is how the skills are listed.
const Method = "skills/list"

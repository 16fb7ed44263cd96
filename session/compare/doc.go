// Package compare connects to the same server once under each revision that it
// speaks, one after the other, and says what differs: capabilities, lists,
// their items and the members of these, instructions.
//
// What a revision has comes from the tables of client/revision. Each run is a
// session of its own, without a recording. The package draws nothing and
// sanitises nothing: what a server controls comes out as the server sent it.
package compare

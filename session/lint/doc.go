// Package lint judges what crosses the wire: each rule of the catalogue looks
// at frames, HTTP exchanges and silence, and says in one sentence what is wrong,
// whose fault it is, where in the frame, and what to do.
//
// An [Engine] follows one connection at a time. It is fed with what happened, in
// its order, and knows nothing of where that comes from: a live session, a
// recording, a text file. It draws nothing, sends nothing and waits for
// nothing; time is what the events say it is, so that a recording gives the
// same findings again.
//
// The texts of the rules are data (catalogue.jsonl); what finds them is one
// function each, in a file for each family. What a rule must fire on stands in
// testdata/fires, and what it must be silent on in testdata/silent.
package lint

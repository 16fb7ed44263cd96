// Package growth generates JSON values of odd shapes in any size, and the messages of a server and a
// host that have them at each place where a peer chooses the value: schemas, arguments, results,
// capabilities, errors. Tests measure with it what code does with twice the bytes.
package growth

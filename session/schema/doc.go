// Package schema turns the JSON Schema of a tool's arguments into a list of
// fields that a person can fill in, and what was filled in back into JSON.
//
// It understands the part of JSON Schema that tools use (draft-07 and 2020-12:
// types, enums, ranges, local references) and is tolerant of everything else:
// what it does not understand becomes a field of free JSON. It is a guide for
// people, not a validator: it warns and never forbids. It fetches nothing and
// knows neither a protocol nor a user interface.
package schema

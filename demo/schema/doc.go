// Package schema checks a JSON value against a JSON Schema, as far as the
// schemas of the demo server go: type, enum, const, oneOf of constants, anyOf,
// allOf, properties, required, additionalProperties, items, local $ref, and the
// bounds of numbers, strings and arrays. Keywords that it does not know, formats
// among them, are taken as satisfied.
//
// It knows nothing of MCP.
package schema

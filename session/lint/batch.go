package lint

// batchRules judge arrays of messages, which only 2025-03-26 has.
var batchRules = []rule{}

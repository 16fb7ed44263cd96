package lint

// toolRules judge tools, calls and their results.
var toolRules = []rule{}

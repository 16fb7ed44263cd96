package lint

// codeRules judge error codes.
var codeRules = []rule{}

package lint

// promptRules judge prompts and completion.
var promptRules = []rule{}

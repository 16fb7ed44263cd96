package lint

// lifecycleRules judge how a connection begins, and which revision and era it is of.
var lifecycleRules = []rule{}

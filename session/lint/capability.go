package lint

// capabilityRules judge what the sides declared against what they do.
var capabilityRules = []rule{}

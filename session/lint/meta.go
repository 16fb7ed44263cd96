package lint

// metaRules judge what stands in _meta.
var metaRules = []rule{}

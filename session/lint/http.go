package lint

// httpRules judge HTTP and event streams.
var httpRules = []rule{}

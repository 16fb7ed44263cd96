package lint

// resourceRules judge resources and roots.
var resourceRules = []rule{}

package lint

// authorizationRules judge the way to a token and its use.
var authorizationRules = []rule{}

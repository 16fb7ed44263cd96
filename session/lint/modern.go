package lint

// modernRules judge what 2026-07-28 has brought: rounds of input, subscriptions, caching, tasks, extensions.
var modernRules = []rule{}

package lint

// schemaRules judge schemas, structured content, content blocks and forms.
var schemaRules = []rule{}

package lint

// stdioRules judge the lines on stdin and stdout, and the life of the process.
var stdioRules = []rule{}

package failure

import (
	"fmt"
	"strings"
	"testing"
)

// requiredBy is what Node.js writes of a module that a CommonJS file has required.
func requiredBy(module, by string) string {
	return fmt.Sprintf("node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '%s'\nRequire stack:\n- %s\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)\n  code: 'MODULE_NOT_FOUND',\n  requireStack: [ '%[2]s' ]\n}\n\nNode.js v20.20.2", module, by)
}

// A file that another one loads is not the file of the command: no other command helps against its lack.
func TestCandidates_FileThatIsLoaded(t *testing.T) {
	const (
		loaded    = "which another file loads"
		ofStart   = "relative path is resolved from the working directory"
		ofPackage = "a file of an installed package"
	)
	for _, c := range []struct{ text, want string }{
		{requiredBy("./gone", "/srv/index.js"), loaded},
		{requiredBy("../lib/gone.js", `C:\srv\dist\index.cjs`), loaded},
		{requiredBy("./gone", "/srv/a.ts"), loaded},
		{requiredBy("./gone", "/srv/node_modules/x/index.js"), ofPackage},
		{requiredBy("./gone", "/root/.npm/_npx/1/node_modules/x/index.js"), "which npx should have installed"},
		{requiredBy("zod", "/root/.npm/_npx/1/node_modules/x/index.js"), "which npx should have installed"},
		{requiredBy("zod", "/srv/index.js"), "a dependency of the server is not installed"},
		{"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/gone.js' imported from /srv/index.mjs", loaded},
		{"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/gone.js' imported from C:\\srv\\my server\\index.mjs", loaded},

		// What loads these is no file of the server: they are named by the command, or by NODE_OPTIONS.
		{requiredBy("./none.js", "internal/preload"), ofStart},
		{requiredBy("./none.ts", "/srv/imaginaryUncacheableRequireResolveScript"), ofStart},
		{requiredBy("./none.ts", "/root/.npm/_npx/1/node_modules/ts-node/dist/bin.js"), ofStart},
		{requiredBy("/srv/none.js", "/usr/lib/node_modules/pm2/lib/ProcessContainerFork.js"), ofStart},
		{"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/none.mjs' imported from /srv/", ofStart},
		{"Error: Cannot find module '/srv/none.js'", ofStart},
	} {
		found := candidates(nil, strings.Split(c.text, "\n"), "stderr")
		if len(found) != 1 || !strings.Contains(found[0].Cause+" "+found[0].Remedy.Text, c.want) {
			t.Errorf("%q: %+v, want %q", c.text, found, c.want)
		} else if to := found[0].Remedy.Action == ActionCommand; to != (c.want == ofStart) {
			t.Errorf("%q: the action is %q", c.text, found[0].Remedy.Action)
		}
	}
	quiet := strings.Replace(requiredBy("./gone", "/srv/index.js"), "Error: Cannot", "2026-01-02T03:04:05Z INFO plugin skipped: Error: Cannot", 1)
	if found := candidates(nil, strings.Split(quiet, "\n"), "stderr"); len(found) > 0 {
		t.Errorf("%q: %+v", quiet, found)
	}
}

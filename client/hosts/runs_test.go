package hosts

import (
	"strings"
	"testing"
)

// Variables that make programs run other code are known in any case of the letters, and with what is
// invisible in their names. Values of the program's own are not among them.
func TestRunsCode(t *testing.T) {
	for _, name := range []string{
		"PATH", "Path", "PATHEXT", "SHELL", "IFS", "BASH_ENV", "ENV", "SHELLOPTS", "PROMPT_COMMAND", "BASH_FUNC_ls%%", "ZDOTDIR", "HOME", "XDG_CONFIG_HOME",
		"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "ld_preload", "LD_PRELOAD ", "LD_\u200bPRELOAD", "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "OPENSSL_CONF", "GLIBC_TUNABLES",
		"NODE_OPTIONS", "NODE_PATH", "npm_config_registry", "BUN_OPTIONS", "DENO_DIR", "ELECTRON_RUN_AS_NODE", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PIP_INDEX_URL", "UV_INDEX_URL", "VIRTUAL_ENV",
		"RUBYOPT", "RUBYLIB", "GEM_PATH", "BUNDLE_GEMFILE", "PERL5OPT", "PERL5LIB", "PERL5DB", "PHPRC", "PHP_INI_SCAN_DIR",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "JAVA_HOME", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER", "COR_PROFILER_PATH",
		"GIT_SSH_COMMAND", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "SSH_ASKPASS", "EDITOR", "VISUAL", "PAGER", "BROWSER", "MANPAGER", "HGEDITOR", "LESSOPEN", "SOME_EDITOR", "PSQL_PAGER",
		"GOFLAGS", "GOTOOLCHAIN", "CC", "CARGO_BUILD_RUSTC_WRAPPER", "RUSTC_WRAPPER", "MAKEFLAGS", "DOCKER_HOST", "KUBECONFIG", "LUA_INIT", "ERL_FLAGS", "R_PROFILE_USER", "VIMINIT", "JULIA_LOAD_PATH",
		"HTTPS_PROXY", "http_proxy", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "WINEDLLOVERRIDES", "MY_LINKER", "X_HOOK", "SUDO_ASKPASS",
	} {
		why, _, ok := RunsCode(name)
		if !ok || !strings.HasSuffix(why, ".") || strings.Count(why, ": ") != 1 {
			t.Errorf("%q: %v %q", name, ok, why)
		}
	}
	for _, name := range []string{"", "API_KEY", "TOKEN", "GITHUB_TOKEN", "GOOGLE_API_KEY", "GH_TOKEN", "REGION", "DATABASE_URL", "OPENAI_API_KEY", "DEBUG", "PORT", "LOG_LEVEL", "SLACK_WEBHOOK", "MY_PATHS", "X_LD_PRELOAD_X", "PATHS", "SNAPSHOT_DIR", "TF_TOKEN", "WORKSPACE", "A"} {
		if why, _, ok := RunsCode(name); ok {
			t.Errorf("%q: %q", name, why)
		}
	}
	if _, always, _ := RunsCode("BASH_ENV"); !always {
		t.Error("a value of BASH_ENV may be masked")
	}
	if _, always, _ := RunsCode("GIT_TOKEN"); always {
		t.Error("a secret of a name that only begins like one is shown")
	}
}

// Each row has a name of its own, which no row before it covers.
func TestRunsCode_Table(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range allRuns() {
		name := strings.ToLower(row.Name)
		if seen[name] || row.Why == "" || strings.HasSuffix(row.Why, ".") || strings.Trim(row.Name, "*") == "" {
			t.Errorf("%+v", row)
		}
		seen[name] = true
	}
}

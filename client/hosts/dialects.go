package hosts

import "time"

const (
	literally = "passes the text literally"
	emptied   = "passes an empty string"
)

var vscodeTypes = map[string]Transport{"stdio": Stdio, "http": HTTP, "sse": SSE}

var claudeDesktop = &dialect{
	keys: keys("command args env type"), stdioOnly: true, anyDir: "an undefined directory",
}

var claudeCode = &dialect{
	keys: with(keys("type command args env url headers headersHelper oauth timeout request_timeout_ms=requestMS"), ignored("alwaysLoad")),
	types: map[string]Transport{
		"stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "sse": SSE, "ws": WS,
	},
	needType: Error, ws: true, vars: braces | plugins, undefined: literally, unit: time.Millisecond, name: "word",
	reserved: []string{"workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser"}, anyDir: "the directory in which it was started",
}

var vscode = &dialect{
	keys:  with(keys("type command args env envFile cwd url headers oauth"), ignored("dev sandboxEnabled sandbox gallery version")),
	types: vscodeTypes, sockets: true, vars: envColon | folders | inputs, undefined: emptied, tilde: "all", looseEnv: true, resolvesCmd: true,
	anyDir: "the workspace",
}

var vscodeDotMCP = &dialect{
	keys: with(keys("type command args env envFile cwd url headers oauth tools=allow timeout"), ignored("dev sandboxEnabled sandbox")),
	types: map[string]Transport{
		"stdio": Stdio, "local": Stdio, "http": HTTP, "sse": SSE, "streamable-http": HTTP,
	},
	sockets: true, vars: braces, undefined: emptied, tilde: "all", looseEnv: true, resolvesCmd: true, unit: time.Millisecond,
}

var cursor = &dialect{
	keys: keys("type command args env envFile url headers auth=oauth"),
	vars: envColon | folders, undefined: emptied, anyDir: "the project that is open",
}

var windsurf = &dialect{
	keys:   with(keys("command args env url serverUrl=url headers transport=type disabled disabledTools=deny"), ignored("disabledResources")),
	vars:   envColon,
	anyDir: "an undefined directory", undefined: literally,
}

var zed = &dialect{
	keys:       with(keys("command args env url headers enabled timeout oauth source settings=settings"), ignored("remote")),
	deprecated: map[string]string{"source": ""},
	unit:       time.Second, resolvesCmd: true, anyDir: "the project that is open",
}

var jetbrains = &dialect{
	keys: with(keys("type command args env url headers cwd"), ignored("enabled")), anyDir: "an undefined directory",
}

var gemini = &dialect{
	keys: with(keys("type command args env cwd url httpUrl=url headers timeout trust includeTools=allow excludeTools=deny oauth"),
		ignored("tcp description authProviderType targetAudience targetServiceAccount extension")),
	deprecated: map[string]string{"httpUrl": "url"},
	types:      vscodeTypes, bothUses: true, vars: braces | dollar | percent, undefined: literally, unit: time.Millisecond, name: "no-underscore",
	anyDir: "the directory in which it was started",
}

var antigravity = &dialect{
	keys: keys("type command args env cwd url serverUrl=url headers disabled disabledTools=deny"),
	vars: braces | dollar, undefined: literally, anyDir: "an undefined directory",
}

var codex = &dialect{
	keys: with(keys(`command args env env_vars=forward cwd url bearer_token_env_var=bearerEnv http_headers=headers env_http_headers=headerEnv
		enabled startup_timeout_sec=startup startup_timeout_ms=startupMS tool_timeout_sec=request enabled_tools=allow disabled_tools=deny`),
		ignored("oauth oauth_resource required default_tools_approval_mode tools scopes supports_parallel_tool_calls experimental_environment name")),
	deprecated: map[string]string{"startup_timeout_ms": "startup_timeout_sec"},
	rejected: map[string]string{
		"bearer_token": "bearer_token_env_var", "args": "", "env": "http_headers", "env_vars": "env_http_headers", "cwd": "",
	},
	noSSE: true, unit: time.Second, name: "word", resolvesCmd: true, anyDir: "the directory of the session",
}

var copilotCLI = &dialect{
	keys: with(keys("type command args env cwd url headers tools=allow timeout oauthClientId=clientID oauthScopes=scopes"),
		ignored("deferTools disableToolCache slowConnectionThresholdMs oauthPublicClient oauthGrantType oidc auth filterMapping")),
	types: map[string]Transport{
		"local": Stdio, "stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "sse": SSE,
	},
	vars: braces | dollar, undefined: literally, unit: time.Millisecond, anyDir: "the directory in which it was started",
}

var cline = &dialect{
	keys: with(keys("type transportType=type transport=nested command args cwd env url headers disabled timeout autoApprove=auto oauthClient=oauth"),
		ignored("metadata oauth")),
	deprecated: map[string]string{"transportType": "type"},
	types:      map[string]Transport{"stdio": Stdio, "streamableHttp": HTTP, "sse": SSE},
	needType:   Warning, vars: envColon, undefined: literally, unit: time.Second, resolvesCmd: true, anyDir: "an undefined directory",
}

var roo = &dialect{
	keys:     with(keys("type command args cwd env url headers disabled timeout alwaysAllow=auto disabledTools=deny"), ignored("watchPaths")),
	types:    map[string]Transport{"stdio": Stdio, "streamable-http": HTTP, "sse": SSE},
	rejected: map[string]string{"args": "", "env": "headers", "cwd": ""},
	needType: Error, vars: envColon | folders, undefined: literally, unit: time.Second, resolvesCmd: true, anyDir: "the workspace",
}

var continueDev = &dialect{
	keys: with(keys("name type command args env cwd url connectionTimeout=timeoutMS requestOptions=options"), ignored("apiKey")),
	types: map[string]Transport{
		"stdio": Stdio, "streamable-http": HTTP, "sse": SSE,
	},
	vars: doubled, undefined: emptied, unit: time.Millisecond, resolvesCmd: true, anyDir: "the workspace",
}

var continueJSON = &dialect{
	keys:  with(keys("type command args env cwd url headers"), ignored("apiKey")),
	types: continueDev.types, vars: doubled, undefined: emptied, resolvesCmd: true, anyDir: "the workspace",
}

var goose = &dialect{
	keys: with(keys("type enabled name=label cmd=command args envs=env env=env env_keys=forward cwd uri=url headers timeout available_tools=allow"),
		ignored("display_name description bundled socket instructions code dependencies")),
	types: map[string]Transport{
		"stdio": Stdio, "streamable_http": HTTP, "builtin": Builtin, "platform": Builtin, "frontend": Builtin, "inline_python": Builtin,
	},
	noSSE: true, unit: time.Second, anyDir: "the directory of the session", vars: braces | dollar, undefined: literally,
}

var lmStudio = &dialect{
	keys: keys("type command args env url headers auth=oauth"), anyDir: "an undefined directory",
}

var amazonQ = &dialect{
	keys:     keys("type command args env url headers oauthScopes=scopes oauth timeout disabled"),
	types:    map[string]Transport{"stdio": Stdio, "http": HTTP},
	needType: Error, vars: envColon, inCommand: braces | dollar, undefined: literally, tilde: "command", unit: time.Millisecond,
	anyDir: "the directory in which it was started",
}

var kiro = &dialect{
	keys: with(keys("type command args env url headers disabled autoApprove=auto disabledTools=deny timeout oauth"), ignored("cwd")),
	vars: braces, undefined: literally, unit: time.Millisecond, anyDir: "an undefined directory",
}

var warp = &dialect{
	keys: keys("type command args env working_directory=cwd url headers"), anyDir: "an undefined directory",
}

var opencode = &dialect{
	keys:  keys("type command environment=env cwd enabled disabled timeout url headers oauth"),
	types: map[string]Transport{"local": Stdio, "remote": HTTP},
	vars:  curly, undefined: emptied, unit: time.Millisecond, commandList: true, resolvesCmd: true, anyDir: "the project that is open",
}

var crush = &dialect{
	keys: with(keys("type command args env url headers disabled disabled_tools=deny enabled_tools=allow timeout"),
		ignored("oauth oauth_client_id oauth_client_secret oauth_callback_port oauth_token")),
	types: vscodeTypes, vars: braces | dollar | evaluated, undefined: emptied, tilde: "command", unit: time.Second,
	anyDir: "the directory in which it was started",
}

var inspector = &dialect{
	keys: with(keys("type command args env cwd url headers oauth requestTimeout=requestMS connectionTimeout=startupMS"),
		ignored("protocolEra modernLogLevel roots metadata taskTtl autoRefreshOnListChanged paginatedLists advertisedExtensions maxFetchRequests")),
	types:  map[string]Transport{"stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "sse": SSE},
	anyDir: "the directory in which it was started",
}

// described is for files that describe servers and do not configure them.
var described = &dialect{vars: templates | braces, enclosed: true}

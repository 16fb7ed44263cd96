package hosts

import "mcptea/client/hosts/syntax"

// merging is what a host does with entries of the same name in several files.
type merging uint8

const (
	replaces  merging = iota // the entry of the higher scope is used
	merges                   // the keys of the higher scope replace those of the lower one
	loadsBoth                // all are loaded, without an order
	separate                 // each file is for itself: agents, manifests
)

// host is an application that has MCP servers in its configuration.
type host struct {
	id, name string
	dialect  *dialect
	roots    [][]string // paths of keys to the servers; the first one is recommended
	merging  merging
	files    []location // in the order of precedence, the lowest first
}

// location is where a host has a configuration file.
type location struct {
	scope    Scope
	path     string // see [Machine.resolve]; * in the last elements matches any name
	format   syntax.Format
	os       string      // "windows", "darwin", "linux", "unix" for all but Windows; empty for all
	variable string      // environment variable that replaces the first part of path
	roots    [][]string  // instead of those of the host
	dialect  *dialect    // instead of that of the host
	moved    string      // the newer place, for F010
	movedAt  string      // pointer of what has moved
	unread   string      // the file to use instead, for F009
	list     bool        // the servers are a list of objects with a name
	layered  bool        // entries may change those of other files
	trust    bool        // it is read in trusted projects only
	optional bool        // the file is for other purposes: without servers it is no problem
	read     func(*file) // instead of the usual form
}

var (
	mcpServers = [][]string{{"mcpServers"}}
	servers    = [][]string{{"servers"}}
)

func at(keys ...string) [][]string { return [][]string{keys} }

const (
	clineFile = "cline_mcp_settings.json"
	storage   = "User/globalStorage/"
)

// catalog lists the hosts, and where they keep their configuration.
var catalog = []host{
	{id: "claude-desktop", name: "Claude Desktop", dialect: claudeDesktop, roots: mcpServers, files: []location{
		{scope: User, path: "CFG/Claude/claude_desktop_config.json", format: syntax.JSON, optional: true},
		{scope: User, path: "XDG/claude/claude_desktop_config.json", format: syntax.JSON, os: "linux", optional: true},
		{scope: User, path: "LOCALAPPDATA/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json", format: syntax.JSON, os: "windows", optional: true},
	}},
	{id: "claude-code", name: "Claude Code", dialect: claudeCode, roots: mcpServers, files: []location{
		{scope: Plugin, path: "~/.claude/plugins/cache/*/*/*/.mcp.json", format: syntax.JSON},
		{scope: User, path: "~|/.claude.json", variable: "CLAUDE_CONFIG_DIR", format: syntax.JSON, optional: true, read: readClaudeCode},
		{scope: User, path: "~/.claude/settings.json", format: syntax.JSON, optional: true, unread: "~/.claude.json"},
		{scope: Project, path: "PROJ/.claude/settings.json", format: syntax.JSON, optional: true, unread: ".mcp.json"},
		{scope: Project, path: "PROJ/.mcp.json", format: syntax.JSON},
		{scope: Managed, path: "/etc/claude-code/managed-mcp.json", format: syntax.JSON, os: "linux"},
		{scope: Managed, path: "/Library/Application Support/ClaudeCode/managed-mcp.json", format: syntax.JSON, os: "darwin"},
		{scope: Managed, path: "C:/Program Files/ClaudeCode/managed-mcp.json", format: syntax.JSON, os: "windows"},
	}},
	{id: "vscode", name: "VS Code", dialect: vscode, roots: servers, merging: loadsBoth, files: []location{
		{scope: User, path: "CFG/Code/User/mcp.json", format: syntax.JSONC},
		{scope: User, path: "CFG/Code - Insiders/User/mcp.json", format: syntax.JSONC},
		{scope: User, path: "CFG/Code/User/profiles/*/mcp.json", format: syntax.JSONC},
		{scope: Remote, path: "~/.vscode-server/data/User/mcp.json", format: syntax.JSONC},
		{scope: User, path: "CFG/Code/User/settings.json", format: syntax.JSONC, roots: at("mcp", "servers"), optional: true, moved: "mcp.json", movedAt: "/mcp"},
		{scope: User, path: "~/.copilot|/mcp-config.json", variable: "COPILOT_HOME", format: syntax.JSONC, roots: mcpServers, dialect: vscodeDotMCP},
		{scope: Workspace, path: "PROJ/.vscode/mcp.json", format: syntax.JSONC},
		{scope: Workspace, path: "PROJ/*.code-workspace", format: syntax.JSONC, roots: at("settings", "mcp", "servers"), optional: true},
		{scope: Remote, path: "PROJ/.devcontainer/devcontainer.json", format: syntax.JSONC, roots: at("customizations", "vscode", "mcp", "servers"), optional: true},
		{scope: Workspace, path: "PROJ/.mcp.json", format: syntax.JSONC, roots: [][]string{{"mcpServers"}, {}}, dialect: vscodeDotMCP},
	}},
	{id: "cursor", name: "Cursor", dialect: cursor, roots: mcpServers, files: []location{
		{scope: User, path: "~/.cursor/mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.cursor/mcp.json", format: syntax.JSON},
	}},
	{id: "windsurf", name: "Windsurf", dialect: windsurf, roots: mcpServers, files: []location{
		{scope: User, path: "~/.codeium/mcp_config.json", format: syntax.JSON, moved: "~/.config/devin/mcp_config.json"},
		{scope: User, path: "~/.codeium/windsurf/mcp_config.json", format: syntax.JSON, moved: "~/.config/devin/mcp_config.json"},
		{scope: User, path: "~/.config/devin/mcp_config.json", format: syntax.JSON, os: "unix"},
		{scope: User, path: "CFG/devin/mcp_config.json", format: syntax.JSON, os: "windows"},
		{scope: Project, path: "PROJ/.devin/mcp_config.json", format: syntax.JSON},
		{scope: Local, path: "PROJ/.devin/mcp_config.local.json", format: syntax.JSON},
	}},
	{id: "zed", name: "Zed", dialect: zed, roots: at("context_servers"), merging: merges, files: []location{
		{scope: User, path: "~/.config/zed/settings.json", format: syntax.JSONC, os: "unix", optional: true},
		{scope: User, path: "CFG/Zed/settings.json", format: syntax.JSONC, os: "windows", optional: true},
		{scope: Project, path: "PROJ/.zed/settings.json", format: syntax.JSONC, optional: true, layered: true},
	}},
	{id: "jetbrains", name: "JetBrains IDEs", dialect: jetbrains, roots: mcpServers, merging: loadsBoth, files: []location{
		{scope: User, path: "~/.junie/mcp/mcp.json", format: syntax.JSON},
		{scope: User, path: "~/.ai/mcp/mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.junie/mcp/mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.ai/mcp/mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.air/mcp.json", format: syntax.JSON},
	}},
	{id: "gemini-cli", name: "Gemini CLI", dialect: gemini, roots: mcpServers, files: []location{
		{scope: User, path: "~/.gemini/settings.json", format: syntax.JSONComments, optional: true},
		{scope: Project, path: "PROJ/.gemini/settings.json", format: syntax.JSONComments, optional: true, trust: true},
		{scope: Managed, path: "/etc/gemini-cli/settings.json", format: syntax.JSONComments, os: "linux", optional: true},
		{scope: Managed, path: "/Library/Application Support/GeminiCli/settings.json", format: syntax.JSONComments, os: "darwin", optional: true},
		{scope: Managed, path: "PROGRAMDATA/gemini-cli/settings.json", format: syntax.JSONComments, os: "windows", optional: true},
	}},
	{id: "antigravity", name: "Antigravity", dialect: antigravity, roots: mcpServers, files: []location{
		{scope: User, path: "~/.gemini/antigravity/mcp_config.json", format: syntax.JSON, moved: "~/.gemini/config/mcp_config.json"},
		{scope: User, path: "~/.gemini/config/mcp_config.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.agents/mcp_config.json", format: syntax.JSON},
	}},
	{id: "codex", name: "Codex", dialect: codex, roots: at("mcp_servers"), merging: merges, files: []location{
		{scope: User, path: "/etc/codex/config.toml", format: syntax.TOML, os: "unix", optional: true, layered: true},
		{scope: User, path: "~/.codex|/config.toml", variable: "CODEX_HOME", format: syntax.TOML, optional: true},
		{scope: Project, path: "PROJ/.codex/config.toml", format: syntax.TOML, optional: true, layered: true, trust: true},
		{scope: Managed, path: "/etc/codex/managed_config.toml", format: syntax.TOML, os: "unix", optional: true, layered: true},
	}},
	{id: "copilot-cli", name: "Copilot CLI", dialect: copilotCLI, roots: [][]string{{"mcpServers"}, {}}, files: []location{
		{scope: User, path: "~/.copilot|/mcp-config.json", variable: "COPILOT_HOME", format: syntax.JSON},
		{scope: Project, path: "PROJ/.mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.github/mcp.json", format: syntax.JSON},
		{scope: Project, path: "CWD/.mcp.json", format: syntax.JSON},
		{scope: Project, path: "CWD/.github/mcp.json", format: syntax.JSON},
	}},
	{id: "cline", name: "Cline", dialect: cline, roots: mcpServers, files: []location{
		{scope: User, path: "CFG/Code/" + storage + "saoudrizwan.claude-dev/settings/" + clineFile, format: syntax.JSON, moved: "~/.cline/data/settings/" + clineFile},
		{scope: User, path: "CFG/Code - Insiders/" + storage + "saoudrizwan.claude-dev/settings/" + clineFile, format: syntax.JSON, moved: "~/.cline/data/settings/" + clineFile},
		{scope: User, path: "CFG/Cursor/" + storage + "saoudrizwan.claude-dev/settings/" + clineFile, format: syntax.JSON, moved: "~/.cline/data/settings/" + clineFile},
		{scope: User, path: "~/.cline/mcp.json", format: syntax.JSON, moved: "~/.cline/data/settings/" + clineFile},
		{scope: User, path: "~/.cline/data|/settings/" + clineFile, variable: "CLINE_DATA_DIR", format: syntax.JSON},
	}},
	{id: "roo", name: "Roo Code", dialect: roo, roots: mcpServers, files: []location{
		{scope: User, path: "CFG/Code/" + storage + "rooveterinaryinc.roo-cline/settings/mcp_settings.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.roo/mcp.json", format: syntax.JSON},
	}},
	{id: "continue", name: "Continue", dialect: continueDev, roots: mcpServers, merging: loadsBoth, files: []location{
		{scope: User, path: "~/.continue/config.yaml", format: syntax.YAML, list: true, optional: true},
		{scope: Project, path: "PROJ/.continue/mcpServers/*.yaml", format: syntax.YAML, list: true},
		{scope: Project, path: "PROJ/.continue/mcpServers/*.yml", format: syntax.YAML, list: true},
		{scope: Project, path: "PROJ/.continue/mcpServers/*.json", format: syntax.JSONC, dialect: continueJSON},
	}},
	{id: "goose", name: "Goose", dialect: goose, roots: at("extensions"), files: []location{
		{scope: User, path: "~/.config/goose/config.yaml", format: syntax.YAML, os: "unix", optional: true},
		{scope: User, path: "CFG/Block/goose/config/config.yaml", format: syntax.YAML, os: "windows", optional: true},
	}},
	{id: "lm-studio", name: "LM Studio", dialect: lmStudio, roots: mcpServers, files: []location{
		{scope: User, path: "~/.cache/lm-studio/mcp.json", format: syntax.JSON, moved: "~/.lmstudio/mcp.json"},
		{scope: User, path: "~/.lmstudio/mcp.json", format: syntax.JSON},
	}},
	{id: "amazon-q", name: "Amazon Q", dialect: amazonQ, roots: mcpServers, files: []location{
		{scope: User, path: "~/.aws/amazonq/mcp.json", format: syntax.JSON, moved: "~/.aws/amazonq/cli-agents/"},
		{scope: Project, path: "PROJ/.amazonq/mcp.json", format: syntax.JSON, moved: "PROJ/.amazonq/cli-agents/"},
		{scope: Agent, path: "~/.aws/amazonq/cli-agents/*.json", format: syntax.JSON, optional: true},
		{scope: Agent, path: "PROJ/.amazonq/cli-agents/*.json", format: syntax.JSON, optional: true},
	}},
	{id: "kiro", name: "Kiro", dialect: kiro, roots: mcpServers, files: []location{
		{scope: User, path: "~/.kiro/settings/mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.kiro/settings/mcp.json", format: syntax.JSON},
		{scope: Agent, path: "~/.kiro/agents/*.json", format: syntax.JSON, optional: true},
		{scope: Agent, path: "PROJ/.kiro/agents/*.json", format: syntax.JSON, optional: true},
	}},
	{id: "warp", name: "Warp", dialect: warp, roots: mcpServers, files: []location{
		{scope: User, path: "~/.warp/.mcp.json", format: syntax.JSON},
		{scope: Project, path: "PROJ/.warp/.mcp.json", format: syntax.JSON},
	}},
	{id: "opencode", name: "opencode", dialect: opencode, roots: at("mcp"), merging: merges, files: []location{
		{scope: User, path: "XDG/opencode/opencode.json", format: syntax.JSONC, optional: true, layered: true},
		{scope: User, path: "XDG/opencode/opencode.jsonc", format: syntax.JSONC, optional: true, layered: true},
		{scope: User, path: "|", variable: "OPENCODE_CONFIG", format: syntax.JSONC, optional: true, layered: true},
		{scope: Project, path: "PROJ/opencode.json", format: syntax.JSONC, optional: true, layered: true},
		{scope: Project, path: "PROJ/opencode.jsonc", format: syntax.JSONC, optional: true, layered: true},
		{scope: Project, path: "PROJ/.opencode/opencode.json", format: syntax.JSONC, optional: true, layered: true},
		{scope: Project, path: "PROJ/.opencode/opencode.jsonc", format: syntax.JSONC, optional: true, layered: true},
	}},
	{id: "crush", name: "Crush", dialect: crush, roots: at("mcp"), merging: merges, files: []location{
		{scope: User, path: "/etc/crush/crush.json", format: syntax.JSON, os: "unix", optional: true},
		{scope: User, path: "XDG/crush/crush.json", format: syntax.JSON, optional: true, layered: true, moved: "crushrc"},
		{scope: User, path: "XDG/crush/crushrc", format: syntax.Shell},
		{scope: Project, path: "PROJ/crush.json", format: syntax.JSON, optional: true, layered: true, moved: "crushrc"},
		{scope: Project, path: "PROJ/.crush.json", format: syntax.JSON, optional: true, layered: true, moved: "crushrc"},
		{scope: Project, path: "PROJ/crushrc", format: syntax.Shell},
		{scope: Project, path: "PROJ/.crushrc", format: syntax.Shell},
	}},
	{id: "visual-studio", name: "Visual Studio", dialect: vscode, roots: servers, merging: loadsBoth, files: []location{
		{scope: User, path: "~/.mcp.json", format: syntax.JSONC, os: "windows"},
		{scope: Project, path: "PROJ/.mcp.json", format: syntax.JSONC, os: "windows"},
		{scope: Project, path: "PROJ/.vs/mcp.json", format: syntax.JSONC, os: "windows"},
		{scope: Project, path: "PROJ/.vscode/mcp.json", format: syntax.JSONC, os: "windows"},
		{scope: Project, path: "PROJ/.cursor/mcp.json", format: syntax.JSONC, os: "windows", roots: mcpServers},
	}},
	{id: "copilot-ide", name: "GitHub Copilot", dialect: vscode, roots: servers, merging: loadsBoth, files: []location{
		{scope: User, path: "~/.config/github-copilot/eclipse/mcp.json", format: syntax.JSON, os: "unix"},
		{scope: User, path: "~/.config/github-copilot/intellij/mcp.json", format: syntax.JSON, os: "unix"},
		{scope: User, path: "~/.config/github-copilot/xcode/mcp.json", format: syntax.JSON, os: "darwin"},
		{scope: User, path: "CFG/github-copilot/eclipse/mcp.json", format: syntax.JSON, os: "windows"},
		{scope: User, path: "CFG/github-copilot/intellij/mcp.json", format: syntax.JSON, os: "windows"},
		{scope: Project, path: "PROJ/.github/copilot/mcp.json", format: syntax.JSON},
	}},
	{id: "xcode", name: "Xcode", dialect: claudeCode, roots: mcpServers, files: []location{
		{scope: User, path: "~/Library/Developer/Xcode/CodingAssistant/ClaudeAgentConfig/.claude.json", format: syntax.JSON, os: "darwin", optional: true, read: readClaudeCode},
		{scope: User, path: "~/Library/Developer/Xcode/CodingAssistant/codex/config.toml", format: syntax.TOML, os: "darwin", optional: true, roots: at("mcp_servers"), dialect: codex},
	}},
	{id: "docker", name: "Docker MCP Toolkit", dialect: described, roots: at("registry"), merging: separate, files: []location{
		{scope: Catalog, path: "~/.docker/mcp/registry.yaml", format: syntax.YAML, read: readDocker},
		{scope: Catalog, path: "~/.docker/mcp/catalogs/*.yaml", format: syntax.YAML, read: readDocker},
	}},
	{id: "inspector", name: "MCP Inspector", dialect: inspector, roots: mcpServers, files: []location{
		{scope: User, path: "~/.mcp-inspector/mcp.json|", variable: "MCP_CATALOG_PATH", format: syntax.JSON},
	}},
	{id: "registry", name: "MCP Registry", dialect: described, merging: separate, files: []location{
		{scope: Manifest, path: "PROJ/server.json", format: syntax.JSON, optional: true, read: readRegistry},
	}},
	{id: "mcpb", name: "MCP bundle", dialect: described, merging: separate, files: []location{
		{scope: Manifest, path: "PROJ/manifest.json", format: syntax.JSON, optional: true, read: readBundle},
	}},
}

// HostName is the name of a host as its maker writes it; the id, if it is not known.
func HostName(id string) string {
	for i := range catalog {
		if catalog[i].id == id {
			return catalog[i].name
		}
	}
	return id
}

// IDs returns the ids of all hosts.
func IDs() []string {
	ids := make([]string, len(catalog))
	for i := range catalog {
		ids[i] = catalog[i].id
	}
	return ids
}

// on reports whether a location exists on an operating system.
func (l *location) on(system string) bool {
	return l.os == "" || l.os == system || l.os == "unix" && system != "windows"
}

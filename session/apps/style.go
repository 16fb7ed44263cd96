package apps

// variables returns the CSS variables of a theme, all that the specification names (MCP Apps 2026-01-26,
// theming). The values are for one theme, not both, because an app may use them without setting color-scheme.
func variables(theme string) map[string]string {
	dark := theme == "dark"
	all := make(map[string]string, 80)
	for _, v := range colors {
		value := v[1]
		if dark {
			value = v[2]
		}
		all["--color-"+v[0]] = value
	}
	for _, v := range measures {
		all["--"+v[0]] = v[1]
	}
	return all
}

// colors have a name, and a value for light and for dark.
var colors = [][3]string{
	{"background-primary", "#ffffff", "#1e1f29"},
	{"background-secondary", "#f4f4f6", "#262833"},
	{"background-tertiary", "#e9e9ee", "#30323f"},
	{"background-inverse", "#1c1c22", "#f4f4f6"},
	{"background-ghost", "rgba(0,0,0,0)", "rgba(0,0,0,0)"},
	{"background-info", "#e3eefb", "#1d3350"},
	{"background-danger", "#fbe5e4", "#4a2226"},
	{"background-success", "#e2f3e6", "#1e3d2a"},
	{"background-warning", "#faf0d9", "#453718"},
	{"background-disabled", "#ededf0", "#2a2b35"},
	{"text-primary", "#1c1c22", "#e6e6ee"},
	{"text-secondary", "#55555f", "#b4b6c6"},
	{"text-tertiary", "#6a6a76", "#8d8fa3"},
	{"text-inverse", "#ffffff", "#1c1c22"},
	{"text-ghost", "#6a6a76", "#8d8fa3"},
	{"text-info", "#1557a8", "#8fbdf5"},
	{"text-danger", "#b3261e", "#f3a19b"},
	{"text-success", "#1b6b34", "#8fd6a4"},
	{"text-warning", "#7a5300", "#ecc46f"},
	{"text-disabled", "#8e8e99", "#6d6f80"},
	{"border-primary", "#c9c9d3", "#3b3d4f"},
	{"border-secondary", "#dcdce3", "#323443"},
	{"border-tertiary", "#e9e9ee", "#2a2c39"},
	{"border-inverse", "#1c1c22", "#e6e6ee"},
	{"border-ghost", "rgba(0,0,0,0)", "rgba(0,0,0,0)"},
	{"border-info", "#8ab4e8", "#355d92"},
	{"border-danger", "#e7a5a1", "#84393c"},
	{"border-success", "#96cda6", "#36704b"},
	{"border-warning", "#dcbd76", "#7d6428"},
	{"border-disabled", "#dcdce3", "#323443"},
	{"ring-primary", "#5b6bd6", "#8c99f0"},
	{"ring-secondary", "#8e8e99", "#6d6f80"},
	{"ring-inverse", "#ffffff", "#1c1c22"},
	{"ring-info", "#1557a8", "#8fbdf5"},
	{"ring-danger", "#b3261e", "#f3a19b"},
	{"ring-success", "#1b6b34", "#8fd6a4"},
	{"ring-warning", "#7a5300", "#ecc46f"},
}

// measures have a name and a value.
var measures = [][2]string{
	{"font-sans", "system-ui, sans-serif"},
	{"font-mono", "ui-monospace, monospace"},
	{"font-weight-normal", "400"},
	{"font-weight-medium", "500"},
	{"font-weight-semibold", "600"},
	{"font-weight-bold", "700"},
	{"font-text-xs-size", "12px"},
	{"font-text-sm-size", "14px"},
	{"font-text-md-size", "16px"},
	{"font-text-lg-size", "18px"},
	{"font-text-xs-line-height", "18px"},
	{"font-text-sm-line-height", "20px"},
	{"font-text-md-line-height", "24px"},
	{"font-text-lg-line-height", "28px"},
	{"font-heading-xs-size", "14px"},
	{"font-heading-sm-size", "16px"},
	{"font-heading-md-size", "18px"},
	{"font-heading-lg-size", "22px"},
	{"font-heading-xl-size", "28px"},
	{"font-heading-2xl-size", "34px"},
	{"font-heading-3xl-size", "42px"},
	{"font-heading-xs-line-height", "20px"},
	{"font-heading-sm-line-height", "24px"},
	{"font-heading-md-line-height", "26px"},
	{"font-heading-lg-line-height", "30px"},
	{"font-heading-xl-line-height", "36px"},
	{"font-heading-2xl-line-height", "42px"},
	{"font-heading-3xl-line-height", "50px"},
	{"border-radius-xs", "2px"},
	{"border-radius-sm", "4px"},
	{"border-radius-md", "6px"},
	{"border-radius-lg", "8px"},
	{"border-radius-xl", "12px"},
	{"border-radius-full", "9999px"},
	{"border-width-regular", "1px"},
	{"shadow-hairline", "0 0 0 1px rgba(0,0,0,0.08)"},
	{"shadow-sm", "0 1px 2px rgba(0,0,0,0.12)"},
	{"shadow-md", "0 2px 6px rgba(0,0,0,0.16)"},
	{"shadow-lg", "0 6px 18px rgba(0,0,0,0.22)"},
}

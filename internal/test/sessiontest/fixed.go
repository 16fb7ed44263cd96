package sessiontest

import (
	"slices"
	"strings"

	"mcptea/client/revision"
)

// fixed lists the entries that the demo server of [Fixed] offers.
var fixed = map[string][]string{
	revision.Tools.Name: {
		"echo", "add", "greet", "weather", "search", "make-report", "no-arguments", "any-json", "dates", "long-work", "count-up",
		"flood", "slow-answer", "never-answer", "fail", "fail-protocol", "big-answer", "content", "escape-art", "ask-user",
		"ask-model", "list-roots", "ping-client", "log", "change-tools", "touch-resource", "delete-everything", "change-list",
		"ask-twice", "ask-all", "think-twice", "brew", "brew-task", "price-order", "end-subscriptions", "surprise",
	},
	revision.Prompts.Name: {
		"simple", "greeting", "code-review", "conversation", "with-resource", "with-picture", "ask-name", "surprise",
	},
	revision.Resources.Name: {
		"demo://readme", "demo://menu", "demo://go-code", "demo://picture", "demo://tone", "demo://counter", "demo://big",
		"demo://table", "demo://page", "demo://drawing", "demo://languages", "demo://escapes", "demo://empty", "demo://clock",
		"demo://guest-book", "ui://weather/app.html", "demo://surprise",
	},
	revision.Skills.Name:    {"skill://teahouse/brewing/SKILL.md", "skill://teahouse/brewing/iced/SKILL.md", "skill://teahouse/daily/SKILL.md"},
	revision.Templates.Name: {"demo://greeting/{name}", "demo://numbers/{from}/{to}"},
}

// Fixed selects the entries that the demo server offers in tests of screens. Entries added to the demo server
// later do not appear there, so the screens stay unchanged.
func Fixed(list, key string) bool { return slices.Contains(fixed[list], key) }

// IsFixed reports whether a probe is listed in tests of screens: a new probe is not.
func IsFixed(probe string) bool { return slices.Contains(fixedProbes, strings.TrimPrefix(probe, "P-")) }

var fixedProbes = strings.Fields(`
001 002 003 004 005 006 007 008 009 010 020 021 022 023 024 025 026 027 028 029 030 031 032 033 040 041 042
043 178 045 046 047 048 049 172 173 174 175 050 051 052 053 054 055 056 057 058 065 066 067 068 069 070 075
076 078 079 081 082 085 086 087 088 090 091 092 095 096 097 100 101 102 103 104 105 106 107 190 110 111 113
114 115 116 117 118 119 120 121 122 123 124 125 126 127 130 131 160 161 162 163 164 165 166 167 140 141 142
143 144 145 147 148 149 150 151 152 153 154 155 170 171 176 177 179 180 185 186 187 188 189 200 210 211 212
213
`)

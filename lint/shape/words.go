package shape

import (
	"strings"
	"unicode"

	"mcptea/client/revision"
)

// phrases maps definitions whose names are not words to phrases.
var phrases = map[string]string{
	"notifications/message":               "a log message",
	"CreateMessageRequestParams":          "a sampling request",
	"CreateMessageResult":                 "a sampling result",
	"ElicitRequestFormParams":             "an elicitation request",
	"ElicitRequestURLParams":              "a URL elicitation request",
	"ElicitResult":                        "an elicitation result",
	"ListRootsResult":                     "a roots/list result",
	"NotificationMetaObject":              "`_meta` of a notification",
	"RequestMetaObject":                   "`_meta` of a request",
	"ResultMetaObject":                    "`_meta` of a result",
	"SubscriptionsListenResultMetaObject": "`_meta` of a subscriptions/listen result",
}

// words returns the name of the defined object in a sentence, such as "a progress notification", "a tools/call
// result", "a tool" or "`tasks` of server capabilities".
func (o *Object) words() string {
	name, path, _ := strings.Cut(string(o.name), ".")
	kind := ""
	if strings.ContainsRune(name, '/') || unicode.IsLower(rune(name[0])) {
		kind, path, _ = strings.Cut(path, ".") // METHOD.params
	}
	phrase := phrases[name]
	switch {
	case phrase != "":
	case kind == "result":
		phrase = withArticle(name + " result")
	case kind != "" && (revision.Method{Name: name}).IsNotification():
		phrase = withArticle(strings.TrimPrefix(name, "notifications/") + " notification")
	case kind != "":
		phrase = withArticle(name + " request")
	default:
		phrase = withArticle(spaced(name))
	}
	if path != "" {
		phrase = "`" + path + "` of " + phrase
	}
	return phrase
}

// spaced writes a name such as ToolAnnotations as "tool annotations".
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// withArticle returns a noun with its article, or a plural unchanged.
func withArticle(noun string) string {
	switch {
	case strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "content") || strings.HasSuffix(noun, "metadata"):
		return noun
	case strings.IndexByte("aeiou", noun[0]) >= 0:
		return "an " + noun
	}
	return "a " + noun
}

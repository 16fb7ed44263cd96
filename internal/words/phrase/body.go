package phrase

import (
	"html"
	"strings"
	"unicode"

	"mcptea/internal/lazyregexp"
)

// markup matches the start of an HTML page, titleTag its title, and unseen the parts that a browser does not
// show as text.
var (
	markup   = lazyregexp.New(`(?is)(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|title|body|meta|script|style|h[1-6]|pre|div|center|p|table|br|hr)\b`)
	unseen   = lazyregexp.New(`(?is)<title\b.*?(?:</title>|$)|<script\b.*?(?:</script>|$)|<style\b.*?(?:</style>|$)|<!--.*?(?:-->|$)|<[^>]*(?:>|$)`)
	titleTag = lazyregexp.New(`(?is)<title\b[^>]*>\s*(.*?)\s*</title>`)
)

// maxTitle bounds the title and the text of a page in a sentence, in bytes each.
const maxTitle = 120

// Page reports whether a text is a page of HTML, and returns its title, or "" if it has none.
func Page[T ~string | ~[]byte](text T) (title string, ok bool) {
	body := strings.TrimLeft(string(text), " \t\r\n\ufeff")
	if at := markup().FindStringIndex(body); at == nil || at[0] != 0 {
		return "", false
	}
	return titleOf(body), true
}

// titleOf returns the title of a page in one line.
func titleOf(page string) string {
	found := titleTag().FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return OneLine(html.UnescapeString(found[1]))
}

// PageText returns the text of a page of HTML without markup and title, in one line.
func PageText(page string) string {
	return OneLine(html.UnescapeString(unseen().ReplaceAllString(page, " ")))
}

// OneLine returns a text with each run of white space as one space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Body formats the body of a response for an error or another sentence: one line of at most most bytes. For a
// page of HTML, or a page within a text, it returns its title, or its size if it has none, and the start of its
// text without markup. size is the size of the whole body, or negative if unknown.
func Body[T ~string | ~[]byte](head T, size int64, most int) string {
	text := strings.TrimSpace(strings.TrimLeft(string(head), " \t\r\n\ufeff"))
	at := markup().FindStringIndex(text)
	if at == nil || at[0] > 0 && !isWholePage(text[at[0]:]) {
		return Clip(OneLine(text), most)
	}
	page, title := "an HTML page", titleOf(text[at[0]:])
	switch {
	case title != "":
		page = "HTML page " + Quote(title, maxTitle)
	case size >= 0:
		page += " of " + Size(size)
	}
	if shown := PageText(text[at[0]:]); strings.ContainsFunc(shown, unicode.IsLetter) && shown != title {
		page += ": " + Quote(shown, maxTitle)
	}
	before := OneLine(text[:at[0]])
	if before == "" {
		return page
	}
	return Clip(before, most) + " " + page
}

// isWholePage reports whether markup within a text is a page, and not a word such as <p>.
func isWholePage(text string) bool {
	start := strings.ToLower(text[:min(len(text), 20)])
	return strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<head") || strings.HasPrefix(start, "<?xml")
}

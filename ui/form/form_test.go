package form

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/test/press"
	"mcptea/ui/paint"
)

const flood = `{"properties":{
	"count":{"type":"integer","description":"How many notifications","default":1000,"minimum":1,"maximum":1000000},
	"perSecond":{"type":"number","description":"How many a second; 0 is as fast as it can","default":0,"minimum":0,"maximum":1000000},
	"day":{"type":"string","format":"date","description":"Such as 2026-02-28"},
	"on":{"type":"boolean","description":"Whether to","default":true},
	"who":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}},
	"what":{"type":"string"}
},"required":["who","what"]}`

func draft(t *testing.T, raw string) *Form {
	t.Helper()
	d := &Form{}
	d.Take(schema.Parse([]byte(raw)))
	return d
}

// texts are what is filled in, by the IDs of the nodes.
func texts(d *Form) map[string]string {
	all := map[string]string{}
	for _, r := range d.rows {
		if r.usage == value {
			all[r.node.ID] = r.text()
		}
	}
	return all
}

func textOf(d *Form, id string) string { return texts(d)[id] }

func focus(d *Form, id string) { d.focusOn(d.Tree.Node(id), value) }

func screen(d *Form, w int) string {
	rows := d.Rows(palette, w, 40, true)
	return strings.Join(strings.Fields(ansi.Strip(strings.Join(rows, "\n"))), " ")
}

func TestForm_NoTextCutBesideAField(t *testing.T) {
	for w := 70; w <= 110; w += 4 { // of screens of 100 to 140 columns
		got := screen(draft(t, flood), w)
		for _, want := range []string{"How", "notifications", "default", "1000,", "1,000,000", "as it can", "0,", "2026-02-28", "Whether", "true"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d cells: %q is not in %s", w, want, got)
			}
		}
		if strings.Contains(got, "…") {
			t.Errorf("%d cells: something is cut: %s", w, got)
		}
	}
}

func TestForm_DefaultAfterSchemaReload(t *testing.T) {
	d := &Form{Prefill: true}
	d.Take(schema.Parse([]byte(flood)))
	focus(d, "perSecond")
	do(d, "end", "5")
	d.Take(schema.Parse([]byte(flood)))
	focus(d, "count")
	do(d, "7")
	focus(d, "perSecond")
	do(d, "7")
	if count, rate := textOf(d, "count"), textOf(d, "perSecond"); count != "7" || rate != "057" {
		t.Errorf("got %q and %q", count, rate)
	}
}

func TestForm_JSONShowsRequired(t *testing.T) {
	d := draft(t, flood)
	before := texts(d)
	d.ToJSON()
	want := `{"who":{"name":"","age":null},"what":""}`
	if got := string(jsonrpc.Compact([]byte(d.Editor.Value()))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if why := d.ToForm(); why != "" || d.AsJSON {
		t.Fatalf("no way back: %s", why)
	}
	for name, v := range texts(d) {
		if before[name] != v {
			t.Errorf("%s was %q and became %q", name, before[name], v)
		}
	}
	// An unchanged text from an editor is not a value either.
	d.SetJSON(d.Written() + "\n")
	if d.AsJSON || textOf(d, "who/name") != "" {
		t.Errorf("a blank became a value: %v", texts(d))
	}
	d.ToJSON()
	d.Editor.SetValue(strings.Replace(d.Editor.Value(), `"age": null`, `"age": 3`, 1))
	if why := d.ToForm(); why != "" || textOf(d, "who/age") != "3" || d.Tree.Node("who/name") != nil && d.Tree.Node("who/name").AsJSON {
		t.Errorf("%s, %v", why, texts(d))
	}
}

func TestCheck_EmptyTextIsSentTheSecondTime(t *testing.T) {
	d := draft(t, `{"properties":{"a":{"type":"string"},"b":{"type":"string","minLength":1},"c":{"type":"string"}},"required":["a","b"]}`)
	if _, send := d.Check(); send {
		t.Error("sent at once although b must not be empty")
	}
	if got := screen(d, 100); strings.Count(got, "✗ empty") != 1 || strings.Count(got, "✗ required") != 1 || d.Node().ID != "a" {
		t.Errorf("the focus is in %s of %s", d.Node().ID, got)
	}
	if got := warning(d); got != `⚠ a and 1 more are empty. ctrl+s again sends ""` {
		t.Errorf("the warning is %q", got)
	}
	d.Set(d.Tree.Node("b"), "x")
	if _, send := d.Check(); send || warning(d) != `⚠ a is empty. ctrl+s again sends ""` {
		t.Errorf("sent %v, with %q", send, warning(d))
	}
	values, send := d.Check()
	if got := screen(d, 100); !send || string(values) != `{"a":"","b":"x"}` || strings.Count(got, `sent as ""`) != 1 {
		t.Errorf("sent %v %s\n%s", send, values, got)
	}
	if _, send := d.Check(); !send {
		t.Error("the same is asked about again after it was sent")
	}
	focus(d, "a")
	d.CycleEmpty()
	d.insisted = nil
	if _, send := d.Check(); !send {
		t.Error("a text that the user has made empty is held back")
	}
}

// The warning counts and names the required values that are empty, and tells apart what becomes of them.
func TestCheck_EmptyRequiredOfEachKind(t *testing.T) {
	for _, tc := range []struct{ required, warning, values string }{
		{`"s"`, `⚠ s is empty. ctrl+s again sends ""`, `{"s":""}`},
		{`"b"`, "⚠ b is empty. ctrl+s again leaves it out", `{}`},
		{`"b","n"`, "⚠ n and 1 more are empty. ctrl+s again leaves them out", `{}`},
		{`"s","m"`, `⚠ s and 1 more are empty. ctrl+s again sends ""`, `{"s":"","m":""}`},
		{`"s","n","b"`, `⚠ s and 2 more are empty. ctrl+s again sends "" for 1 and leaves 2 out`, `{"s":""}`},
	} {
		d := draft(t, `{"properties":{"s":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"},"m":{"type":"string","minLength":2}},"required":[`+tc.required+`]}`)
		if _, send := d.Check(); send || warning(d) != tc.warning {
			t.Errorf("%s: sent %v, with %q", tc.required, send, warning(d))
		}
		if values, send := d.Check(); !send || string(values) != tc.values {
			t.Errorf("%s: sent %v %s", tc.required, send, values)
		}
		if got := screen(d, 100); strings.Contains(tc.warning, "leaves") && !strings.Contains(got, "left out") {
			t.Errorf("%s: the form does not show what was left out:\n%s", tc.required, got)
		}
	}
	d := draft(t, `{"properties":{"n":{"type":"number"},"b":{"type":"boolean"}},"required":["n","b"]}`)
	d.Set(d.Tree.Node("n"), "x")
	if d.Check(); warning(d) != "⚠ ctrl+s again sends it anyway" {
		t.Errorf("beside an invalid value the warning is %q", warning(d))
	}
}

// All that is wrong is shown the first time, whether a field or the schema finds it.
func TestCheck_AllAtOnce(t *testing.T) {
	const raw = `{"properties":{"z":{"type":"integer","maximum":100},"mail":{"type":"string","format":"email"},"n":{"type":"number"},` +
		`"page":{"type":"string","format":"uri"},"born":{"type":"string","format":"date"}}}`
	d := draft(t, raw)
	d.Whole = Whole([]byte(raw), true)
	for id, text := range map[string]string{"z": "200", "mail": "foo", "n": "abc", "page": "not a uri", "born": "2020-13-45"} {
		d.Set(d.Tree.Node(id), text)
	}
	if _, send := d.Check(); send {
		t.Error("sent")
	}
	if got := screen(d, 100); strings.Count(got, "✗") != 5 || d.Said != "" {
		t.Errorf("said %q on\n%s", d.Said, got)
	}
	d.ToJSON()
	d.Editor.SetValue(`{"z":3,"mail":"foo","page":"not a uri"}`)
	if _, send := d.Check(); send || d.Said != "mail: is not an email address" {
		t.Errorf("sent %v, said %q", send, d.Said)
	}
}

// The warning names the text in what was not filled in, also in items and alternatives.
func TestCheck_EmptyTextsOfItems(t *testing.T) {
	d := draft(t, `{"required":["list"],"properties":{"list":{"type":"array","items":{"type":"object","required":["name","kind"],"properties":{"name":{"type":"string"},"kind":{"type":"string"}}}},`+
		`"one":{"oneOf":[{"title":"a","type":"object","required":["x"],"properties":{"x":{"type":"string"}}},{"type":"integer"}]}}}`)
	for range 2 {
		focus(d, "list")
		d.AddItem()
	}
	list := d.Tree.Node("list").Children
	d.Set(list[0].Children[0], "a")
	d.Set(list[0].Children[1], "b")
	if _, send := d.Check(); send || warning(d) != `⚠ list[1].name and 1 more are empty. ctrl+s again sends ""` {
		t.Errorf("sent %v, with %q", send, warning(d))
	}
	if d.Node().ID != list[1].Children[0].ID {
		t.Errorf("the focus is in %s", d.Node().ID)
	}
	if values, send := d.Check(); !send || string(values) != `{"list":[{"name":"a","kind":"b"},{"name":"","kind":""}]}` {
		t.Errorf("sent %v %s", send, values)
	}
}

// warning is the line below the form.
func warning(d *Form) string {
	var r paint.Row
	r.Start(200, paint.Style{})
	d.PutWarning(&r, palette, "ctrl+s")
	return strings.TrimSpace(ansi.Strip(r.String()))
}

func TestIntegerBounds_OfADoubleAreNotShown(t *testing.T) {
	d := draft(t, `{"properties":{
		"all":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},
		"page":{"type":"integer","minimum":1,"maximum":9007199254740991},
		"share":{"type":"number","maximum":9007199254740991}}}`)
	got := screen(d, 120)
	if strings.Contains(got, "-9") || strings.Contains(got, "1 to 9") || !strings.Contains(got, "1 or more") {
		t.Error(got)
	}
}

func TestValues_OptionalDefaultIsNotSent(t *testing.T) {
	d := draft(t, `{"properties":{"limit":{"type":"integer","default":10},"mode":{"enum":["a","b"],"default":"a"},"on":{"type":"boolean","default":true},"size":{"type":"integer","default":3}},"required":["size"]}`)
	if values, _ := d.Values(); string(values) != `{"size":3}` {
		t.Errorf("sent %s", values)
	}
	d.Set(d.Tree.Node("limit"), "20")
	if values, _ := d.Values(); string(values) != `{"limit":20,"size":3}` {
		t.Errorf("sent %s", values)
	}
	// A default of an earlier schema does not survive it.
	d.Set(d.Tree.Node("limit"), "")
	d.Take(schema.Parse([]byte(`{"properties":{"limit":{"type":"integer","default":30},"size":{"type":"integer","default":4}},"required":["size"]}`)))
	if values, _ := d.Values(); string(values) != `{"size":4}` {
		t.Errorf("sent %s after the schema has changed", values)
	}
}

func TestSuggestions_LongEnumIsFiltered(t *testing.T) {
	d := &Form{Filters: true}
	d.Take(schema.Parse([]byte(`{"properties":{"c":{"enum":["Albania","Belgium","Brazil","Canada","Chile","Denmark","Egypt","France","Germany"]},"s":{"type":"string"}}}`)))
	focus(d, "c")
	do(d, "b", "r")
	if got := strings.Join(d.Suggestions(), ","); got != "Brazil" {
		t.Errorf("got %s", got)
	}
	d.Set(d.Tree.Node("c"), "Brazil")
	if values, wrong := d.Values(); string(values) != `{"c":"Brazil"}` || len(wrong) > 0 {
		t.Errorf("%s %v", values, wrong)
	}
	d.Set(d.Tree.Node("c"), "Brasil")
	if _, wrong := d.Values(); len(wrong) != 1 {
		t.Errorf("a value that is not listed is taken: %v", wrong)
	}
	// A text that was sent is suggested again.
	d.Set(d.Tree.Node("c"), "")
	d.Set(d.Tree.Node("s"), "milk")
	d.Check()
	d.Set(d.Tree.Node("s"), "m")
	focus(d, "s")
	if got := strings.Join(d.Suggestions(), ","); got != "milk" {
		t.Errorf("got %s", got)
	}
}

func TestKey_HeadingsAndNesting(t *testing.T) {
	d := draft(t, `{"properties":{"list":{"type":"array","items":{"type":"string"}},"map":{"type":"object","additionalProperties":{"type":"integer"}},"opt":{"type":"object","properties":{"x":{"type":"string"}}}}}`)
	press := func(names ...string) {
		for _, name := range names {
			d.Key(press.Key(name))
		}
	}
	press("space", "a", "tab", "space", "b", "tab", "tab", "space", "k", "tab", "7")
	if values, wrong := d.Values(); string(values) != `{"list":["a","b"],"map":{"k":7}}` || len(wrong) > 0 {
		t.Errorf("%s %v\n%s", values, wrong, screen(d, 100))
	}
	focus(d, "opt")
	press("space", "y")
	if got := screen(d, 100); !strings.Contains(got, "opt object ▾ 1 field") {
		t.Errorf("got %s", got)
	}
	press("shift+tab", "left")
	if got := screen(d, 100); !strings.Contains(got, `opt object ▸ {"x":"y"}`) {
		t.Errorf("got %s", got)
	}
	press("delete")
	if values, _ := d.Values(); string(values) != `{"list":["a","b"],"map":{"k":7}}` {
		t.Errorf("got %s", values)
	}
}

// The JSON has the items that the user added, also while nothing is in them.
func TestToJSON_ItemsThatWereAdded(t *testing.T) {
	d := draft(t, `{"properties":{"list":{"type":"array","minItems":1,"items":{"type":"object","properties":{"a":{"type":"string"}}}}},"required":["list"]}`)
	d.ToJSON()
	if got := string(jsonrpc.Compact([]byte(d.Editor.Value()))); got != `{"list":[{"a":""}]}` {
		t.Errorf("without a change: %s", got)
	}
	d.ToForm()
	for range 2 {
		focus(d, "list")
		d.AddItem()
	}
	d.ToJSON()
	if got := string(jsonrpc.Compact([]byte(d.Editor.Value()))); got != `{"list":[{},{},{}]}` {
		t.Errorf("after two items were added: %s", got)
	}
}

// Help that has no room in a row goes on in the rows below, as far as the form has some: before there
// is air between the fields.
func TestForm_HelpIsWholeWhereRowsAreLeft(t *testing.T) {
	f := fields(t, `"rate": {"type": "integer", "description": "How many a second; 0 is as fast as the connection takes them"}, "tags": {"type": "array", "items": {"type": "string"}, "description": "Narrows the search to what has one of these tags"}`)
	for _, w := range []int{48, 60} {
		got := strings.Join(strings.Fields(screenOf(t, f, w, 14)), " ")
		for _, want := range []string{"as fast as the connection takes them", "has one of these tags"} {
			if !strings.Contains(got, want) {
				t.Errorf("at %d cells %q is cut:\n%s", w, want, screenOf(t, f, w, 14))
			}
		}
	}
	if got := screenOf(t, f, 48, 4); !strings.Contains(got, "…") {
		t.Errorf("no help is cut in few rows:\n%s", got)
	}
}

// A character is part of the value, chooses one, or is refused in words; it is never both that and a
// command, and never nothing. A digit in a row that is not typed is left to the tabs, and changes nothing.
func TestKey_EachCharacterMeansOneThing(t *testing.T) {
	const fields = `{"properties":{
		"number":{"type":"number"},"integer":{"type":"integer"},"text":{"type":"string"},"date":{"type":"string","format":"date"},
		"long":{"type":"string","maxLength":5000},
		"boolean":{"type":"boolean"},"enum":{"type":"string","enum":["alpha","beta","4th"]},
		"several":{"type":"array","uniqueItems":true,"items":{"type":"string","enum":["x","y"]}},
		"object":{"type":"object","properties":{"a":{"type":"string"}}},"list":{"type":"array","items":{"type":"string"}}
	},"required":["number","integer","text","date","long","boolean","enum","several","object","list"]}`
	names := []string{"number", "integer", "text", "date", "long", "boolean", "enum", "several", "object", "list"}
	for _, name := range names {
		for c := rune(' '); c <= '~'; c++ {
			d := draft(t, fields)
			d.Select(name)
			r := d.focused()
			if r == nil || r.node.Name != name {
				t.Fatalf("%s has no row", name)
			}
			key := string(c)
			if c == ' ' {
				key = "space"
			}
			before, version, typed := r.text(), d.version, r.isTyped()
			taken := d.Key(press.Key(key))
			changed, said := d.version != version, r.note != ""
			switch digit := isDigit(key); {
			case typed:
				if !taken || !changed || said || !strings.HasSuffix(r.text(), string(c)) {
					t.Errorf("%s: %q is not typed: %q", name, c, r.text())
				}
			case digit && name != "enum":
				if taken || said || changed {
					t.Errorf("%s: the digit %q is not left to the tabs", name, c)
				}
			case digit && c != '4':
				if taken || said || changed || r.text() != before {
					t.Errorf("%s: the digit %q is not left to the tabs", name, c)
				}
			case !taken || changed == said:
				t.Errorf("%s: %q is taken: %t, changes something: %t, says %q", name, c, taken, changed, r.note)
			}
		}
	}
}

// Space on the row of a list or an object goes to its first field, whichever it is and whatever it has; the row says
// whether it is sent in the same words.
func TestKey_SpaceEntersTheFirstField(t *testing.T) {
	d := draft(t, `{"properties":{
		"tags":{"type":"array","items":{"type":"string"}},
		"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}},
		"size":{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"items":false},
		"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`)
	for _, tc := range []struct{ field, first, is string }{
		{"address", "street", "address object ▾ 1 field"}, {"tags", "[0]", "tags array of string ▾ 1 item"}, {"labels", "key", "labels object ▾ 1 field"},
	} {
		focus(d, tc.field)
		d.Key(press.Key("space"))
		if got := d.focused().label(); got != tc.first {
			t.Errorf("space on %s goes to %s, not %s", tc.field, got, tc.first)
		}
		d.Key(press.Key("x"))
		if got := screen(d, 100); !strings.Contains(got, tc.is) {
			t.Errorf("no %q in %s", tc.is, got)
		}
	}
	focus(d, "address")
	for range 2 { // folds, and unfolds again
		d.Key(press.Key("space"))
	}
	if got := d.focused().label(); got != "street" {
		t.Errorf("space on what has a value goes to %s", got)
	}
}

package form

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mcptea/internal/schema"
	"mcptea/internal/schema/variables"
	"mcptea/internal/test/raced"
)

const leaked = "a-secret-of-the-user"

// withSecret is a draft in which {{env.X}} is a secret.
func withSecret(raw string) *Form {
	d := &Form{Prefill: true}
	d.Variables = func(name string) (json.RawMessage, error) {
		if name == "env.X" {
			return json.RawMessage(`"` + leaked + `"`), nil
		}
		return nil, errors.New("no value")
	}
	d.Take(schema.Parse([]byte(raw)))
	return d
}

// hostile are schemas that put a variable and the name of a file into the form.
var hostile = map[string]string{
	"default":            `{"required":["q"],"properties":{"q":{"type":"string","default":"{{env.X}}"},"f":{"type":"string","default":"@/etc/passwd"}}}`,
	"escaped default":    `{"required":["q"],"properties":{"q":{"type":"string","default":"\\{{env.X}}"},"f":{"type":"string","default":"@@/etc/passwd"}}}`,
	"split default":      `{"required":["q"],"properties":{"q":{"type":"string","default":"{{{{env.X}}}} \\\\{{env.X}}"}}}`,
	"default of another": `{"required":["q"],"properties":{"q":{"type":"integer","default":"{{env.X}}"},"n":{"type":"number","default":"@/etc/passwd"}}}`,
	"const":              `{"required":["q"],"properties":{"q":{"const":"{{env.X}}"},"f":{"const":"@/etc/passwd"}}}`,
	"const of a type":    `{"required":["q"],"properties":{"q":{"type":"string","const":"{{env.X}}","default":"{{env.X}}"}}}`,
	"enum":               `{"required":["q"],"properties":{"q":{"enum":["{{env.X}}"],"default":"{{env.X}}"}}}`,
	"long enum":          `{"required":["q"],"properties":{"q":{"enum":["{{env.X}}","b","c","d","e","f","g","h","i"],"default":"{{env.X}}"}}}`,
	"titles":             `{"required":["q"],"properties":{"q":{"oneOf":[{"const":"{{env.X}}","title":"{{env.X}}"},{"const":"b"}],"default":"{{env.X}}"}}}`,
	"list of options":    `{"required":["q"],"properties":{"q":{"type":"array","items":{"enum":["{{env.X}}","b"]},"default":["{{env.X}}"]}}}`,
	"nested":             `{"required":["q"],"properties":{"q":{"type":"object","required":["a"],"properties":{"a":{"type":"string","default":"{{env.X}}"}}}}}`,
	"items":              `{"required":["q"],"properties":{"q":{"type":"array","minItems":2,"items":{"type":"string","default":"{{env.X}}"}}}}`,
	"map":                `{"required":["q"],"properties":{"q":{"type":"object","additionalProperties":{"type":"string","default":"{{env.X}}"}}}}`,
	"alternatives":       `{"required":["q"],"properties":{"q":{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"{{env.X}}"},"v":{"type":"string","default":"{{env.X}}"}}},{"type":"integer"}]}}}`,
	"of the whole":       `{"oneOf":[{"required":["q"],"properties":{"q":{"const":"{{env.X}}"}}},{"required":["r"],"properties":{"r":{"type":"string","default":"{{env.X}}"}}}]}`,
	"JSON":               `{"required":["q"],"properties":{"q":{"type":"array","items":[{"default":"{{env.X}}"}],"default":["{{env.X}}",{"a":"{{env.X}}"}]},"j":{"default":{"a":"{{env.X}}"}}}}`,
	"an odd type":        `{"required":["q"],"properties":{"q":{"type":"blob","default":{"a":"{{env.X}}"},"examples":["{{env.X}}"]}}}`,
	"words":              `{"title":"{{env.X}}","description":"{{env.X}}","required":["q"],"properties":{"q":{"type":"string","title":"{{env.X}}","description":"{{env.X}}","examples":["{{env.X}}"],"format":"{{env.X}}"}}}`,
}

// uses are what a user may do with a form before it is sent.
var uses = map[string]func(d *Form){
	"sent as it is": func(*Form) {},
	"edited": func(d *Form) {
		for n := range d.Tree.Leaves {
			d.Set(n, textOf(d, n.ID)+" ")
		}
	},
	"added to": func(d *Form) {
		for range 4 {
			for i := range d.rows {
				d.focus = min(i, len(d.rows)-1)
				d.AddItem()
				do(d, "space", "right")
			}
		}
	},
	"as JSON": func(d *Form) { d.ToJSON() },
	"as JSON and back": func(d *Form) {
		d.ToJSON()
		d.Editor.SetValue(strings.Replace(d.Editor.Value(), "{", `{"more":1,`, 1))
		d.ToForm()
	},
	"values as JSON": func(d *Form) {
		for i := range d.rows {
			d.focus = min(i, len(d.rows)-1)
			d.ToggleValueJSON()
		}
	},
	"values as JSON and back": func(d *Form) {
		for range 2 {
			for i := range d.rows {
				d.focus = min(i, len(d.rows)-1)
				d.ToggleValueJSON()
			}
		}
	},
	"kept and used": func(d *Form) {
		kept := d.Unresolved()
		d.Use(kept)
	},
	"kept from JSON and used": func(d *Form) {
		d.ToJSON()
		kept := d.Unresolved()
		d.ToForm()
		d.Use(kept)
	},
	"in an editor": func(d *Form) { d.SetJSON(strings.Replace(d.Written(), "{", `{"more":1,`, 1)) },
	"filled with a response": func(d *Form) {
		d.Fill([]byte(`{"q":"{{env.X}}","f":"@/etc/passwd","r":"\\{{env.X}}","j":{"a":["{{env.X}}"]}}`))
	},
	"completed": func(d *Form) {
		for n := range d.Tree.Leaves {
			d.Set(n, variables.Literal("{{env.X}}"))
		}
	},
	"another schema": func(d *Form) {
		for n := range d.Tree.Leaves {
			d.Set(n, textOf(d, n.ID)) // chosen
			n.Empty = n.Text == ""
		}
		d.Take(schema.Parse([]byte(`{"required":["q"],"properties":{"q":{"type":"string"},"f":{"type":"string"}}}`)))
	},
}

// No text of a server becomes a variable or the name of a file, whatever the user does
// with the form.
func TestProvenance_TextOfServersIsNotResolved(t *testing.T) {
	raced.Never(t, "fills in each form in each way, in one goroutine")
	for form, raw := range hostile {
		for use, apply := range uses {
			for _, filters := range []bool{false, true} {
				d := withSecret(raw)
				d.Filters = filters
				d.Take(d.Schema)
				apply(d)
				if paths := d.Paths(); len(paths) > 0 {
					t.Errorf("%s, %s: the file %s is read", form, use, paths)
				}
				for range 2 {
					values, _ := d.Check()
					if strings.Contains(string(values), leaked) {
						t.Errorf("%s, %s: sent %s", form, use, values)
					}
				}
			}
		}
	}
}

// Text that stands for itself is sent unchanged.
func TestProvenance_DefaultIsSentAsItIs(t *testing.T) {
	raced.Never(t, "fills in each form in each way, in one goroutine")
	for form, want := range map[string]string{
		"default":         `{"q":"{{env.X}}","f":"@/etc/passwd"}`,
		"escaped default": `{"q":"\\{{env.X}}","f":"@@/etc/passwd"}`,
		"split default":   `{"q":"{{{{env.X}}}} \\\\{{env.X}}"}`,
		"const":           `{"q":"{{env.X}}","f":"@/etc/passwd"}`,
		"enum":            `{"q":"{{env.X}}"}`,
		"list of options": `{"q":["{{env.X}}"]}`,
		"nested":          `{"q":{"a":"{{env.X}}"}}`,
		"alternatives":    `{"q":{"k":"{{env.X}}","v":"{{env.X}}"}}`,
		"an odd type":     `{"q":{"a":"{{env.X}}"}}`,
	} {
		for use, apply := range map[string]func(d *Form){
			"sent as it is": func(*Form) {}, "as JSON": uses["as JSON"], "kept and used": uses["kept and used"], "values as JSON": uses["values as JSON"],
		} {
			d := withSecret(hostile[form])
			apply(d)
			got, wrong := d.Values()
			if use == "as JSON" && strings.Contains(form, "default") {
				want := strings.Split(want, `,"f"`)[0] // an optional default is not in the JSON twice
				if !strings.HasPrefix(string(got), strings.TrimSuffix(want, "}")) {
					t.Errorf("%s, %s: sent %s, not %s", form, use, got, want)
				}
			} else if string(got) != want {
				t.Errorf("%s, %s: sent %s, not %s (%v)", form, use, got, want, wrong)
			}
		}
	}
}

func TestProvenance_TypedVariablesAndFiles(t *testing.T) {
	raced.Never(t, "fills in each form in each way, in one goroutine")
	d := withSecret(`{"required":["q"],"properties":{"q":{"type":"string","default":"{{env.X}}"},"f":{"type":"string"},"n":{"type":"integer"},"e":{"enum":["a-secret-of-the-user","b"]}}}`)
	d.Set(d.Tree.Node("q"), "{{env.X}} {{env.X}}")
	d.Set(d.Tree.Node("f"), "@file")
	if got := d.Paths(); len(got) != 1 || got[0] != "file" {
		t.Fatalf("reads %v", got)
	}
	d.SetFile("file", []byte("content"), nil)
	kept := d.Unresolved()
	if values, _ := d.Check(); string(values) != `{"q":"`+leaked+" "+leaked+`","f":"content"}` {
		t.Errorf("sent %s", values)
	}
	again := withSecret(`{"properties":{"q":{"type":"string"},"f":{"type":"string"}}}`)
	again.Use(kept)
	again.SetFile("file", []byte("content"), nil)
	if values, _ := again.Check(); string(values) != `{"q":"`+leaked+" "+leaked+`","f":"content"}` {
		t.Errorf("what was kept sends %s", values)
	}
	d.ToJSON()
	d.Editor.SetValue(`{"q":"{{env.X}}"}`)
	if values, _ := d.Values(); string(values) != `{"q":"`+leaked+`"}` {
		t.Errorf("the JSON sends %s", values)
	}
	d.ToForm()
	if values, _ := d.Values(); string(values) != `{"q":"`+leaked+`"}` {
		t.Errorf("the form of the JSON sends %s", values)
	}
}

package catalog

import (
	"mcptea/client/revision"
	"mcptea/demo/peer"
)

// form is what tools ask for. Some kinds of fields came with 2025-11-25.
type form struct {
	message string
	plain   string // fields that 2025-06-18 has too
	newer   string // further fields from 2025-11-25 on; may be empty
	last    string // what stands after the properties
}

func (f form) schema(r revision.Revision) string {
	fields := f.plain
	if f.newer != "" && peer.ElicitationDefaults.In(r) {
		fields += "," + f.newer
	}
	return `{"type":"object","properties":{` + fields + `}` + f.last + `}`
}

var forms = map[string]form{
	"confirm": {
		message: "Shall I put the kettle on?",
		plain:   `"yes":{"type":"boolean","title":"Yes, please"}`,
		last:    `,"required":["yes"]`,
	},
	"order": {
		message: "What may I bring you?",
		plain: `"tea":{"type":"string","title":"Tea","enum":["green","black","oolong","white"]},` +
			`"cups":{"type":"integer","title":"Cups","description":"How many","minimum":1,"maximum":12},` +
			`"milk":{"type":"boolean","title":"Milk","default":false}`,
		last: `,"required":["tea","cups"]`,
	},
	"name": {
		message: "What is your name?",
		plain:   `"name":{"type":"string","title":"Name","minLength":1,"maxLength":40}`,
		last:    `,"required":["name"]`,
	},
	"strength": {
		message: "How strong shall it be?",
		plain:   `"strength":{"type":"string","title":"Strength","enum":["light","medium","strong"]}`,
		last:    `,"required":["strength"]`,
	},
	"everything": {
		message: "One field of every kind. Only the name is needed.",
		plain: `"name":{"type":"string","title":"Name","description":"As it shall stand on the cup","minLength":1,"maxLength":40},` +
			`"email":{"type":"string","title":"E-mail","format":"email"},` +
			`"page":{"type":"string","title":"Home page","format":"uri"},` +
			`"birthday":{"type":"string","title":"Birthday","format":"date"},` +
			`"pickup":{"type":"string","title":"Picked up at","format":"date-time"},` +
			`"sugar":{"type":"number","title":"Sugar","description":"Spoons","minimum":0,"maximum":5},` +
			`"cups":{"type":"integer","title":"Cups","minimum":1},` +
			`"milk":{"type":"boolean","title":"Milk","default":true},` +
			`"size":{"type":"string","title":"Size","enum":["s","m","l"],"enumNames":["Small","Medium","Large"]}`,
		newer: `"kind":{"type":"string","title":"Kind","oneOf":[{"const":"g","title":"Green tea"},{"const":"b","title":"Black tea"}],"default":"g"},` +
			`"extras":{"type":"array","title":"Extras","items":{"type":"string","enum":["lemon","honey","mint"]},"maxItems":2,"default":["honey"]},` +
			`"snacks":{"type":"array","title":"Snacks","items":{"anyOf":[{"const":"sc","title":"Scone"},{"const":"bi","title":"Biscuit"}]}}`,
		last: `,"required":["name"]`,
	},
}

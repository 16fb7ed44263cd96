package catalog

// The schemas of the tools, by name of the tool. They are written out as they
// cross the wire, since they are what is on show.
const (
	noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

	echoSchema = `{"type":"object","properties":{` +
		`"message":{"type":"string","description":"What to say"}},"required":["message"]}`

	addSchema = `{"type":"object","properties":{` +
		`"a":{"type":"number","description":"The first number","minimum":-1000000,"maximum":1000000},` +
		`"b":{"type":"number","description":"The second number","default":1,"minimum":-1000000,"maximum":1000000}},` +
		`"required":["a"]}`

	addOutput = `{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`

	greetSchema = `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Whom to greet","minLength":1,"maxLength":80},` +
		`"language":{"type":"string","description":"In which language","enum":["en","de","fr","ja"],"default":"en"},` +
		`"style":{"type":"string","description":"In which tone","oneOf":[` +
		`{"const":"plain","title":"Plain"},{"const":"warm","title":"Warm and friendly"},{"const":"stiff","title":"Very formal"}],` +
		`"default":"plain"},` +
		`"shout":{"type":"boolean","description":"In capitals","default":false}},"required":["name"]}`

	weatherSchema = `{"type":"object","properties":{` +
		`"city":{"type":"string","description":"A city, anywhere","minLength":1,"examples":["Lisbon"]},` +
		`"unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}},"required":["city"]}`

	weatherOutput = `{"type":"object","properties":{` +
		`"city":{"type":"string"},"temperature":{"type":"number"},"unit":{"type":"string","enum":["celsius","fahrenheit"]},` +
		`"conditions":{"type":"string"},"humidity":{"type":"integer","minimum":0,"maximum":100}},` +
		`"required":["city","temperature","unit","conditions"]}`

	searchSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"query":{"type":"string","description":"Words to look for"},` +
		`"filter":{"$ref":"#/$defs/filter"},` +
		`"tags":{"type":"array","description":"All of these tags","items":{"type":"string"},"maxItems":5},` +
		`"limit":{"type":"integer","description":"How many at most","minimum":1,"maximum":50,"default":5}},` +
		`"required":["query"],"$defs":{` +
		`"filter":{"type":"object","description":"Narrows the search","properties":{` +
		`"author":{"type":"string"},` +
		`"years":{"$ref":"#/$defs/range"}}},` +
		`"range":{"type":"object","description":"From one year to another","properties":{` +
		`"from":{"type":"integer","minimum":1900},"to":{"type":"integer","maximum":2100}}}}}`

	reportSchema = `{"type":"object","properties":{` +
		`"title":{"type":"string","description":"Stands at the top"},` +
		`"rows":{"type":"array","description":"The lines of the report","minItems":1,"items":{"type":"object","properties":{` +
		`"item":{"type":"string"},"count":{"type":"integer","minimum":0},"price":{"type":"number","minimum":0}},` +
		`"required":["item","count"]}}},"required":["title","rows"]}`

	anySchema = `{"type":"object","description":"Anything at all","additionalProperties":true}`

	datesSchema = `{"type":"object","properties":{` +
		`"day":{"type":"string","format":"date","description":"Such as 2026-02-28"},` +
		`"moment":{"type":"string","format":"date-time","description":"Such as 2026-02-28T12:00:00Z"},` +
		`"email":{"type":"string","format":"email"},` +
		`"page":{"type":"string","format":"uri"},` +
		`"code":{"type":"string","description":"Two capitals, a dash, four digits","pattern":"^[A-Z]{2}-[0-9]{4}$"}},` +
		`"required":["day"]}`

	longWorkSchema = `{"type":"object","properties":{` +
		`"duration":{"type":"number","description":"Seconds in all","default":10,"minimum":0,"maximum":3600},` +
		`"steps":{"type":"integer","description":"Reports on the way","default":5,"minimum":1,"maximum":1000}}}`

	countUpSchema = `{"type":"object","properties":{` +
		`"to":{"type":"integer","description":"The last number","default":5,"minimum":1,"maximum":1000},` +
		`"interval":{"type":"number","description":"Seconds between two numbers","default":0.5,"minimum":0,"maximum":60}}}`

	floodSchema = `{"type":"object","properties":{` +
		`"count":{"type":"integer","description":"How many notifications","default":1000,"minimum":1,"maximum":1000000},` +
		`"kind":{"type":"string","enum":["log","progress"],"default":"progress"},` +
		`"perSecond":{"type":"integer","description":"How many a second; 0 is as fast as it can","minimum":0,"maximum":1000000,"default":0}}}`

	failSchema = `{"type":"object","properties":{` +
		`"message":{"type":"string","description":"What went wrong","default":"It did not work out."}}}`

	failProtocolSchema = `{"type":"object","properties":{` +
		`"code":{"type":"integer","description":"The JSON-RPC error code","default":-32603},` +
		`"message":{"type":"string","default":"Something broke"},` +
		`"data":{"description":"Goes into the error as it is"}}}`

	slowSchema = `{"type":"object","properties":{` +
		`"seconds":{"type":"number","default":3,"minimum":0,"maximum":3600}}}`

	bigSchema = `{"type":"object","properties":{` +
		`"kilobytes":{"type":"integer","description":"Size of the text","default":100,"minimum":1,"maximum":65536}}}`

	askUserSchema = `{"type":"object","properties":{` +
		`"form":{"type":"string","description":"Which form to show","oneOf":[` +
		`{"const":"order","title":"A cup of tea"},{"const":"confirm","title":"Yes or no"},` +
		`{"const":"everything","title":"Every kind of field"},{"const":"url","title":"A page to open"},{"const":"url-first","title":"A page to open before the call"}],"default":"order"}}}`

	askModelSchema = `{"type":"object","properties":{` +
		`"question":{"type":"string","default":"Which tea goes with a rainy afternoon?"},` +
		`"maxTokens":{"type":"integer","default":200,"minimum":1,"maximum":4000},` +
		`"tools":{"type":"boolean","description":"Let the model use a tool on the way","default":false}}}`

	logSchema = `{"type":"object","properties":{` +
		`"level":{"type":"string","enum":["debug","info","notice","warning","error","critical","alert","emergency"],"default":"info"},` +
		`"logger":{"type":"string","default":"demo"},` +
		`"data":{"description":"Any JSON value; a sentence when absent"}}}`

	brewSchema = `{"type":"object","properties":{` +
		`"tea":{"type":"string","description":"Which tea","default":"green"},` +
		`"seconds":{"type":"number","description":"How long it takes","default":5,"minimum":0,"maximum":3600},` +
		`"ask":{"type":"boolean","description":"Ask on the way how strong it shall be","default":false},` +
		`"outcome":{"type":"string","description":"How it ends","oneOf":[` +
		`{"const":"done","title":"Well"},{"const":"fail","title":"With a result that says that it failed"},` +
		`{"const":"error","title":"With an error of the protocol"}],"default":"done"}}}`

	changeListSchema = `{"type":"object","properties":{` +
		`"list":{"type":"string","description":"Which list","enum":["tools","prompts","resources"],"default":"prompts"}}}`

	sendOrderSchema = `{"type":"object","properties":{` +
		`"region":{"type":"string","description":"Sent in the header Mcp-Param-Region","default":"eu-north","x-mcp-header":"Region"},` +
		`"cups":{"type":"integer","description":"Sent in the header Mcp-Param-Cups","default":2,"minimum":1,"maximum":9007199254740991,"x-mcp-header":"Cups"},` +
		`"express":{"type":"boolean","description":"Sent in the header Mcp-Param-Express","default":false,"x-mcp-header":"Express"},` +
		`"note":{"type":"string","description":"Sent in Mcp-Param-Note, in Base64 if necessary","default":"Grüße","x-mcp-header":"Note"},` +
		`"to":{"type":"object","description":"Not a header itself","properties":{` +
		`"table":{"type":"string","description":"Sent in the header Mcp-Param-Table","default":"7","x-mcp-header":"Table"}}}},` +
		`"required":["region"]}`

	touchSchema = `{"type":"object","properties":{` +
		`"uri":{"type":"string","format":"uri","default":"demo://counter"}}}`
)

package tooltypes_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"mcptea/session/export/tooltypes"
)

const weather = `{"type":"object","required":["city","when"],"properties":{
	"city":{"type":"string","description":"Name of the city"},
	"when":{"anyOf":[{"type":"string"},{"type":"null"}]},
	"unit":{"enum":["celsius","fahrenheit"]},
	"days":{"type":"integer"},
	"area":{"type":"object","required":["lat"],"properties":{"lat":{"type":"number"},"is-exact":{"type":"boolean"}}},
	"extra":{"type":"object","additionalProperties":{"type":"string"}},
	"parts":{"type":"array","items":{"$ref":"#/$defs/Part"}}},
	"$defs":{"Part":{"type":"object","properties":{"parts":{"type":"array","items":{"$ref":"#/$defs/Part"}},"id":{"type":["string","integer"]}}}}}`

func written(t *testing.T, l tooltypes.Language, tools ...tooltypes.Tool) (text string, loose int) {
	t.Helper()
	var b strings.Builder
	loose, err := tooltypes.Write(&b, l, "demo", tools)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), loose
}

func TestWrite(t *testing.T) {
	tool := tooltypes.Tool{Name: "get_weather", Description: "Tells the weather", Input: []byte(weather), Output: []byte(`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}`)}
	bare := tooltypes.Tool{Name: "get-weather", Input: []byte(`{"type":"object"}`)}
	for _, c := range []struct {
		language tooltypes.Language
		loose    int
		want     []string
	}{
		{tooltypes.TypeScript, 0, []string{
			"/** The arguments of get_weather: Tells the weather */\nexport interface GetWeatherArguments {\n  /** Name of the city */\n  city: string;\n  when: string | null;\n",
			`unit?: "celsius" | "fahrenheit";`, "  area?: {\n    lat: number;\n    \"is-exact\"?: boolean;\n  };\n", "extra?: Record<string, string>;", "parts?: GetWeatherPart[];",
			"export interface GetWeatherPart {\n  parts?: GetWeatherPart[];\n  id?: string | number;\n}", "export interface GetWeather2Arguments {}",
			"get_weather: { arguments: GetWeatherArguments; result: GetWeatherResult };", `"get-weather": { arguments: GetWeather2Arguments; result: undefined };`,
		}},
		{tooltypes.Go, 1, []string{
			"// GetWeatherArguments: The arguments of get_weather: Tells the weather\ntype GetWeatherArguments struct {\n", "City string `json:\"city\"`", "When *string `json:\"when\"`",
			"Unit *GetWeatherArgumentsUnit `json:\"unit,omitempty\"`", "GetWeatherArgumentsUnitCelsius GetWeatherArgumentsUnit = \"celsius\"", "Days *int64 `json:\"days,omitempty\"`",
			"Area *GetWeatherArgumentsArea `json:\"area,omitempty\"`", "Lat float64 `json:\"lat\"`", "IsExact *bool `json:\"is-exact,omitempty\"`", "Extra map[string]string `json:\"extra,omitempty\"`",
			"Parts []GetWeatherPart `json:\"parts,omitempty\"`", "Id any `json:\"id,omitempty\"`",
		}},
		{tooltypes.Python, 0, []string{
			"# The arguments of get_weather: Tells the weather\nclass GetWeatherArguments(TypedDict):\n    # Name of the city\n    city: str\n    when: Union[str, None]\n",
			`unit: NotRequired[Literal["celsius", "fahrenheit"]]`, "area: NotRequired[GetWeatherArgumentsArea]", "GetWeatherArgumentsArea = TypedDict(\"GetWeatherArgumentsArea\", {\n    \"lat\": float,\n    \"is-exact\": NotRequired[bool],\n})",
			"extra: NotRequired[dict[str, str]]", "parts: NotRequired[list[GetWeatherPart]]", "class GetWeather2Arguments(TypedDict):\n    pass",
		}},
	} {
		t.Run(c.language.Name, func(t *testing.T) {
			got, loose := written(t, c.language, tool, bare)
			spaced := got
			if c.language.Name == tooltypes.Go.Name { // gofmt aligns
				spaced = strings.Join(strings.FieldsFunc(got, func(r rune) bool { return r == ' ' || r == '\t' }), " ")
			}
			for _, want := range c.want {
				if !strings.Contains(spaced, want) {
					t.Errorf("without %s:\n%s", want, got)
				}
			}
			if loose != c.loose {
				t.Errorf("%d types are loose, want %d", loose, c.loose)
			}
			if c.language.Name == tooltypes.Go.Name {
				if _, err := parser.ParseFile(token.NewFileSet(), "tools.go", got, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Text of a server ends no comment and no literal, is on one line, and has nothing invisible in it.
func TestWrite_HostileText(t *testing.T) {
	const about = "*/ evil(); /* \\n\"\"\" \\u202e \\u001b[31m"
	tools := []tooltypes.Tool{
		{Name: "*/\n\u202eevil\"\\", Description: "*/ evil();\n\"\"\" \u202e\x1b[31m", Input: []byte(`{"type":"object","description":"` + about + `","properties":{
			"a\"]=evil()//\n` + "`" + `":{"type":"string","description":"` + about + `"},"class":{"type":"string"},"e":{"enum":["\"+evil()+\"","\u202e"]}}}`)},
		{Name: "", Input: []byte(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`)},
	}
	for _, l := range []tooltypes.Language{tooltypes.TypeScript, tooltypes.Go, tooltypes.Python} {
		got, _ := written(t, l, tools...)
		if strings.ContainsAny(got, "\u202e\x1b") {
			t.Errorf("%s has an invisible character:\n%q", l.Name, got)
		}
		for line := range strings.Lines(got) {
			rest := strings.TrimSpace(line)
			isComment := strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "/**") && strings.Count(rest, "*/") == 1 && strings.HasSuffix(rest, "*/")
			if outside := evilOutside(rest); outside && !isComment {
				t.Errorf("%s: text of the server is code: %s", l.Name, line)
			}
		}
		if l.Name == tooltypes.Go.Name {
			if _, err := parser.ParseFile(token.NewFileSet(), "tools.go", got, 0); err != nil {
				t.Errorf("%v\n%s", err, got)
			}
		}
	}
}

// evilOutside reports whether a line has evil() outside of a literal in double quotes.
func evilOutside(line string) bool {
	inside := false
	for i := 0; i < len(line); i++ {
		switch {
		case inside && line[i] == '\\':
			i++
		case line[i] == '"':
			inside = !inside
		case !inside && strings.HasPrefix(line[i:], "evil("):
			return true
		}
	}
	return false
}

// A schema in which each level names two others has no more types than the bound.
func TestWrite_Bounded(t *testing.T) {
	both := `{"allOf":[{"$ref":"#"},{"$ref":"#"}],"properties":{"x":{"anyOf":[{"$ref":"#/properties/x"},{"allOf":[{"$ref":"#"}]}]}}}`
	for _, l := range []tooltypes.Language{tooltypes.TypeScript, tooltypes.Go, tooltypes.Python} {
		if got, _ := written(t, l, tooltypes.Tool{Name: "t", Input: []byte(both)}); len(got) > 2_000_000 {
			t.Errorf("%s has %d bytes", l.Name, len(got))
		}
	}
}

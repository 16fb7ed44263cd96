package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mcptea/cli/manual"
	"mcptea/internal/words/display"
)

// elsewhere are the pages that mcptea help does not print: the list of them, and what is for who
// changes the program. mcptea explain prints the rules and the probes.
var elsewhere = []string{"README", "architecture"}

// A page that is added to the documentation is in the list of pages and in the program.
func TestTopics_EachPage(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	list, _, code := called(t, "help", "topics")
	if code != 0 {
		t.Fatal(code)
	}
	seen := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if slices.Contains(elsewhere, name) {
			continue
		}
		seen++
		if !regexp.MustCompile(`(?m)^  ` + name + ` +\S`).MatchString(list) {
			t.Errorf("mcptea help topics does not list %s", name)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		out, errs, code := called(t, "help", name)
		if code != 0 || errs != "" || name != manual.Rules && name != manual.Probes && !strings.Contains("\n"+out, "\n"+title+"\n\n") {
			t.Errorf("mcptea help %s: exit code %d, %s%.300s", name, code, errs, out)
		}
	}
	if topics := len(manual.Topics()); topics != seen {
		t.Errorf("there are %d topics and %d pages", topics, seen)
	}
}

// A page is text for a terminal: no syntax of Markdown, no pictures, wrapped except for code.
func TestTopics_Text(t *testing.T) {
	for _, topic := range manual.Topics() {
		if topic.Name == manual.Rules || topic.Name == manual.Probes {
			continue
		}
		out, _, _ := called(t, "help", topic.Name)
		for _, mark := range []string{"](", "<!--", "\n#", "```", "**", ".svg", "\x1b", "\n|"} {
			if i := strings.Index(out, mark); i >= 0 && !strings.Contains(out[:i], "\n  ") {
				t.Errorf("%s has %q: %.80s", topic.Name, mark, out[max(0, i-40):])
			}
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			if display.Width(line) > 80 && !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "mcptea ") {
				t.Errorf("%s has a line of %d cells: %s", topic.Name, display.Width(line), line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("%s has blanks at the end of %q", topic.Name, line)
			}
		}
		if strings.Contains(out, "\n\n\n") {
			t.Errorf("%s has empty lines after one another", topic.Name)
		}
	}
}

func TestHelp_PageOfACommand(t *testing.T) {
	out, _, code := called(t, "help", "check")
	if code != 0 || !strings.HasPrefix(out, "mcptea check TARGET [flags]\nThe flags are in mcptea check --help.\n\nCheck a server\n") {
		t.Errorf("exit code %d, %.300s", code, out)
	}
	if !strings.Contains(out, "\n  mcptea check --only tools --only 'P-02*' -- node server.js\n") {
		t.Error("a line of code is not whole")
	}
	for _, word := range []string{"docs/check.md", "check.md", "Check"} {
		if other, _, _ := called(t, "help", word); other != out {
			t.Errorf("mcptea help %s is another page", word)
		}
	}
	if out, _, _ := called(t, "check", "--help"); !strings.Contains(out, "\nMore help\n  mcptea help check ") {
		t.Errorf("the help of the command does not name its page: %s", out)
	}
	if out, _, _ := called(t, "help", "call"); !strings.Contains(out, "\nUsage\n") || !strings.Contains(out, "\n  mcptea help requests ") {
		t.Errorf("a command without a page of its name has its help: %s", out)
	}
	if out, _, _ := called(t, "help", "authorization"); !strings.Contains(out, "\nAuthorization (HTTP)\n") || !strings.Contains(out, "\n  --grant ") {
		t.Errorf("the page of authorization has its flags: %s", out)
	}
}

func TestHelp_UnknownTopic(t *testing.T) {
	for word, near := range map[string]string{"trubleshooting": "troubleshooting", "chek": "check", "exit-code": "exit-codes", "topic": "topics", "cal": "call"} {
		if _, errs, code := called(t, "help", word); code != 2 || !strings.Contains(errs, `unknown topic "`+word+`"`) || !regexp.MustCompile(`Did you mean .*\b`+near+`\b`).MatchString(errs) {
			t.Errorf("%s: exit code %d, %s", word, code, errs)
		}
	}
	if _, errs, _ := called(t, "help", "qqqqqqqq"); !strings.Contains(errs, "mcptea help topics") {
		t.Error(errs)
	}
}

func TestHelp_CompletesTopics(t *testing.T) {
	for begin, want := range map[string]string{"trou": "troubleshooting\t", "exit": "exit-codes\t", "top": "topics\t", "che": "check\t", "auth": "authorization\t"} {
		if out, _, _ := called(t, "__complete", "help", begin); !strings.Contains("\n"+out, "\n"+want) || strings.Count("\n"+out, "\n"+want) != 1 {
			t.Errorf("%s: %s", begin, out)
		}
	}
}

// The topics about a command exist, and each command has some, or its help says all.
func TestTopics_EachCommand(t *testing.T) {
	whole := []string{"help", "completion", "version"}
	for _, c := range Commands().Commands() {
		if c.IsAvailableCommand() && len(manual.Of(c.Name())) == 0 && !slices.Contains(whole, c.Name()) {
			t.Errorf("no page about mcptea %s", c.Name())
		}
	}
	if topics := manual.Of("check"); len(topics) != 3 {
		t.Error(topics)
	}
}

// What the program prints names pages by a command: it has no folder docs.
func TestHelp_NamesNoFileOfTheDocumentation(t *testing.T) {
	file := regexp.MustCompile(`docs/[a-z-]+\.md`)
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if m := file.FindString(c.Long + c.Short + c.Example + c.Flags().FlagUsages()); m != "" {
			t.Errorf("%s names %s", c.CommandPath(), m)
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look(Commands())
	for _, topic := range manual.Topics() {
		if out, _, _ := called(t, "help", topic.Name); file.MatchString(out) {
			t.Errorf("mcptea help %s names %s", topic.Name, file.FindString(out))
		}
	}
}

// mcptea help environment lists each variable of mcptea that a command reads.
func TestHelp_EachVariable(t *testing.T) {
	out, _, _ := called(t, "help", "environment")
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`"(MCPTEA_[A-Z_]*[A-Z]_?)"`).FindAllStringSubmatch(string(text), -1) {
			seen++
			if !strings.Contains(out, m[1]) {
				t.Errorf("%s reads %s, which mcptea help environment does not name", path, m[1])
			}
		}
		return err
	})
	if err != nil || seen < 10 {
		t.Fatal(seen, err)
	}
}

// What is written in small letters has to be, and a value that may be left out is behind =.
func TestHelp_ValuesOfFlags(t *testing.T) {
	out, _, _ := called(t, "help", "flags")
	for _, flag := range []string{"--fault NAME[=ARG][@PROBABILITY][,tool=NAME]", "--trace[=full] ", "--attach[=ID] ", "--record FILE ", `-H, --header "NAME: VALUE" `} {
		if !strings.Contains(out, flag) {
			t.Errorf("no %q: %s", flag, out)
		}
	}
}

// A link names the topic of its page, the lines of a paragraph are one, and code is not wrapped.
func TestTopics_LinksParagraphsAndCode(t *testing.T) {
	for topic, text := range map[string]string{
		"check":     "the lint rules (mcptea help rules).", // a link with a text
		"attach":    "the calls of agents (mcptea help agents)",
		"requests":  "mcptea help attach keeps one connection", // a link whose text is the file
		"tap":       "servers wrap (mcptea help hosts)",        // a section of a page
		"recording": "record/FORMAT.md specifies",              // not in the program
		"mock":      "\n  mcptea export session.mcptea.jsonl --to mock -o made.yaml       # … from a recording, with its responses\n",
		"keys":      "\nprogram, find them by words and run them. While a text field has the focus,\n", // two lines of the source
	} {
		out, _, _ := called(t, "help", topic)
		words := strings.Join(strings.Fields(out), " ")
		if !strings.Contains(out, text) && !strings.Contains(words, strings.TrimSpace(text)) || strings.HasPrefix(text, "\n") && !strings.Contains(out, text) {
			t.Errorf("mcptea help %s has no %q", topic, text)
		}
	}
}

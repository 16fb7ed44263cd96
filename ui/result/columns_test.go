package result

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const teas = `[{"id":2,"name":"oolong","price":9.5},{"id":10,"name":"Assam | \"strong\""},{"id":1,"name":"green","price":12,"note":"a\nb"},{"id":3,"name":"black","price":9.5}]`

// ids returns the ids of the visible rows, from top to bottom.
func ids(t *testing.T, v *Body) string {
	t.Helper()
	var all []string
	for _, row := range rows(t, v, 60, 12) {
		if fields := strings.Fields(row); len(fields) > 1 && strings.Trim(fields[0], "0123456789") == "" && fields[1] != "rows" {
			all = append(all, fields[0])
		}
	}
	return strings.Join(all, " ")
}

func ofTeas(t *testing.T) (*Body, Table) {
	t.Helper()
	v := resultOf("tools/call", `{"content":[],"structuredContent":`+teas+`}`)
	rows(t, v, 60, 12)
	table, ok := v.Table()
	if !ok {
		t.Fatal("no table")
	}
	return v, table
}

// Keys sort by their column: up, down, and as sent. Numbers are compared by their values, texts without
// case; rows without the value are last.
func TestTable_Sorts(t *testing.T) {
	v, table := ofTeas(t)
	for _, tt := range []struct {
		step int
		want [3]string
	}{
		{0, [3]string{"1 2 3 10", "10 3 2 1", "2 10 1 3"}},
		{1, [3]string{"10 3 1 2", "2 1 3 10", "2 10 1 3"}},
		{1, [3]string{"2 3 1 10", "1 2 3 10", "2 10 1 3"}},
	} {
		table.Move(tt.step)
		for i, want := range tt.want {
			said := table.Sort()
			if got := ids(t, v); got != want {
				t.Errorf("%q: %s, not %s", said, got, want)
			}
			if sign := [3]string{"↑", "↓", ""}[i]; sign != "" && !strings.Contains(screen(t, v, 60, 12), table.Column()+" "+sign) {
				t.Errorf("%q is not on the screen:\n%s", sign, screen(t, v, 60, 12))
			}
		}
	}
}

// A click chooses a column, one on the name of the chosen column sorts by it.
func TestTable_Click(t *testing.T) {
	v, table := ofTeas(t)
	head, x := -1, 0
	for y, row := range rows(t, v, 60, 12) {
		if at := strings.Index(row, "price"); at >= 0 {
			head, x = y, at
		}
	}
	if said := v.Click(x, head+3); said != "" || table.Column() != "price" {
		t.Errorf("a click on a price chose %q and said %q", table.Column(), said)
	}
	if said := v.Click(0, head); said != "" || table.Column() != "id" {
		t.Errorf("a click on id chose %q and said %q", table.Column(), said)
	}
	if said := v.Click(0, head); said != "Sorted by id." || ids(t, v) != "1 2 3 10" {
		t.Errorf("one more said %q: %s", said, ids(t, v))
	}
	if said := v.Click(0, 100); said != "" || table.Column() != "id" {
		t.Errorf("a click below the table chose %q and said %q", table.Column(), said)
	}
}

// Columns are hidden and shown again; what is copied is what is shown.
func TestTable_HidesAndCopies(t *testing.T) {
	v, table := ofTeas(t)
	table.Sort()
	table.Move(1)
	table.Move(1)
	if table.Column() != "price" || !table.Hide() {
		t.Fatalf("the column is %q", table.Column())
	}
	if got := screen(t, v, 60, 12); strings.Contains(got, "price") || strings.Contains(got, "9.5") {
		t.Errorf("price is not hidden:\n%s", got)
	}
	for form, tt := range map[string][2]string{
		"CSV":      {table.CSV(), "id,name,note\n1,green,\"a\nb\"\n2,oolong,\n3,black,\n10,\"Assam | \"\"strong\"\"\",\n"},
		"Markdown": {table.Markdown(), "| id | name | note |\n| --- | --- | --- |\n| 1 | green | a<br>b |\n| 2 | oolong |  |\n| 3 | black |  |\n| 10 | Assam \\| \"strong\" |  |\n"},
		"JSON":     {table.JSON(), `[{"id":1,"name":"green","note":"a\nb"},{"id":2,"name":"oolong"},{"id":3,"name":"black"},{"id":10,"name":"Assam | \"strong\""}]`},
	} {
		if tt[0] != tt[1] {
			t.Errorf("%s:\n%s", form, tt[0])
		}
	}
	if !table.ShowAll() || table.ShowAll() || !strings.Contains(screen(t, v, 60, 12), "price") {
		t.Errorf("price is still hidden:\n%s", screen(t, v, 60, 12))
	}
	for table.Hide() {
	}
	if got := table.CSV(); strings.Count(got, ",") != 0 || strings.Count(got, "\n") < 5 {
		t.Errorf("the last column goes, too:\n%s", got)
	}
}

// A large table is sorted beside the screen; what was asked for last is shown.
func TestTable_SortsManyRowsBeside(t *testing.T) {
	var b strings.Builder
	const n = 100_000
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,"name":"tea %d"}`, (i*7919)%n, i)
	}
	v := resultOf("tools/call", `{"content":[],"structuredContent":[`+b.String()[1:]+`]}`)
	var work []func(context.Context) func()
	v.Start(func(do func(context.Context) func()) { work = append(work, do) })
	rows(t, v, 60, 12)
	table, ok := v.Table()
	if !ok {
		t.Fatal("no table")
	}
	table.Sort()
	table.Sort() // downwards, before the first one is done
	if !v.Busy() || len(work) != 2 {
		t.Fatalf("%d works", len(work))
	}
	for _, do := range work {
		do(t.Context())()
	}
	if got := ids(t, v); !strings.HasPrefix(got, "99999 99998 99997") || v.Busy() {
		t.Errorf("in sight: %s", got)
	}
	table.Sort() // as it was sent: beside, too
	v.Switch()
	for _, do := range work[2:] {
		do(t.Context())()
	}
	if !v.Raw() || v.Busy() {
		t.Error("the JSON is not shown after rows were sorted meanwhile")
	}
}

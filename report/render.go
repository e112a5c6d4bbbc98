package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/fairtrain/fairtrain/internal/names"
)

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Parse(page))

// WriteHTML writes the report as one page without scripts and requests.
func (d *Document) WriteHTML(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, map[string]any{"Doc": d, "Tiles": d.tiles(), "Sections": d.sections()}); err != nil {
		return err
	}
	_, err := io.WriteString(w, names.Text(b.String()))
	return err
}

// WriteJSON writes all numbers of the report.
func (d *Document) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil {
		return err
	}
	// What is left of control characters is escaped as JSON has it.
	_, err := io.WriteString(w, names.Text(strings.ReplaceAll(b.String(), "\x7f", `\u007f`)))
	return err
}

// WriteMarkdown writes the report as GitHub's Markdown: the content of the page, with the
// tables in place of pictures of the same numbers.
func (d *Document) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n**%s.** %s\n", plain(d.Title), d.Verdict.Outcome.Heading(), plain(d.Verdict.Sentence))
	if text := d.Verdict.SideEffects; text != "" {
		fmt.Fprintf(&b, "\n**%s**\n", plain(text))
	}
	for _, r := range d.Verdict.Remarks {
		fmt.Fprintf(&b, "\n> %s\n", plain(r))
	}
	for _, s := range d.sections() {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, block := range s.Blocks {
			block.markdown(&b)
		}
	}
	b.WriteString("\n<!-- fairtrain-report -->\n") // by which a later report knows that it may replace this one
	_, err := w.Write(b.Bytes())
	return err
}

func (block *block) markdown(b *bytes.Buffer) {
	switch {
	case block.Heading != "":
		fmt.Fprintf(b, "\n### %s\n", plain(block.Heading))
	case block.Text != "":
		fmt.Fprintf(b, "\n%s\n", plain(block.Text))
	case block.Code != "":
		fence := "```"
		for strings.Contains(block.Code, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence, block.Code, fence)
	case block.Table != nil:
		block.Table.markdown(b)
	case block.List != nil:
		b.WriteByte('\n')
		for _, item := range block.List {
			fmt.Fprintf(b, "- %s\n", plain(item))
		}
	}
}

func (t *table) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n**%s**\n\n| %s |\n| --- ", plain(t.Caption), strings.Join(t.Head, " | "))
	column := "| ---: "
	if t.Words {
		column = "| --- "
	}
	b.WriteString(strings.Repeat(column, len(t.Head)-1) + "|\n")
	for _, row := range t.Rows {
		for _, c := range row {
			text := plain(c.Text)
			if c.Below != "" {
				text += " (" + plain(c.Below) + ")"
			}
			fmt.Fprintf(b, "| %s ", text)
		}
		b.WriteString("|\n")
	}
	for _, note := range t.Notes {
		fmt.Fprintf(b, "\n%s\n", plain(note))
	}
}

// markup is the markup that names.Markdown leaves: emphasis, code, quotes, headings, and
// addresses, which GitHub turns into links.
var markup = strings.NewReplacer(`*`, `\*`, `_`, `\_`, `~`, `\~`, `[`, `\[`, `]`, `\]`, `#`, `\#`,
	`$`, `\$`, `>`, `\>`, `://`, `\://`, `www.`, `www\.`)

// plain returns a text as Markdown that has no markup.
func plain(text string) string {
	text = markup.Replace(names.Markdown(text))
	if text != "" && strings.Contains("-+=", text[:1]) { // a list, or what underlines a heading
		text = `\` + text
	}
	return text
}

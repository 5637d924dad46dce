import { Form, formOf, hiddenFields } from './form.ts'
import type { Shown } from './frame.ts'
import { type Html, type HtmlValue, html, scrollBox } from './html.ts'
import type { PageAddress, SignedIn } from './page-set.ts'
import { shownFigures } from './shown-figures.ts'
import { words } from './words.ts'

/** A column of a table, with what it shows of a row. Figures stand to the right. */
export interface Column<Row> {
  heading: string
  cell(row: Row): HtmlValue
  holds?: 'words' | 'figures'
}

/**
 * A table that scrolls in a box of its own. Without rows, `empty` stands in its place. `total` is the last row: what it
 * is called, and the figure of the last column.
 */
export function dataTable<Row>(
  {
    caption,
    columns,
    empty,
    total,
  }: {
    caption: string
    columns: readonly Column<Row>[]
    empty?: HtmlValue
    total?: readonly [label: string, figure: string]
  },
  rows: readonly Row[],
): Html {
  if (rows.length === 0) return html`${empty && html`<p>${empty}</p>`}`
  const place = ({ holds }: Column<Row>) => (holds === 'figures' ? html` class="sum"` : null)
  const head = columns.map((column) => html`<th scope="col"${place(column)}>${column.heading}</th>`)
  const body = rows.map(
    (row) => html`<tr>${columns.map((column) => html`<td${place(column)}>${column.cell(row)}</td>`)}</tr>`,
  )
  const foot =
    total &&
    html`<tfoot><tr><th scope="row" colspan="${columns.length - 1}">${total[0]}</th><td class="sum">${total[1]}</td></tr></tfoot>`
  return scrollBox(
    caption,
    html`<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody>${foot}</table>`,
  )
}

/** The ways to the next page of a list and back to its first, with the filter of this one. `nextCursor` is the list's. */
export function pagingLinks({ query }: Pick<PageAddress, 'query'>, nextCursor: string | null): Html | null {
  const isFirst = !query.has('cursor')
  if (isFirst && nextCursor === null) return null
  const rest = [...query].filter(([name]) => name !== 'cursor')
  const link = (cursor: readonly [string, string][], text: string) =>
    html`<li><a href="?${new URLSearchParams([...rest, ...cursor].map((each) => [...each])).toString()}">${text}</a></li>`
  return html`<nav class="paging" aria-label="${words.paging.label}"><ul>${isFirst ? null : link([], words.paging.first)}${nextCursor === null ? null : link([['cursor', nextCursor]], words.paging.next)}</ul></nav>`
}

/** A filter above a list: a form whose values become the page's address, so that the address is the saved view. */
export function filterBar({ query }: Pick<PageAddress, 'query'>, fields: (form: Form) => HtmlValue): Html {
  const { label, button, clear } = words.filter
  return html`<form method="get" class="filter" role="search" aria-label="${label}">${fields(new Form(query))}
<button type="submit" class="second">${button}</button>${query.size === 0 ? null : html`<a href="?">${clear}</a>`}</form>`
}

/** Terms, each with its value, one under the other. */
export function descriptionList(rows: readonly (readonly HtmlValue[])[], id?: string): Html {
  return html`<dl class="rows"${id && html` id="${id}"`}>${rows.map(
    ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

/**
 * The page before what cannot be taken back: `consequences` are the figures of a dry run in words, and `figures` the
 * same as data, which `submit` checks under the lock with `requireShown`. `hidden` are fields that the form sends along,
 * and `stay` leads away.
 */
export function confirmPage(
  { session }: SignedIn,
  page: {
    title: string
    back: string
    consequences: HtmlValue
    figures?: unknown
    hidden?: Readonly<Record<string, string>>
    button: string
    stay: { text: string; path: string }
  },
): Shown {
  const { title, back, consequences, figures, hidden = {}, button, stay } = page
  const fields = [...hiddenFields(Object.entries(hidden)), figures !== undefined && shownFigures(figures)]
  const body = html`<h1>${title}</h1>${consequences}
${formOf(session.formToken, html`${fields}`, button)}
<p><a href="${stay.path}">${stay.text}</a></p>`
  return { title, back, body }
}

/** What one copies, such as a secret: with a script, a button beside it does. */
export function copyable(text: string): Html {
  return html`<code data-copy>${text}</code>`
}

/** A link that reloads the page: with a script, every ten seconds until one stops it. */
export function reloadLink(): Html {
  const { once, start, stop } = words.reload
  return html`<p><a class="reload" href="" data-start="${start}" data-stop="${stop}">${once}</a></p>`
}

import { byteOrderMark, csvLine } from '../platform/kernel/csv-line.ts'
import { Form, formOf, hiddenFields } from './form.ts'
import type { Shown } from './frame.ts'
import { type Html, type HtmlValue, html, scrollBox } from './html.ts'
import type { GoTo, PageAddress, SentFile, SignedIn } from './page-set.ts'
import { shownFigures } from './shown-figures.ts'
import { words } from './words.ts'

/** A column of a table, with what it shows of a row. Figures stand to the right. */
export interface Column<Row> {
  heading: string
  cell(row: Row): HtmlValue
  holds?: 'words' | 'figures'
}

/** A list's order by time, which the address turns around: the values of `order` for both. */
type TimeOrder = 'newest' | 'oldest'

/**
 * A table that scrolls in a box of its own; on a phone, each row of one with more than three columns of words is a card. Without
 * rows, `empty` stands in its place. `total` is the last row: what it is called, and the figure of the last column.
 * `sorted` is for a list of which an index serves both orders: by which column, and the address, whose `order` the
 * column's heading turns around.
 */
export function dataTable<Row>(
  {
    caption,
    columns,
    empty,
    total,
    sorted,
  }: {
    caption: string
    columns: readonly Column<Row>[]
    empty?: HtmlValue
    total?: readonly [label: string, figure: string]
    sorted?: { by: string; query: URLSearchParams }
  },
  rows: readonly Row[],
): Html {
  if (rows.length === 0) return html`${empty && html`<p>${empty}</p>`}`
  const place = ({ holds }: Column<Row>) => (holds === 'figures' ? html` class="sum"` : null)
  const isCards = columns.filter(({ holds }) => holds !== 'figures').length > 3
  const head = columns.map((column) =>
    column.heading === sorted?.by
      ? sortableHeading(column.heading, sorted.query)
      : html`<th scope="col"${place(column)}>${column.heading}</th>`,
  )
  const cellOf = (row: Row) => (column: Column<Row>) =>
    html`<td${place(column)}${isCards && html` data-label="${column.heading}"`}>${column.cell(row)}</td>`
  const body = rows.map((row) => html`<tr>${columns.map(cellOf(row))}</tr>`)
  const foot =
    total &&
    html`<tfoot><tr><th scope="row" colspan="${columns.length - 1}">${total[0]}</th><td class="sum">${total[1]}</td></tr></tfoot>`
  return scrollBox(
    caption,
    html`<table${isCards && html` class="cards"`}><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody>${foot}</table>`,
  )
}

/** Which order a list's address asks for: the newest first, unless it says otherwise. */
export function timeOrderIn(query: URLSearchParams): TimeOrder {
  return query.get('order') === 'oldest' ? 'oldest' : 'newest'
}

function sortableHeading(heading: string, query: URLSearchParams): Html {
  const isNewest = timeOrderIn(query) === 'newest'
  const other = addressWith(query, [['order', isNewest ? 'oldest' : 'newest']])
  const { newest, oldest } = words.order
  return html`<th scope="col" aria-sort="${isNewest ? 'descending' : 'ascending'}">${heading} <a href="${other}">${isNewest ? oldest : newest}</a></th>`
}

/** The same list from its first page, with other values for some names of its address. */
function addressWith(query: URLSearchParams, values: readonly (readonly [string, string])[]): string {
  const names = ['cursor', ...values.map(([name]) => name)]
  const rest = [...query].filter(([name]) => !names.includes(name))
  return `?${new URLSearchParams([...rest, ...values].map((each) => [...each])).toString()}`
}

/** The ways to the next page of a list and back to its first, with the filter of this one. `nextCursor` is the list's. */
export function pagingLinks({ query }: Pick<PageAddress, 'query'>, nextCursor: string | null): Html | null {
  const isFirst = !query.has('cursor')
  if (isFirst && nextCursor === null) return null
  const link = (cursor: readonly [string, string][], text: string) =>
    html`<li><a href="${addressWith(query, cursor)}">${text}</a></li>`
  return html`<nav class="paging" aria-label="${words.paging.label}"><ul>${isFirst ? null : link([], words.paging.first)}${nextCursor === null ? null : link([['cursor', nextCursor]], words.paging.next)}</ul></nav>`
}

/** A filter above a list: a form whose values become the page's address, so that the address is the saved view. */
export function filterBar({ query }: Pick<PageAddress, 'query'>, fields: (form: Form) => HtmlValue): Html {
  const { label, button, clear } = words.filter
  return html`<form method="get" class="filter" role="search" aria-label="${label}">${fields(new Form(query))}
<button type="submit" class="second">${button}</button>${query.size === 0 ? null : html`<a href="?">${clear}</a>`}</form>`
}

/** How many rows a list has at most as CSV: so many can be read at once. */
export const maxCsvRows = 5_000

/** The way to everything that matches a list's filter, as CSV. */
export function csvLink({ query }: Pick<PageAddress, 'query'>): Html {
  return html`<p><a href="${addressWith(query, [['format', 'csv']])}">${words.csv}</a></p>`
}

/**
 * Everything that matches a list's filter as CSV, if its address asks for it as `csvLink` does; undefined otherwise.
 * `read` gives a page of the list after a cursor, and `lineOf` the data of a row under the names of the columns. A list
 * of more than 5,000 rows is left with a notice: no file is silently shorter than its list.
 */
export async function csvOfList<Row>(
  { query, path }: Pick<PageAddress, 'query' | 'path'>,
  page: string,
  read: (cursor: string | undefined) => Promise<{ data: readonly Row[]; nextCursor: string | null }>,
  lineOf: (row: Row) => Readonly<Record<string, string | number | null>>,
): Promise<SentFile | GoTo | undefined> {
  if (query.get('format') !== 'csv') return undefined
  const rows: ReturnType<typeof lineOf>[] = []
  let cursor: string | undefined
  do {
    const { data, nextCursor } = await read(cursor)
    rows.push(...data.map(lineOf))
    cursor = data.length === 0 ? undefined : (nextCursor ?? undefined)
    if (rows.length >= maxCsvRows && cursor !== undefined) {
      const rest = new URLSearchParams([...query].filter(([name]) => name !== 'format'))
      return { goTo: `${path(page)}?${rest.toString()}`, notice: 'csv_too_long' }
    }
  } while (cursor !== undefined)
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)]
  return {
    file: `${byteOrderMark}${lines.map(csvLine).join('')}`,
    type: 'text/csv; charset=utf-8',
    fileName: `${page.replaceAll('/', '-')}.csv`,
  }
}

/** The parts of something that has several pages. `here` is the path of the one that is open. */
export function tabs(label: string, parts: readonly (readonly [path: string, text: string])[], here: string): Html {
  const items = parts.map(
    ([path, text]) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${text}</a></li>`,
  )
  return html`<nav class="tabs" aria-label="${label}"><ul>${items}</ul></nav>`
}

/** What has happened, in the order in which it is given: when, and what. */
export function timeline(entries: readonly { at: HtmlValue; what: HtmlValue }[]): Html {
  return html`<ol class="timeline">${entries.map(({ at, what }) => html`<li><p class="hint">${at}</p>${what}</li>`)}</ol>`
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
    takesFiles?: boolean
  },
): Shown {
  const { title, back, consequences, figures, hidden = {}, button, stay, takesFiles } = page
  const fields = [...hiddenFields(Object.entries(hidden)), figures !== undefined && shownFigures(figures)]
  const body = html`<h1>${title}</h1>${consequences}
${formOf(session.formToken, html`${fields}`, button, { takesFiles })}
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

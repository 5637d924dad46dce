import { type Html, html } from '../../../pages/html.ts'
import { scrollBox } from '../../../pages/scroll-box.ts'
import { nameWithBreakPoints } from './break-points.ts'
import { type FindPage, renderProse } from './prose.ts'
import type { Parameter } from './reference.ts'
import { fieldGroups, type Schema, withoutNull } from './schema.ts'
import { allowedValues, describeType } from './type-words.ts'

/** One row: a name, whether it is required or always present, and its meaning. */
interface Row {
  name: string
  presence: string
  schema: Schema
  description: string | undefined
  example?: unknown
}

interface RowGroup {
  label: string | undefined
  rows: readonly Row[]
}

/** The table's caption, and the function that finds the page to which a piece of code links. */
interface TableOptions {
  caption: string
  findPage: FindPage
}

/** A table of the fields of a request, each marked as required or optional. */
export function requestFieldTable(schema: Schema, options: TableOptions): Html {
  return fieldsOf(schema, (isRequired) => (isRequired ? 'required' : 'optional'), options)
}

/** A table of the fields of a response. Fields that are not always present are marked. */
export function responseFieldTable(schema: Schema, options: TableOptions): Html {
  return fieldsOf(schema, (isRequired) => (isRequired ? '' : 'not always present'), options)
}

function fieldsOf(schema: Schema, presenceOf: (isRequired: boolean) => string, options: TableOptions): Html {
  const groups = fieldGroups(schema)
  // A value that is not an object, such as a list, is described in one line.
  const isObject = withoutNull(schema).plain.properties !== undefined || (schema.anyOf ?? schema.oneOf) !== undefined
  const whole = isObject && schema.minProperties === undefined ? '' : html`<p>${capitalised(describeType(schema))}.</p>`
  if (groups.length === 0) return html`${whole}`
  const rowGroups = groups.map(({ form, fields }) => ({
    label: form,
    rows: fields.map(({ path, schema: field, isRequired }) => ({
      name: path,
      presence: presenceOf(isRequired),
      schema: field,
      description: withoutNull(field).plain.description,
    })),
  }))
  return html`${whole}${table('Field', rowGroups, options)}`
}

const places = { path: 'In the path', query: 'In the query', header: 'In the headers' } as const

/** The parameters of an operation, grouped by where they are sent (path, query or header). */
export function parameterTable(parameters: readonly Parameter[], options: TableOptions): Html {
  const byPlace = Map.groupBy(parameters, (parameter) => parameter.in)
  const groups = [...byPlace].map(([place, ofPlace]) => ({ label: places[place], rows: ofPlace.map(parameterRow) }))
  return table('Parameter', groups, options)
}

/** The headers of a message. */
export function headerTable(headers: readonly Parameter[], options: TableOptions): Html {
  return table('Header', [{ label: undefined, rows: headers.map(parameterRow) }], options)
}

function parameterRow({ name, required, schema, description, example }: Parameter): Row {
  return {
    name,
    presence: required ? 'required' : 'optional',
    schema,
    // OpenAPI requires a description, but a description that only repeats the name adds nothing.
    description: description === name ? undefined : description,
    example,
  }
}

function table(what: string, groups: readonly RowGroup[], { caption, findPage }: TableOptions): Html {
  const bodies = groups.map(({ label, rows }) => {
    const head = label !== undefined && html`<tr><th scope="rowgroup" colspan="2" class="form">${label}</th></tr>`
    return html`<tbody>${head}${rows.map((row) => rowOf(row, findPage))}</tbody>`
  })
  return scrollBox(
    caption,
    html`<table class="fields"><thead><tr><th scope="col">${what}</th><th scope="col">What it is</th></tr></thead>${bodies}</table>`,
  )
}

function rowOf({ name, presence, schema, description, example }: Row, findPage: FindPage): Html {
  return html`<tr><th scope="row"><code>${nameWithBreakPoints(name)}</code>${presence === '' ? '' : html` <span class="${presence === 'required' ? 'must' : 'quiet'}">${presence}</span>`}</th><td><p class="quiet">${describeType(schema)}</p>${choices(schema)}${
    description === undefined ? '' : html`<p>${renderProse(description, findPage)}</p>`
  }${labelled('Default', schema.default)}${labelled('For example', example ?? schema.examples?.[0])}</td></tr>`
}

/** The allowed values of a field, or of each entry if it is a list. */
function choices(schema: Schema): Html | undefined {
  const { plain } = withoutNull(schema)
  const words = allowedValues(plain.items === undefined ? plain : withoutNull(plain.items).plain)
  if (words.length < 2) return undefined
  return html`<p>${words.map((word, index) => html`${index === 0 ? '' : ', '}<code>${nameWithBreakPoints(word)}</code>`)}</p>`
}

function labelled(label: string, value: unknown): Html | undefined {
  return value === undefined ? undefined : html`<p>${label}: <code>${String(value)}</code></p>`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

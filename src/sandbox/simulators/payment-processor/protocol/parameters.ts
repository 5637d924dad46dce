import { invalidRequest, missingParameter } from './stripe-fault.ts'

/**
 * Form fields by name; `a[b]=c` becomes `{ a: { b: 'c' } }`. The objects have no prototype, so that every name is safe.
 */
export interface FormFields {
  [name: string]: FormValue
}
type FormValue = string | FormFields

const maxPairs = 200
const maxDepth = 5
const fieldName = /^([^[\]]+)((?:\[[^[\]]*\])*)$/

export function emptyFields(): FormFields {
  return Object.create(null) as FormFields
}

/**
 * Parses `application/x-www-form-urlencoded` text with bracketed names: `metadata[x]=1`, `list[0]=a`, `list[]=a`. A
 * repeated name keeps its last value. Throws Stripe's 400 for a name that is malformed or is used both with and without
 * brackets.
 */
export function parseFormBody(text: string): FormFields {
  const fields = emptyFields()
  let pairs = 0
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1
    if (pairs > maxPairs) throw invalidRequest(`A request may have at most ${maxPairs} parameters.`)
    setField(fields, pathOf(name), value)
  }
  return fields
}

function pathOf(name: string): string[] {
  const [, first, rest] = fieldName.exec(name) ?? []
  if (first === undefined || rest === undefined) throw invalidRequest('A parameter name has unmatched brackets.')
  const path = [first, ...Array.from(rest.matchAll(/\[([^[\]]*)\]/g), (match) => match[1] ?? '')]
  if (path.length > maxDepth) throw invalidRequest(`Parameters may be nested at most ${maxDepth} deep.`)
  return path
}

function setField(fields: FormFields, path: readonly string[], value: string): void {
  let level = fields
  path.forEach((step, depth) => {
    const key = step === '' ? String(Object.keys(level).length) : step
    const present = level[key]
    if (depth === path.length - 1) {
      if (typeof present === 'object') throw usedBothWays(path)
      level[key] = value
      return
    }
    if (typeof present === 'string') throw usedBothWays(path)
    const inner = present ?? emptyFields()
    level[key] = inner
    level = inner
  })
}

function usedBothWays(path: readonly string[]) {
  return invalidRequest(`The parameter ${path[0]} is given both as a value and with brackets.`)
}

/** Throws the processor's `parameter_unknown` for the first field that is not `known`. */
export function rejectUnknown(fields: FormFields, known: readonly string[], within = ''): void {
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue
    const param = within === '' ? name : `${within}[${name}]`
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
}

/** The text of a parameter; undefined if it is absent, '' if it is empty (which removes a field). */
export function optionalText(fields: FormFields, name: string, maxLength = 500): string | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw invalidRequest(`Invalid string: ${name} has brackets.`, { param: name })
  if (value.length > maxLength) {
    throw invalidRequest(`Invalid string: ${name} must be at most ${maxLength} characters.`, { param: name })
  }
  return value
}

export function requiredText(fields: FormFields, name: string): string {
  const value = optionalText(fields, name)
  if (value === undefined || value === '') throw missingParameter(name)
  return value
}

/** The fields nested under a parameter; empty if the parameter is absent. */
export function nestedFields(fields: FormFields, name: string): FormFields {
  const value = fields[name]
  if (value === undefined || value === '') return emptyFields()
  if (typeof value === 'string') throw invalidRequest(`Invalid object: ${name} needs brackets.`, { param: name })
  return value
}

/**
 * The metadata, within the processor's limits: at most 50 keys, each of up to 40 characters, with values of up to 500.
 */
export function metadataOf(fields: FormFields): Record<string, string> {
  const given = nestedFields(fields, 'metadata')
  const names = Object.keys(given)
  if (names.length > 50) throw invalidRequest('Metadata can have up to 50 keys.', { param: 'metadata' })
  const tooLong = names.find((name) => name.length > 40)
  if (tooLong !== undefined)
    throw invalidRequest('Metadata keys can be up to 40 characters long.', { param: 'metadata' })
  return Object.fromEntries(
    names.map((name) => [name, optionalText(given, name) ?? '']).filter(([, value]) => value !== ''),
  )
}

/** The query of a list of one customer's objects. The simulator lists nothing else. */
export function readListQuery(
  { customer, limit = '10' }: { customer?: unknown; limit?: unknown },
  what: string,
): { customer: string; limit: number } {
  if (typeof customer !== 'string')
    throw invalidRequest(`The payment simulator only lists the ${what} of one customer.`, { param: 'customer' })
  const count = typeof limit === 'string' && /^\d{1,3}$/.test(limit) ? Number(limit) : Number.NaN
  if (!(count >= 1 && count <= 100)) throw invalidRequest('Invalid limit: must be from 1 to 100.', { param: 'limit' })
  return { customer, limit: count }
}

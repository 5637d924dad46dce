import { invalidRequest } from './stripe-fault.ts'

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

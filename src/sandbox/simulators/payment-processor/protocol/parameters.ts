import { emptyFields, type FormFields } from './form-body.ts'
import { invalidRequest, missingParameter } from './stripe-fault.ts'

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

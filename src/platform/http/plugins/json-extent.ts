import { DomainError } from '../../kernel/errors.ts'

/** The maximum number of values in a body: many times what the largest household needs with all its details. */
const maxValues = 1_000

/**
 * Rejects a body with more than 1,000 values (strings, numbers, booleans, nulls, and empty arrays and objects). Each
 * invalid field adds an entry to the response, and comparing entries takes quadratic time: the limit keeps a small
 * request from causing a huge response or much work. Nesting alone is harmless; the schemas reject it.
 */
export function rejectTooManyValues(body: unknown): void {
  const pending = [body]
  let found = 0
  while (pending.length > 0) {
    const value = pending.pop()
    const members = typeof value === 'object' && value !== null ? Object.values(value) : []
    if (members.length === 0) found += 1
    if (found + pending.length + members.length > maxValues) throw tooMany()
    pending.push(...members)
  }
}

function tooMany(): DomainError {
  const detail = `The body has too many values. It must have at most ${maxValues.toLocaleString('en-GB')} values in total.`
  return new DomainError('invalid_request', detail, {
    fields: [{ pointer: '', code: 'too_long', detail }],
  })
}

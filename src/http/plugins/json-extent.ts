import { DomainError } from '../../kernel/errors.ts'

/** Many times what the largest household with all its details needs. */
const mostValues = 1_000

/**
 * Refuses a body that holds more than 1,000 values (texts, numbers, true, false, null, and arrays and objects with nothing in them).
 * Every bad field gets an entry in the answer, and comparing entries with each other grows with their square: the limit keeps
 * a small request from making a great answer or much work. Nesting alone costs nothing here; the schemas refuse it by name.
 */
export function refuseTooManyValues(body: unknown): void {
  const pending = [body]
  let found = 0
  while (pending.length > 0) {
    const value = pending.pop()
    const members = typeof value === 'object' && value !== null ? Object.values(value) : []
    if (members.length === 0) found += 1
    if (found + pending.length + members.length > mostValues) throw tooMany()
    pending.push(...members)
  }
}

function tooMany(): DomainError {
  const detail = `Must have at most ${mostValues.toLocaleString('en-GB')} values in total.`
  return new DomainError('invalid_request', `The body has too many values. ${detail}`, {
    fields: [{ pointer: '', code: 'too_long', detail }],
  })
}

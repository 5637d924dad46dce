import { closestMatch } from 'leven'
import type { ErrorCode } from '../../app/http/error-responses.ts'

export type { ErrorCode }

/**
 * One invalid field of a request. `pointer` is a JSON pointer into the body, or has the form `/query/name` or
 * `/path/name`.
 */
export interface FieldError {
  pointer: string
  code: string
  detail: string
}

/** What partners know by an id. */
type Identified =
  | 'quote'
  | 'customer'
  | 'webhook'
  | 'delivery'
  | 'replay'
  | 'event'
  | 'availability request'
  | 'setup intent'
  | 'property'
  | 'import'

interface DomainErrorOptions {
  fields?: readonly FieldError[]
  missing?: Identified
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * An error meant for the caller. `detail` says how to fix it and never holds secrets or personal data: it is sent to
 * the partner and may be logged.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined
  /** What the id of the request was expected to be of, in an error of `notFound`. */
  readonly missing: Identified | undefined

  constructor(code: ErrorCode, detail: string, options: DomainErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.fields = options.fields ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
    this.missing = options.missing
  }
}

/** What an id with this prefix is the id of. */
const identifiedBy: ReadonlyMap<string, Identified> = new Map([
  ['quote', 'quote'],
  ['tenant', 'customer'],
  ['webhook', 'webhook'],
  ['delivery', 'delivery'],
  ['replay', 'replay'],
  ['event', 'event'],
  ['availability', 'availability request'],
  ['seti', 'setup intent'],
  ['address', 'property'],
  ['import', 'import'],
])

/** The error for invalid fields. With one, or if all have the same sentence, `detail` is that sentence. */
export function invalidFields(
  fields: readonly FieldError[],
  code: ErrorCode = 'validation_failed',
  options: Pick<DomainErrorOptions, 'cause'> = {},
): DomainError {
  const [first] = fields
  if (first === undefined) throw new RangeError('no field is invalid')
  const named = fields.map(({ pointer }) => pointer || '(the body)').join(', ')
  const detail = fields.every(({ detail: sentence }) => sentence === first.detail)
    ? first.detail
    : code === 'invalid_request'
      ? `Correct these fields and send the request again: ${named}.`
      : `These values are invalid: ${named}. Each entry of errors says why.`
  return new DomainError(code, detail, { ...options, fields })
}

/**
 * 404 for unknown ids and for other partners' ids: callers must not be able to tell them apart
 * (docs/errors-and-retries.md).
 */
export function notFound(missing: Exclude<Identified, 'property'>): DomainError {
  return new DomainError(
    'not_found',
    `No ${missing} has this id. Check the id, and make sure that it was created with your credentials.`,
    { missing },
  )
}

/**
 * If `error` is one of `notFound` and the id was one of something else, an error that says so; otherwise `error`. Looks
 * at the text of the id only, so it reveals nothing about what exists. Pure.
 */
export function sayWhatWasSent(error: DomainError, sentId: string): DomainError {
  const sent = identifiedBy.get(sentId.split('_', 1)[0] ?? '')
  if (error.missing === undefined || sent === undefined || sent === error.missing) return error
  return new DomainError(error.code, `${error.message} You sent the id of a ${sent}.`)
}

/** How many letters may be wrong, missing or too many. Fewer in a short name. */
const mistakes = 2

/**
 * A sentence that names what was probably meant, with a space before it; empty if no known name is like the given one,
 * or if it is no text. Letter case, underscores and hyphens do not count, and a name may be given in part, such as
 * `payment.updated`. Pure.
 */
export function suggestName(given: unknown, known: readonly string[]): string {
  if (typeof given !== 'string') return ''
  const byForm = new Map(known.map((name) => [formOf(name), name]))
  const form = formOf(given)
  const forms = [...byForm.keys()]
  const maxDistance = Math.min(mistakes, Math.floor(form.length / 2))
  const isPart = (each: string) =>
    Math.min(each.length, form.length) > mistakes && (each.includes(form) || form.includes(each))
  const like = (maxDistance > 0 ? closestMatch(form, forms, { maxDistance }) : undefined) ?? forms.find(isPart)
  return like === undefined ? '' : ` Did you mean ${byForm.get(like)}?`
}

function formOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

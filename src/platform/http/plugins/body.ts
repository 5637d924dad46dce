import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError, invalidFields } from '../../kernel/errors.ts'
import { bodyLimitBytes } from '../server-limits.ts'
import { escapedForPointer } from '../validation.ts'
import { rejectRepeatedMembers } from './repeated-member.ts'

/** The maximum number of values in a body: many times what the largest household needs with all its details. */
const maxValues = 1_000

/**
 * Whether a body has more than 1,000 values (strings, numbers, booleans, nulls, and empty arrays and objects). Each
 * invalid field adds an entry to the response, and comparing entries takes quadratic time: the limit keeps a small
 * request from causing a huge response or much work. Nesting alone is harmless; the schemas reject it.
 */
export function hasTooManyValues(body: unknown, most = maxValues): boolean {
  const pending = [body]
  let found = 0
  while (pending.length > 0) {
    const value = pending.pop()
    const members = typeof value === 'object' && value !== null ? Object.values(value) : []
    if (members.length === 0) found += 1
    if (found + pending.length + members.length > most) return true
    pending.push(...members)
  }
  return false
}

function tooMany(most: number): DomainError {
  const detail = `The body has too many values. It must have at most ${most.toLocaleString('en-GB')} values in total.`
  return new DomainError('invalid_request', detail, {
    fields: [{ pointer: '', code: 'too_long', detail }],
  })
}

/** A type and a subtype, both of which are tokens (RFC 9110 §8.3.1). */
const mediaTypeForm = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

/**
 * Keeps every body as raw bytes, because idempotency fingerprints and signatures are calculated over bytes, not parsed
 * JSON. A malformed content type counts as unknown, so that operations without a body still work.
 */
export function keepBodiesAsBytes(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const type = headers['content-type']
    if (type !== undefined && !mediaTypeForm.test(type)) headers['content-type'] = 'application/octet-stream'
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

const noBytes = Buffer.alloc(0)

export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : noBytes
}

/** The body as JSON. Throws `unsupported_media_type` or `malformed_json`. */
export function jsonBody(request: FastifyRequest): unknown {
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (mediaType !== '' && mediaType !== 'application/json' && !/^application\/[a-z0-9.+-]+\+json$/.test(mediaType)) {
    throw new DomainError(
      'unsupported_media_type',
      `Send the body as JSON with "Content-Type: application/json", not "${mediaType.slice(0, 60)}".`,
    )
  }
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity')
    throw new DomainError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.')
  const bytes = rawBody(request)
  if (mediaType === '' && bytes.length > 0) {
    throw new DomainError('unsupported_media_type', 'Send the body with "Content-Type: application/json".')
  }
  if (bytes.length === 0)
    throw new DomainError('malformed_json', 'The body is empty. This operation requires a JSON body.')
  return parseJson(bytes, maxValues * ((request.routeOptions.bodyLimit ?? bodyLimitBytes) / bodyLimitBytes))
}

/** Whether the body is empty: no bytes, only white space, `{}` or `null`. The content type does not matter. */
export function isBodyEmpty(request: FastifyRequest): boolean {
  return /^\s*((\{\s*\}|null)\s*)?$/.test(rawBody(request).toString('latin1'))
}

const noBody = 'This operation has no body. Send none, or {}.'

/**
 * For operations without a body: if the body is not empty, throws an `invalid_request` that names the fields it
 * contains.
 */
export function rejectBody(request: FastifyRequest): void {
  if (isBodyEmpty(request)) return
  const value = parseJson(rawBody(request))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidFields([{ pointer: '', code: 'wrong_type', detail: noBody }], 'invalid_request')
  }
  const fields = Object.keys(value).map((name) => ({
    pointer: `/${escapedForPointer(name)}`,
    code: 'unknown_field',
    detail: noBody,
  }))
  if (fields.length > 0) throw invalidFields(fields, 'invalid_request')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Buffer, most = maxValues): unknown {
  const { text, value } = decodeJson(bytes)
  if (hasTooManyValues(value, most)) throw tooMany(most)
  rejectRepeatedMembers(text)
  return value
}

function decodeJson(bytes: Buffer): { text: string; value: unknown } {
  const text = decodeUtf8(bytes)
  try {
    return { text, value: JSON.parse(text) }
  } catch (error) {
    throw malformed(`The body is not valid JSON: the fault is ${placeIn(text, faultIn(text))}.`, error)
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw malformed('The body is not encoded in UTF-8.', error)
  }
}

function malformed(what: string, cause: unknown): DomainError {
  return new DomainError('malformed_json', `${what} Serialise the body with a JSON library.`, { cause })
}

function placeIn(text: string, index: number): string {
  if (index >= text.length) return 'that it ends too early'
  const before = text.slice(0, index).split('\n')
  return `in line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/**
 * The index of the first character that cannot follow those before it: the end of the longest part that could go on.
 */
function faultIn(text: string): number {
  let [good, bad] = [0, text.length + 1]
  while (good + 1 < bad) {
    const middle = Math.floor((good + bad) / 2)
    if (couldGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** V8 says in words that a text ends too early, or names its end as the place of the fault. */
function couldGoOn(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as SyntaxError
    const place = /at position (\d+)/.exec(message)?.[1]
    return message.includes('end of JSON input') || (place !== undefined && Number(place) >= text.length)
  }
}

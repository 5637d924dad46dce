import { repeatedMember } from '../../platform/http/plugins/repeated-member.ts'

/** A body before it is parsed. */
export interface RawBody {
  contentType: string | undefined
  body: Buffer
}

/** Returns the known parameters, or a description of what is wrong with the body. */
export function readParameters(call: RawBody, known: ReadonlySet<string>): Map<string, string> | string {
  const mediaType = mediaTypeOf(call)
  const text = call.body.toString('utf8')
  if (mediaType === 'application/x-www-form-urlencoded') return readForm(text, known)
  if (mediaType === 'application/json') return readJson(text, known)
  if (text.trim() === '') return new Map()
  return 'send the parameters as application/json or application/x-www-form-urlencoded'
}

/** The media type in lower case, without its parameters; empty if there is none. */
export function mediaTypeOf({ contentType = '' }: RawBody): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function readForm(text: string, known: ReadonlySet<string>): Map<string, string> | string {
  const parameters = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (!known.has(name)) continue
    if (seen.has(name)) return repeated(name)
    seen.add(name)
    // A parameter sent without a value is treated as left out (RFC 6749 §3.1).
    if (value !== '') parameters.set(name, value)
  }
  return parameters
}

function readJson(text: string, known: ReadonlySet<string>): Map<string, string> | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'the body is not valid JSON'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'the body must be a JSON object'
  const twice = repeatedMember(text)
  if (twice !== undefined) return repeated(twice.slice(1))
  const parameters = new Map<string, string>()
  for (const [name, each] of Object.entries(value)) {
    // As with an empty text, a null parameter is treated as left out.
    if (!known.has(name) || each === null) continue
    if (typeof each !== 'string') return `${name} must be a string`
    if (each !== '') parameters.set(name, each)
  }
  return parameters
}

function repeated(name: string): string {
  const isTarget = name === 'audience' || name === 'resource'
  return `${name} is repeated${isTarget ? '; a token is for one audience, so send it once' : ''}`
}

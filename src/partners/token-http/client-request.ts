import { repeatedMember } from '../../platform/http/plugins/repeated-member.ts'
import type { ClientAuthentication } from '../authenticate-client.ts'

/** A request with which a client authenticates, before it is parsed. */
export interface RawClientRequest extends RawBody {
  authorization: string | undefined
  /** Whether HTTP Basic is accepted. */
  allowsBasic: boolean
}

export type RequestError = 'invalid_request' | 'invalid_client' | 'invalid_target'

export interface InvalidRequest {
  error: RequestError
  description: string
  usedBasic: boolean
}

/** A parsed request. */
interface ClientRequest {
  parameters: ReadonlyMap<string, string>
  usedBasic: boolean
  /**
   * Whether the parameters have the partner's names, such as `clientId`, instead of the identity provider's, such as
   * `client_id`.
   */
  usesPartnerForm: boolean
  /** Whether the parameters are JSON. */
  isJson: boolean
  /** How the client proves itself, or the name of the first parameter that is missing. */
  client: ClientAuthentication | { missing: string }
}

/**
 * Parameter names of the two forms: the partner's and the identity provider's. A request must use one of them
 * throughout.
 */
const partnerForm = { id: 'clientId', secret: 'clientSecret' } as const
const providerForm = { id: 'client_id', secret: 'client_secret' } as const
const clientParameters = [...Object.values(partnerForm), ...Object.values(providerForm)]

/**
 * Parses a request with a client's credentials: JSON or form encoding, the partner form or the identity-provider form,
 * HTTP Basic if allowed (RFC 6749 §2.3.1). Ignores parameters other than the credentials and `further`; rejects
 * repeated ones and mixed forms.
 */
export function parseClientRequest(call: RawClientRequest, further: readonly string[]): ClientRequest | InvalidRequest {
  const usesBasicScheme = call.authorization !== undefined && /^basic(\s|$)/i.test(call.authorization)
  const usedBasic = call.allowsBasic && usesBasicScheme
  const invalid = (description: string, error: RequestError = 'invalid_request') => ({ error, description, usedBasic })

  const parameters = readParameters(call, new Set([...clientParameters, ...further]))
  if (typeof parameters === 'string') return invalid(parameters)
  const basic = usedBasic ? readBasic(call.authorization ?? '') : undefined
  if (usedBasic && basic === undefined)
    return invalid('The Authorization header is not valid HTTP Basic.', 'invalid_client')
  if (usesBasicScheme && !call.allowsBasic)
    return invalid('HTTP Basic is only accepted at /oauth/token; here, send clientId and clientSecret in the body')

  const usesPartnerForm = parameters.has(partnerForm.id) || parameters.has(partnerForm.secret)
  const usesProviderForm = parameters.has(providerForm.id) || parameters.has(providerForm.secret)
  if (usesPartnerForm && usesProviderForm)
    return invalid('use either clientId and clientSecret or client_id and client_secret, not both')
  if (basic !== undefined && usesPartnerForm)
    return invalid('leave clientId and clientSecret out of the body if you use HTTP Basic')

  if (basic !== undefined) {
    if (parameters.has(providerForm.secret))
      return invalid('authenticate with either HTTP Basic or client_secret in the body, not both')
    const inBody = parameters.get(providerForm.id)
    if (inBody !== undefined && inBody !== basic.clientId)
      return invalid('client_id in the body does not match the Authorization header')
  }
  const form = usesPartnerForm ? partnerForm : providerForm
  const clientId = basic?.clientId ?? parameters.get(form.id)
  const clientSecret = basic?.clientSecret ?? parameters.get(form.secret)
  return {
    parameters,
    usedBasic,
    usesPartnerForm,
    isJson: mediaTypeOf(call) === 'application/json',
    client:
      clientId !== undefined && clientSecret !== undefined
        ? { clientId, clientSecret }
        : { missing: clientId === undefined ? form.id : form.secret },
  }
}

/**
 * The credentials, form-decoded after Base64 as RFC 6749 §2.3.1 requires; undefined for anything else, including an
 * empty id or secret.
 */
function readBasic(header: string): { clientId: string; clientSecret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  const clientId = formDecode(text.slice(0, colon))
  const clientSecret = formDecode(text.slice(colon + 1))
  return clientId && clientSecret ? { clientId, clientSecret } : undefined
}

function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** A body before it is parsed. */
interface RawBody {
  contentType: string | undefined
  body: Buffer
}

/** Returns the known parameters, or a description of what is wrong with the body. */
function readParameters(call: RawBody, known: ReadonlySet<string>): Map<string, string> | string {
  const mediaType = mediaTypeOf(call)
  const text = call.body.toString('utf8')
  if (mediaType === 'application/x-www-form-urlencoded') return readForm(text, known)
  if (mediaType === 'application/json') return readJson(text, known)
  if (text.trim() === '') return new Map()
  return 'send the parameters as application/json or application/x-www-form-urlencoded'
}

/** The media type in lower case, without its parameters; empty if there is none. */
function mediaTypeOf({ contentType = '' }: RawBody): string {
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

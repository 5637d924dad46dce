import type { TokenRequest } from '../../../domain/auth/issue-token.ts'
import { repeatedMember } from '../../plugins/repeated-member.ts'

/** A token request before it is parsed. */
export interface RawTokenRequest {
  contentType: string | undefined
  body: Buffer
  authorization: string | undefined
  /** `/oauth/token` also accepts HTTP Basic. */
  allowsBasic: boolean
  /** The only audience that tokens are for. */
  audience: string
}

export type RequestError = 'invalid_request' | 'invalid_client' | 'invalid_target'

export type ParsedTokenRequest =
  | { request: TokenRequest; usedBasic: boolean }
  | { error: RequestError; description: string; usedBasic: boolean }

/** Parameter names of the two forms: the partner's and the identity provider's. A request must use one of them throughout. */
const partnerForm = { id: 'clientId', secret: 'clientSecret' } as const
const providerForm = { id: 'client_id', secret: 'client_secret' } as const
const known = new Set([
  'clientId',
  'clientSecret',
  'client_id',
  'client_secret',
  'audience',
  'resource',
  'grant_type',
  'scope',
])

/**
 * Parses a token request: JSON or form encoding, the partner form or the identity-provider form, HTTP Basic if allowed (RFC 6749
 * §2.3.1). Ignores unknown parameters; rejects repeated ones and mixed forms.
 */
export function parseTokenRequest(call: RawTokenRequest): ParsedTokenRequest {
  const usesBasicScheme = call.authorization !== undefined && /^basic(\s|$)/i.test(call.authorization)
  const usedBasic = call.allowsBasic && usesBasicScheme
  const invalid = (description: string, error: RequestError = 'invalid_request') => ({
    error,
    description,
    usedBasic,
  })

  const parameters = readParameters(call)
  if (typeof parameters === 'string') return invalid(parameters)
  const basic = usedBasic ? readBasic(call.authorization ?? '') : undefined
  if (usedBasic && basic === undefined)
    return invalid('the Authorization header is not valid HTTP Basic', 'invalid_client')
  if (usesBasicScheme && !call.allowsBasic)
    return invalid('HTTP Basic is only accepted at /oauth/token; here, send clientId and clientSecret in the body')

  const names = new Set(parameters.keys())
  const usesPartnerForm = names.has(partnerForm.id) || names.has(partnerForm.secret)
  const usesProviderForm = names.has(providerForm.id) || names.has(providerForm.secret)
  if (usesPartnerForm && usesProviderForm)
    return invalid('use either clientId and clientSecret or client_id and client_secret, not both')
  if (basic !== undefined && usesPartnerForm)
    return invalid('leave clientId and clientSecret out of the body if you use HTTP Basic')

  if (basic !== undefined) {
    if (names.has(providerForm.secret))
      return invalid('authenticate with either HTTP Basic or client_secret in the body, not both')
    const inBody = parameters.get(providerForm.id)
    if (inBody !== undefined && inBody !== basic.clientId)
      return invalid('client_id in the body does not match the Authorization header')
  }
  const form = usesPartnerForm ? partnerForm : providerForm
  const clientId = basic?.clientId ?? parameters.get(form.id)
  const clientSecret = basic?.clientSecret ?? parameters.get(form.secret)
  const grantType = parameters.get('grant_type')
  if (!usesPartnerForm && grantType === undefined) {
    const missing = names.size === 0 && basic === undefined ? 'clientId and clientSecret' : 'grant_type'
    return invalid(`${missing} ${missing === 'grant_type' ? 'is' : 'are'} missing`)
  }
  if (grantType !== undefined && grantType !== 'client_credentials')
    return invalid('grant_type must be client_credentials')
  if (clientId === undefined) return invalid(`${form.id} is missing`)
  if (clientSecret === undefined) return invalid(`${form.secret} is missing`)
  const { audience } = call
  // The spec requires it in the identity-provider form, which is JSON. Standard OAuth clients send a form or HTTP Basic without it.
  const needsAudience = !usesPartnerForm && basic === undefined && mediaTypeOf(call) === 'application/json'
  if (needsAudience && !names.has('audience')) return invalid(`audience is missing: send ${audience}`)
  if ((parameters.get('audience') ?? audience) !== audience)
    return invalid(`audience must be ${audience}${needsAudience ? '' : '; you can also leave it out'}`)
  if ((parameters.get('resource') ?? audience) !== audience)
    return invalid(`resource must be ${audience}; you can also leave it out`, 'invalid_target')
  const scope = parameters.get('scope')
  return {
    usedBasic,
    request: { clientId, clientSecret, ...(scope === undefined ? {} : { scope }) },
  }
}

/** Returns the known parameters, or a description of what is wrong with the body. */
function readParameters(call: RawTokenRequest): Map<string, string> | string {
  const mediaType = mediaTypeOf(call)
  const text = call.body.toString('utf8')
  if (mediaType === 'application/x-www-form-urlencoded') return readForm(text)
  if (mediaType === 'application/json') return readJson(text)
  if (text.trim() === '') return new Map()
  return 'send the parameters as application/json or application/x-www-form-urlencoded'
}

function mediaTypeOf({ contentType = '' }: RawTokenRequest): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function readForm(text: string): Map<string, string> | string {
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

function readJson(text: string): Map<string, string> | string {
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

/** The credentials, form-decoded after Base64 as RFC 6749 §2.3.1 requires; undefined for anything else, including an empty id or secret. */
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

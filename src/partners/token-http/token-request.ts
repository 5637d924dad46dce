import type { TokenRequest } from '../issue-token.ts'
import { type InvalidRequest, parseClientRequest, type RawClientRequest, type RequestError } from './client-request.ts'

/** A token request before it is parsed. */
export interface RawTokenRequest extends RawClientRequest {
  /** The only audience that tokens are for. */
  audience: string
}

export type ParsedTokenRequest = { request: TokenRequest; usedBasic: boolean } | InvalidRequest

const furtherParameters = ['audience', 'resource', 'grant_type', 'scope']

/** Parses a token request (RFC 6749 §4.4.2). */
export function parseTokenRequest(call: RawTokenRequest): ParsedTokenRequest {
  const parsed = parseClientRequest(call, furtherParameters)
  if ('error' in parsed) return parsed
  const { parameters, usedBasic, usesPartnerForm, isJson, client } = parsed
  const invalid = (description: string, error: RequestError = 'invalid_request') => ({ error, description, usedBasic })
  const grantType = parameters.get('grant_type')
  // The partner form needs nothing else, so it is named to who left something out of the other.
  const orPartnerForm = usedBasic ? '' : '. Or send only clientId and clientSecret, without client_id and client_secret'
  if (!usesPartnerForm && grantType === undefined) {
    if (parameters.size === 0 && !usedBasic) return invalid('clientId and clientSecret are missing')
    return invalid(`grant_type is missing: send client_credentials${orPartnerForm}`)
  }
  if (grantType !== undefined && grantType !== 'client_credentials')
    return invalid('grant_type must be client_credentials')
  if ('missing' in client) return invalid(`${client.missing} is missing${usesPartnerForm ? '' : orPartnerForm}`)
  const { audience } = call
  // The spec requires it in the identity-provider form, which is JSON. Standard OAuth clients send a form or HTTP Basic
  // without it.
  const needsAudience = !usesPartnerForm && !usedBasic && isJson
  if (needsAudience && !parameters.has('audience'))
    return invalid(`audience is missing: send ${audience}${orPartnerForm}`)
  if ((parameters.get('audience') ?? audience) !== audience)
    return invalid(`audience must be ${audience}${needsAudience ? '' : '; you can also leave it out'}`)
  if ((parameters.get('resource') ?? audience) !== audience)
    return invalid(`resource must be ${audience}; you can also leave it out`, 'invalid_target')
  const scope = parameters.get('scope')
  return {
    usedBasic,
    request: { ...client, ...(scope === undefined ? {} : { scope }) },
  }
}

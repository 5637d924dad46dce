import type { RevocationRequest } from '../revocation/revoke-token.ts'
import { type InvalidRequest, parseClientRequest, type RawClientRequest } from './client-request.ts'

export type ParsedRevocationRequest = { request: RevocationRequest; usedBasic: boolean } | InvalidRequest

/** Parses a revocation request (RFC 7009 §2.1). The hint is ignored, because all tokens are access tokens. */
export function parseRevocationRequest(call: RawClientRequest): ParsedRevocationRequest {
  const parsed = parseClientRequest(call, ['token'])
  if ('error' in parsed) return parsed
  const { parameters, usedBasic, client } = parsed
  const invalid = (description: string) => ({ error: 'invalid_request' as const, description, usedBasic })
  if ('missing' in client) return invalid(`${client.missing} is missing`)
  const token = parameters.get('token')
  if (token === undefined) return invalid('token is missing: send the access token that you want to revoke')
  return { usedBasic, request: { ...client, token } }
}

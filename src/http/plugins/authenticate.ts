import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAllowedFrom, wrongAddress } from '../../domain/auth/credential-validity.ts'
import type { DpopProofs } from '../../domain/auth/proofs/dpop-proofs.ts'
import type { Scope } from '../../domain/auth/scopes.ts'
import { tokenAlgorithms } from '../../domain/auth/verification-key.ts'
import type { AccessGrant, TokenVerifier } from '../../domain/auth/verify-token.ts'
import { DomainError } from '../../kernel/errors.ts'
import { clientAddressOf } from '../client-address.ts'
import { pathOf } from '../path-of.ts'
import { logSecurityEvent } from './access-log.ts'

interface Authentication {
  tokenVerifier: TokenVerifier
  dpopProofs: DpopProofs
}

type Scheme = 'Bearer' | 'DPoP'

/**
 * Identifies the caller. Without an Authorization header, `tokenOfConsole` may find the token of a console session. Throws
 * `unauthenticated` and sets the challenge of RFC 6750 or RFC 9449 on the reply, or `address_not_allowed` if the credentials may not be used
 * from the caller's address.
 */
export async function authenticate(
  { tokenVerifier, dpopProofs }: Authentication,
  request: FastifyRequest,
  reply: FastifyReply,
  tokenOfConsole?: (request: FastifyRequest) => Promise<string | undefined>,
): Promise<AccessGrant> {
  const header = request.headers.authorization
  const ofConsole = header === undefined ? await tokenOfConsole?.(request) : undefined
  const authorization = ofConsole === undefined ? header : `Bearer ${ofConsole}`
  if (authorization === undefined) {
    reply.header('WWW-Authenticate', challenge('Bearer'))
    throw new DomainError(
      'unauthenticated',
      'Send an access token: "Authorization: Bearer <token>". Get one from POST /partner-api/Auth/token.',
    )
  }
  const [, sent = '', token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization) ?? []
  const scheme: Scheme = sent.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer'
  const grant =
    token === undefined
      ? ({ refused: 'the Authorization header is not "Bearer" followed by a token' } as const)
      : await tokenVerifier.verify(token)
  if ('refused' in grant || token === undefined) {
    const reason = 'refused' in grant ? grant.refused : ''
    logSecurityEvent(request, 'access.refused', { reason })
    throw rejectToken(reply, scheme, reason)
  }
  await requireProof(dpopProofs, grant, { request, reply, scheme, token })
  if (!isAllowedFrom(grant, clientAddressOf(request))) {
    const { clientId, partnerId } = grant
    logSecurityEvent(request, 'address.refused', { clientId, partnerId })
    throw new DomainError('address_not_allowed', wrongAddress)
  }
  return grant
}

/** Returns the error for a token that is not accepted for this reason, and sets its challenge on the reply. */
export function rejectToken(reply: FastifyReply, scheme: Scheme, reason: string): DomainError {
  reply.header('WWW-Authenticate', challenge(scheme, 'invalid_token', reason))
  return new DomainError(
    'unauthenticated',
    `The access token was rejected: ${reason}. Get a new one from POST /partner-api/Auth/token and retry.`,
  )
}

/** Throws `unauthenticated` if the token is bound to a key and the call does not prove that key, or if the token should be bound to one. */
async function requireProof(
  dpopProofs: DpopProofs,
  { boundTo, requiresDpop, clientId, partnerId }: AccessGrant,
  { request, reply, scheme, token }: { request: FastifyRequest; reply: FastifyReply; scheme: Scheme; token: string },
): Promise<void> {
  const reject = (error: 'invalid_token' | 'invalid_dpop_proof', reason: string) => {
    logSecurityEvent(request, 'access.refused', { clientId, partnerId, reason })
    reply.header('WWW-Authenticate', challenge('DPoP', error, reason))
    throw new DomainError('unauthenticated', `The call was rejected: ${reason}. See RFC 9449 and retry.`)
  }
  if (boundTo === undefined) {
    if (requiresDpop) reject('invalid_token', 'its credentials require a token that is bound to a key (DPoP)')
    if (scheme === 'DPoP') reject('invalid_token', 'the token is not bound to a key, so send it as Bearer')
    return
  }
  if (scheme !== 'DPoP') reject('invalid_token', 'the token is bound to a key, so send it as DPoP with a proof')
  const { dpop } = request.headers
  if (typeof dpop !== 'string') return reject('invalid_dpop_proof', 'the DPoP header is missing')
  const checked = await dpopProofs.check(dpop, { method: request.method, path: pathOf(request), accessToken: token })
  if ('refused' in checked) return reject('invalid_dpop_proof', `the proof in the DPoP header: ${checked.refused}`)
  if (checked.thumbprint !== boundTo)
    reject('invalid_token', 'the proof is signed with another key than the one of the token')
}

/** Throws `partner_suspended` if the operator has suspended the caller's partner. */
export function rejectSuspended({ isSuspended }: AccessGrant, request: FastifyRequest): void {
  if (!isSuspended) return
  logSecurityEvent(request, 'partner.refused')
  throw new DomainError(
    'partner_suspended',
    'The operator has suspended your access. Nothing was read or changed. Ask the operator to resume it, then send the request again.',
  )
}

/** Throws `insufficient_scope` if the token lacks the scope. */
export function requireScope(grant: AccessGrant, scope: Scope, reply: FastifyReply): void {
  if (grant.scopes.includes(scope)) return
  logSecurityEvent(reply.request, 'scope.refused', { reason: scope })
  throw rejectScope(reply, grant.boundTo === undefined ? 'Bearer' : 'DPoP', scope)
}

/** Returns the error for a token that lacks this scope, and sets its challenge on the reply. */
export function rejectScope(reply: FastifyReply, scheme: Scheme, scope: string): DomainError {
  reply.header('WWW-Authenticate', `${scheme} realm="housebill", error="insufficient_scope", scope="${scope}"`)
  return new DomainError(
    'insufficient_scope',
    `This operation requires the scope ${scope}, which the token does not have. Use credentials that have this scope.`,
  )
}

function challenge(scheme: Scheme, error?: string, reason?: string): string {
  const failure = error === undefined ? '' : `, error="${error}", error_description="${reason}"`
  return `${scheme} realm="housebill"${failure}${scheme === 'DPoP' ? `, algs="${tokenAlgorithms.join(' ')}"` : ''}`
}

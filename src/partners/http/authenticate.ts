import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { logSecurityEvent } from '../../platform/http/plugins/access-log.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { isAllowedFrom, wrongAddress } from '../credential-validity.ts'
import type { Scope } from '../scopes.ts'
import { asErrorDescription } from '../token.schema.ts'
import type { AccessGrant, TokenVerifier } from '../verify-token.ts'

/**
 * Identifies the caller. Throws `unauthenticated` and sets the challenge of RFC 6750 on the reply, or `address_not_allowed` if the credentials
 * may not be used from the caller's address.
 */
export async function authenticate(
  { tokenVerifier }: { tokenVerifier: TokenVerifier },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AccessGrant> {
  const { authorization } = request.headers
  if (authorization === undefined) {
    reply.header('WWW-Authenticate', challenge())
    throw new DomainError(
      'unauthenticated',
      'Send an access token: "Authorization: Bearer <token>". Get one from POST /partner-api/Auth/token.',
    )
  }
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]
  const grant =
    token === undefined
      ? ({ rejected: 'the Authorization header is not "Bearer" followed by a token' } as const)
      : await tokenVerifier.verify(token)
  if ('rejected' in grant) {
    const reason = grant.rejected
    logSecurityEvent(request, 'access.refused', { reason })
    throw rejectToken(reply, reason)
  }
  rejectWrongAddress(grant, request)
  return grant
}

/** Throws `address_not_allowed` if the credentials may not be used from the caller's address. */
export function rejectWrongAddress(
  grant: Pick<AccessGrant, 'clientId' | 'allowedFrom'> & Partial<Pick<AccessGrant, 'partnerId'>>,
  request: FastifyRequest,
): void {
  if (isAllowedFrom(grant, clientAddressOf(request))) return
  const { clientId, partnerId } = grant
  logSecurityEvent(request, 'address.refused', { clientId, ...(partnerId === undefined ? {} : { partnerId }) })
  throw new DomainError('address_not_allowed', wrongAddress)
}

/** Returns the error for a token that is not accepted for this reason, and sets its challenge on the reply. */
export function rejectToken(reply: FastifyReply, reason: string): DomainError {
  reply.header('WWW-Authenticate', challenge('invalid_token', reason))
  return new DomainError(
    'unauthenticated',
    `The access token was rejected: ${reason}. Get a new one from POST /partner-api/Auth/token and retry.`,
  )
}

/** Throws `partner_suspended` if the operator has suspended the caller's partner. */
export function rejectSuspended({ isSuspended }: Pick<AccessGrant, 'isSuspended'>, request: FastifyRequest): void {
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
  throw rejectScope(reply, scope)
}

/** Returns the error for a token that lacks this scope, and sets its challenge on the reply. */
export function rejectScope(reply: FastifyReply, scope: string): DomainError {
  reply.header('WWW-Authenticate', `Bearer realm="housebill", error="insufficient_scope", scope="${scope}"`)
  return new DomainError(
    'insufficient_scope',
    `This operation requires the scope ${scope}, which the token does not have. Use credentials that have this scope.`,
  )
}

function challenge(error?: string, reason?: string): string {
  const failure =
    error === undefined ? '' : `, error="${error}", error_description="${asErrorDescription(reason ?? '')}"`
  return `Bearer realm="housebill"${failure}`
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAllowedFrom, wrongAddress } from '../../domain/auth/credential-validity.ts'
import type { Scope } from '../../domain/auth/scopes.ts'
import type { AccessGrant, TokenVerifier } from '../../domain/auth/verify-token.ts'
import { DomainError } from '../../kernel/errors.ts'
import { clientAddressOf } from '../client-address.ts'

/**
 * Identifies the caller. Without an Authorization header, `tokenOfConsole` may find the token of a console session. Throws
 * `unauthenticated` and sets the challenge of RFC 6750 on the reply, or `address_not_allowed` if the credentials may not be used from the
 * caller's address.
 */
export async function authenticate(
  verifier: TokenVerifier,
  request: FastifyRequest,
  reply: FastifyReply,
  tokenOfConsole?: (request: FastifyRequest) => Promise<string | undefined>,
): Promise<AccessGrant> {
  const header = request.headers.authorization
  const ofConsole = header === undefined ? await tokenOfConsole?.(request) : undefined
  if (header === undefined && ofConsole === undefined) {
    reply.header('WWW-Authenticate', 'Bearer realm="housebill"')
    throw new DomainError(
      'unauthenticated',
      'Send an access token: "Authorization: Bearer <token>". Get one from POST /partner-api/Auth/token.',
    )
  }
  const token = ofConsole ?? /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header ?? '')?.[1]
  const outcome =
    token === undefined
      ? ({ refused: 'the Authorization header is not "Bearer" followed by a token' } as const)
      : await verifier.verify(token)
  if ('refused' in outcome) {
    reply.header(
      'WWW-Authenticate',
      `Bearer realm="housebill", error="invalid_token", error_description="${outcome.refused}"`,
    )
    throw new DomainError(
      'unauthenticated',
      `The access token was rejected: ${outcome.refused}. Get a new one from POST /partner-api/Auth/token and retry.`,
    )
  }
  if (!isAllowedFrom(outcome, clientAddressOf(request))) throw new DomainError('address_not_allowed', wrongAddress)
  return outcome
}

/** Throws `insufficient_scope` if the token lacks the scope. */
export function requireScope(grant: AccessGrant, scope: Scope, reply: FastifyReply): void {
  if (grant.scopes.includes(scope)) return
  reply.header('WWW-Authenticate', `Bearer realm="housebill", error="insufficient_scope", scope="${scope}"`)
  throw new DomainError(
    'insufficient_scope',
    `This operation requires the scope ${scope}, which the token does not have. Use credentials that have this scope.`,
  )
}

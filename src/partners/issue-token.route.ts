import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessDependencies } from './access-dependencies.ts'
import type { TokenCallOrigin } from './authenticate-client.ts'
import {
  exchangeCredentials,
  issueToken,
  type ProvenClient,
  type TokenOutcome,
  type TokenRequest,
} from './issue-token.ts'
import type { Scope } from './scopes.ts'
import { rejectUnexpected, respondToClient } from './token-http/client-calls.ts'
import type { RequestError } from './token-http/client-request.ts'
import type { TokenLimits } from './token-http/token-limits.ts'
import { parseTokenRequest } from './token-http/token-request.ts'

/** What a console session asks of a token call. */
interface SessionWish {
  scope: Scope
  lifetimeSeconds: number
  /** The error for credentials that lack the scope. */
  needsScope: string
  /** Returns the body of the response. */
  start(token: { clientId: string; accessToken: string; lifetimeSeconds: number }): Promise<object>
}

/**
 * Checks credentials under the rules and limits of token calls, and then begins a session instead of returning the
 * token.
 */
export type SessionStarter = (
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionWish,
) => Promise<FastifyReply>

/**
 * The token operations: the spec's POST /Auth/token and, for the embedded identity provider, POST /oauth/token. Returns
 * the same check of credentials for the console.
 */
export function registerTokenRoutes(
  app: FastifyInstance,
  deps: AccessDependencies,
  limits: TokenLimits,
): SessionStarter {
  const { tokenSource } = deps
  const { audience } = 'embedded' in tokenSource ? tokenSource.embedded : tokenSource
  register('/partner-api/Auth/token', 'issueToken', false)
  if ('embedded' in tokenSource) register('/oauth/token', 'issueTokenAsProvider', true)

  return (request, reply, session) =>
    respondToClient(
      { request, reply, limits },
      {
        event: 'token.issued',
        parse: (call) => parseTokenRequest({ ...call, allowsBasic: false, audience }),
        run: (tokenRequest, origin) => startSession(deps, tokenRequest, origin, session),
      },
    )

  function register(path: string, operationId: string, allowsBasic: boolean): void {
    app.post(path, { errorHandler: rejectUnexpected, config: { operationId } }, (request, reply) =>
      respondToClient(
        { request, reply, limits },
        {
          event: 'token.issued',
          parse: (call) => parseTokenRequest({ ...call, allowsBasic, audience }),
          run: async (tokenRequest, origin) => present(await getToken(deps, tokenRequest, origin)),
        },
      ),
    )
  }
}

async function startSession(
  { databases, ...deps }: AccessDependencies,
  request: TokenRequest,
  origin: TokenCallOrigin,
  { scope, lifetimeSeconds, needsScope, start }: SessionWish,
): Promise<{ client: ProvenClient; body: object } | { error: RequestError; description: string }> {
  const { tokenSource } = deps
  if (!('embedded' in tokenSource)) throw new Error('an external provider issues tokens, so the console sends one')
  const tokenIssuer = {
    ...tokenSource.embedded,
    lifetimeSeconds: Math.min(tokenSource.embedded.lifetimeSeconds, lifetimeSeconds),
  }
  const outcome = await issueToken({ ...deps, db: databases.system, tokenIssuer }, { ...request, scope }, origin)
  if ('error' in outcome)
    return outcome.error === 'invalid_request' ? { error: outcome.error, description: needsScope } : outcome
  const { client, accessToken, expiresInSeconds } = outcome
  return { client, body: await start({ clientId: request.clientId, accessToken, lifetimeSeconds: expiresInSeconds }) }
}

async function getToken(
  { databases, ...deps }: AccessDependencies,
  request: TokenRequest,
  origin: TokenCallOrigin,
): Promise<TokenOutcome> {
  const { tokenSource } = deps
  const db = databases.system
  if ('embedded' in tokenSource) return issueToken({ ...deps, db, tokenIssuer: tokenSource.embedded }, request, origin)
  const { external: identityProvider, audience } = tokenSource
  return exchangeCredentials({ ...deps, db, identityProvider, audience }, request, origin)
}

function present(outcome: TokenOutcome) {
  if ('error' in outcome) return outcome
  const { client, accessToken, expiresInSeconds, scope } = outcome
  return { client, body: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds, scope } }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessDependencies } from './access-dependencies.ts'
import type { ClientAuthentication, TokenCallOrigin } from './authenticate-client.ts'
import { exchangeCredentials, issueToken, type TokenOutcome, type TokenRequest } from './issue-token.ts'
import { programSessionSeconds, sessionScopes } from './sessions/program-sessions.ts'
import { rejectUnexpected, respondToClient, runClientCall } from './token-http/client-calls.ts'
import type { RequestError } from './token-http/client-request.ts'
import type { TokenLimits } from './token-http/token-limits.ts'
import { parseTokenRequest } from './token-http/token-request.ts'

/** A token for a session of a program. */
export interface SessionToken {
  clientId: string
  accessToken: string
  lifetimeSeconds: number
}

/**
 * Checks a client id and secret under the rules and limits of token calls, and returns a token for a session or an error
 * for whoever entered them. Throws `rate_limited`.
 */
export type CheckCredentials = (
  request: FastifyRequest,
  reply: FastifyReply,
  client: ClientAuthentication,
) => Promise<SessionToken | { error: RequestError; description: string }>

/**
 * The token operations: the spec's POST /Auth/token and, for the embedded identity provider, POST /oauth/token. Returns
 * the same check of credentials for a session; undefined if an external provider keeps the secrets.
 */
export function registerTokenRoutes(
  app: FastifyInstance,
  deps: AccessDependencies,
  limits: TokenLimits,
): CheckCredentials | undefined {
  const { tokenSource } = deps
  const { audience } = 'embedded' in tokenSource ? tokenSource.embedded : tokenSource
  register('/partner-api/Auth/token', 'issueToken', false)
  if ('embedded' in tokenSource) register('/oauth/token', 'issueTokenAsProvider', true)

  if (!('embedded' in tokenSource)) return undefined
  const tokenIssuer = {
    ...tokenSource.embedded,
    lifetimeSeconds: Math.min(tokenSource.embedded.lifetimeSeconds, programSessionSeconds),
  }
  return async (request, reply, client) => {
    const outcome = await runClientCall(
      { request, reply, limits },
      {
        event: 'token.issued',
        parse: () => ({ request: client, usedBasic: false }),
        run: async (given, origin) =>
          present(
            await issueToken(
              { ...deps, db: deps.databases.system, tokenIssuer },
              { ...given, within: sessionScopes },
              origin,
            ),
          ),
      },
    )
    if ('error' in outcome) return outcome
    const { access_token: accessToken, expires_in: lifetimeSeconds } = outcome.body
    return { clientId: outcome.client.clientId, accessToken, lifetimeSeconds }
  }

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

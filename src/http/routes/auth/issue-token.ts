import type { FastifyInstance } from 'fastify'
import type { TokenCallOrigin } from '../../../domain/auth/clients/authenticate-client.ts'
import { exchangeCredentials } from '../../../domain/auth/exchange-credentials.ts'
import { issueToken, type TokenOutcome, type TokenRequest } from '../../../domain/auth/issue-token.ts'
import type { DeploymentServices } from '../../services.ts'
import { rejectUnexpected, respondToClient } from './client-calls.ts'
import type { TokenLimits } from './token-limits.ts'
import { parseTokenRequest } from './token-request.ts'

/** The token operations: the spec's POST /Auth/token and, for the embedded identity provider, POST /oauth/token. */
export function registerTokenRoutes(app: FastifyInstance, services: DeploymentServices, limits: TokenLimits): void {
  const { tokenSource } = services
  const { audience } = 'embedded' in tokenSource ? tokenSource.embedded : tokenSource
  register('/partner-api/Auth/token', 'issueToken', false)
  if ('embedded' in tokenSource) register('/oauth/token', 'issueTokenAsProvider', true)

  function register(path: string, operationId: string, allowsBasic: boolean): void {
    app.post(path, { errorHandler: rejectUnexpected, config: { operationId } }, (request, reply) =>
      respondToClient(
        { request, reply, limits },
        {
          parse: (call) => parseTokenRequest({ ...call, allowsBasic, audience }),
          run: async (tokenRequest, origin) => present(await getToken(services, tokenRequest, origin)),
        },
      ),
    )
  }
}

async function getToken(
  { databases, ...services }: DeploymentServices,
  request: TokenRequest,
  origin: TokenCallOrigin,
): Promise<TokenOutcome> {
  const { tokenSource } = services
  const db = databases.system
  if ('embedded' in tokenSource)
    return issueToken({ ...services, db, tokenIssuer: tokenSource.embedded }, request, origin)
  const { external: identityProvider, audience } = tokenSource
  return exchangeCredentials({ ...services, db, identityProvider, audience }, request, origin)
}

function present(outcome: TokenOutcome) {
  if ('error' in outcome) return outcome
  const { accessToken, tokenType, expiresInSeconds, scope } = outcome
  return { body: { access_token: accessToken, token_type: tokenType, expires_in: expiresInSeconds, scope } }
}

import type { FastifyInstance } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import type { CountAddress, RateLimit } from '../../partners/http/rate-limit.ts'
import type { OperatorScope } from '../../partners/operators/operator-scopes.ts'
import type { OperatorTokens } from '../../partners/operators/operator-tokens.ts'
import { rejectUnexpected, respondToClient } from '../../partners/token-http/client-calls.ts'
import type { TokenLimits } from '../../partners/token-http/token-limits.ts'
import { parseTokenRequest } from '../../partners/token-http/token-request.ts'
import { buildDocument, type OpenApiDocument } from '../../platform/openapi/document.ts'
import type { DocumentedErrors } from '../../platform/openapi/problem-responses.ts'
import { describeWebhookMessages } from '../../webhooks/events.openapi.ts'
import { operatorMessages } from '../contract-feed/feed.schema.ts'
import type { OperatorRoute } from './operator-route.ts'
import { operatorPrefix, registerOperatorRoute } from './register-operator-route.ts'

/** What each scope allows. */
const scopeDescriptions: Record<OperatorScope, string> = {
  'contracts:read': 'Follow and read contracts, with names and addresses',
  'contracts:write': 'Acknowledge and correct contracts, and report the status of services',
  'psr:read': 'Read Priority Services Register details (health data)',
  'payments:read': 'Read payments',
  'payments:write': 'Report payments',
  'partners:read': 'Read partners and their figures',
  'partners:write': 'Manage partners',
  'rates:write': 'Manage rate cards',
  'support:read': 'Find people and what happened to them',
  'support:write': 'Change households, and cancel, end and change what customers agreed to',
}

/** Builds the OpenAPI document of the operator API from its route table. */
export function buildOperatorDocument(
  routes: readonly OperatorRoute[],
  {
    publicUrl,
    realm,
    errors,
    webhookRetrySeconds,
  }: {
    publicUrl: string
    realm: 'sandbox' | 'live'
    errors: DocumentedErrors
    webhookRetrySeconds: readonly number[]
  },
): OpenApiDocument {
  const used = new Set<string>([...routes.map(({ tag }) => tag), 'Webhooks'])
  return buildDocument(
    routes,
    { publicUrl, realm, errors },
    {
      prefix: operatorPrefix,
      title: 'Housebill operator API',
      summary: "For the operator's own software: receive the contracts of all partners",
      description: `Get a token from \`POST ${operatorPrefix}/Auth/token\` with credentials from \`housebill operator create\`; it is valid for an hour. Amounts are whole pence, times are in UTC, and dates are calendar days in the Europe/London time zone.`,
      tags: [
        { name: 'Contracts', description: 'Follow what was sold' },
        { name: 'Priority Services Register', description: 'Follow the needs that networks must know' },
        { name: 'Services', description: 'Report how supply goes' },
        { name: 'Payments', description: 'Ask for what is due, and report what became of it' },
        { name: 'Customers', description: 'Find people, see what happened to them, and serve them' },
        { name: 'Partners', description: 'Create partners, and manage their credentials and limits' },
        { name: 'People', description: 'Manage who signs in to pages' },
        { name: 'Tasks', description: 'See what waits for you' },
        { name: 'Reports', description: 'See how partners sell, and what they earn' },
        { name: 'Rate cards', description: 'Compare, publish and withdraw rate cards' },
        { name: 'Webhooks', description: 'Get told of new versions of contracts, and replay what webhooks missed' },
      ].filter(({ name }) => used.has(name)),
      webhooks: (parts) => describeWebhookMessages(parts, webhookRetrySeconds, operatorMessages),
      tokens: {
        accessToken: `A token from \`POST ${operatorPrefix}/Auth/token\`. Tokens follow RFC8725.`,
        oauth2: 'OAuth 2.0 client credentials. Tokens follow RFC8725.',
        tokenUrl: `${publicUrl}${operatorPrefix}/Auth/token`,
        scopes: scopeDescriptions,
      },
    },
  )
}

/** Registers the API of the operator's own software, which has these operations, and its description. */
export function registerOperatorApi(
  app: FastifyInstance,
  deps: DeploymentDependencies,
  routes: readonly OperatorRoute[],
  {
    limits,
    calls,
    countReader,
    ...server
  }: {
    publicUrl: string
    errors: DocumentedErrors
    webhookRetrySeconds: readonly number[]
    limits: TokenLimits
    calls: RateLimit
    /** Counts who reads the API document, for which nobody needs a token. */
    countReader: CountAddress
  },
): void {
  registerOperatorToken(app, deps, limits)
  for (const route of routes) registerOperatorRoute(app, route, deps, calls)
  let document: string | undefined
  app.get(`${operatorPrefix}/openapi.json`, { onRequest: countReader }, (_request, reply) => {
    document ??= JSON.stringify(buildOperatorDocument(routes, { ...server, realm: deps.realm }))
    return reply.header('Content-Type', 'application/json; charset=utf-8').send(document)
  })
}

/**
 * POST /operator-api/Auth/token: exchanges an operator's client id and secret for a token, in any form of the partner
 * API's token call.
 */
function registerOperatorToken(
  app: FastifyInstance,
  { operatorTokens }: { operatorTokens: OperatorTokens },
  limits: TokenLimits,
): void {
  const config = { operationId: 'issueOperatorToken' }
  app.post(`${operatorPrefix}/Auth/token`, { errorHandler: rejectUnexpected, config }, (request, reply) =>
    respondToClient(
      { request, reply, limits },
      {
        event: 'token.issued',
        parse: (call) => parseTokenRequest({ ...call, allowsBasic: true, audience: operatorTokens.audience }),
        async run(asked, origin) {
          if ('assertion' in asked)
            return { error: 'invalid_client', description: 'Operator credentials have a secret: send client_secret.' }
          const outcome = await operatorTokens.issue(asked, origin)
          if ('error' in outcome) return outcome
          const { accessToken, expiresInSeconds, scope } = outcome
          return {
            client: { clientId: asked.clientId },
            body: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds, scope },
          }
        },
      },
    ),
  )
}

import type { OpenApiDocument } from '../../app/openapi/document.ts'
import type { OperatorScope } from '../../partners/operators/operator-scopes.ts'
import { Problem } from '../../platform/http/schemas/problem.ts'
import { sharedHeaders } from '../../platform/openapi/components.ts'
import { loadExamples } from '../../platform/openapi/examples.ts'
import { operationOf } from '../../platform/openapi/operation.ts'
import { createProblemResponses } from '../../platform/openapi/problem-responses.ts'
import { createSchemaWriter } from '../../platform/openapi/schema-writer.ts'
import { describeWebhookMessages } from '../../webhooks/events.openapi.ts'
import { operatorMessages } from '../contract-feed/version-message.schema.ts'
import type { OperatorRoute } from './operator-route.ts'
import { operatorPrefix } from './register-operator-route.ts'

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
  'support:write': 'Cancel, end and change what customers agreed to',
}

/** Builds the OpenAPI document of the operator API from its route table. */
export function buildOperatorDocument(
  routes: readonly OperatorRoute[],
  {
    publicUrl,
    realm,
    webhookRetrySeconds,
  }: { publicUrl: string; realm: 'sandbox' | 'live'; webhookRetrySeconds: readonly number[] },
): OpenApiDocument {
  const examples = loadExamples(publicUrl)
  const parts = { writer: createSchemaWriter(), problems: createProblemResponses(examples.errors), examples }
  parts.writer.write(Problem)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = `${operatorPrefix}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(parts, route) }
  }
  const used = new Set<string>([...routes.map(({ tag }) => tag), 'Webhooks'])
  return {
    openapi: '3.1.1',
    info: {
      title: 'Housebill operator API',
      version: '0.1.0',
      summary: "For the operator's own software: receive the contracts of all partners",
      description: `Get a token from \`POST ${operatorPrefix}/Auth/token\` with credentials from \`housebill operator create\`; it is valid for an hour. Amounts are whole pence, times are in UTC, and dates are calendar days in the Europe/London time zone.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: realm, 'x-internal': false }],
    tags: [
      { name: 'Contracts', description: 'Follow what was sold' },
      { name: 'Priority Services Register', description: 'Follow the needs that networks must know' },
      { name: 'Services', description: 'Report how supply goes' },
      { name: 'Payments', description: 'Ask for what is due, and report what became of it' },
      { name: 'Customers', description: 'Find people, see what happened to them, and serve them' },
      { name: 'Partners', description: 'Create partners, and manage their credentials and limits' },
      { name: 'Reports', description: 'See how partners sell, and what they earn' },
      { name: 'Rate cards', description: 'Compare, publish and withdraw rate cards' },
      { name: 'Webhooks', description: 'What the webhooks of `housebill operator webhook` get' },
    ].filter(({ name }) => used.has(name)),
    security: [{ accessToken: [] }, { oauth2: [] }],
    paths,
    webhooks: describeWebhookMessages(parts, webhookRetrySeconds, operatorMessages),
    components: {
      schemas: parts.writer.namedSchemas(),
      responses: parts.problems.shared(),
      examples: parts.problems.examples(),
      headers: sharedHeaders,
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `A token from \`POST ${operatorPrefix}/Auth/token\`. Tokens follow RFC8725.`,
        },
        oauth2: {
          type: 'oauth2',
          description: 'OAuth 2.0 client credentials. Tokens follow RFC8725.',
          flows: {
            clientCredentials: { tokenUrl: `${publicUrl}${operatorPrefix}/Auth/token`, scopes: scopeDescriptions },
          },
        },
      },
    },
  }
}

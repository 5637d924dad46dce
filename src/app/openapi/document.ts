import { discoveryPaths, tokenPaths } from '../../partners/auth-paths.openapi.ts'
import type { Scope } from '../../partners/scopes.ts'
import type { Route } from '../../platform/http/route.ts'
import { longestTokenSeconds } from '../../platform/kernel/token-lifetime.ts'
import { buildDocument, type OpenApiDocument } from '../../platform/openapi/document.ts'
import { inHours } from '../../platform/openapi/time-in-words.ts'
import { describeWebhookMessages } from '../../webhooks/events.openapi.ts'
import { testErrorHeader, testErrorPattern } from '../http/test-error.ts'
import { partnerErrors } from './problem.schema.ts'

/** What the document says about the server that publishes it. */
export interface DocumentedServer {
  publicUrl: string
  realm: 'sandbox' | 'live'
  /** The pauses between the attempts of a delivery. */
  webhookRetrySeconds: readonly number[]
  /** Where tools get tokens; an external identity provider is reached through the partner form's path. */
  tokenPath?: '/oauth/token' | '/partner-api/Auth/token'
}

/** What each scope allows, for tools that show the scopes to choose from. */
const scopeDescriptions: Record<Scope, string> = {
  'addresses:read': 'Look up addresses and check broadband availability',
  'quotes:read': 'Read quotes and their costs',
  'quotes:write': 'Create and change quotes',
  'customers:read': 'Read customers, costs, payment schedules and contract links',
  'customers:write': 'Submit personal information, set up payment, accept terms and erase customers',
  'customers:export': 'Export everything held about a customer',
  'customers:onboard': "Create and revoke links to tenants' pages",
  'psr:read': 'Read Priority Services Register details (health data) in exports',
  'webhooks:manage': 'Manage webhooks and read events and deliveries',
  'sandbox:steer': 'Control the sandbox simulators',
}

/** Builds the document of the partner API. */
export function buildOpenApiDocument(routes: readonly Route[], server: DocumentedServer): OpenApiDocument {
  return buildDocument(
    routes,
    { ...server, errors: partnerErrors },
    {
      prefix: '/partner-api',
      title: 'Housebill partner API',
      summary: 'Sell household bills: quotes, tenants, onboarding and contracts',
      description:
        'Get a token, look up an address, create a quote, add the tenants who share it, and take each tenant through to a contract. Amounts are whole pence, times are in UTC, and dates are calendar days in the Europe/London time zone. Paths are not case-sensitive; ids are. In the body of a POST, `null` in an optional member means that you left it out. A PATCH rejects it: leave out what is to stay as it is.',
      tags: [
        { name: 'Authentication', description: 'Exchange client credentials for access tokens' },
        { name: 'Addresses', description: 'Look up properties that can be quoted' },
        { name: 'Quotes', description: "Manage a household's packages, tenants, broadband and prices" },
        { name: 'Customers', description: 'Take each tenant of a quote through to a contract' },
        { name: 'Reports', description: 'Read what you sold, and what it earned' },
        { name: 'Settings', description: 'Read and change what applies to you' },
        { name: 'Webhooks', description: 'Receive signed messages when something changes' },
        ...(server.realm === 'sandbox'
          ? [
              {
                name: 'Sandbox',
                description: 'Control the sandbox simulators. Not available in live, where these paths return 404.',
              },
            ]
          : []),
      ],
      otherPaths: (parts) => ({ ...tokenPaths(parts), ...discoveryPaths(parts) }),
      headers: server.realm === 'sandbox' ? [testErrorParameter] : [],
      webhooks: (parts) => describeWebhookMessages(parts, server.webhookRetrySeconds),
      tokens: {
        accessToken: `A token from \`POST /partner-api/Auth/token\`, valid for ${inHours(longestTokenSeconds)}, or for less if \`expires_in\` says so. Tokens follow RFC8725: each key has one algorithm, and the issuer, audience and lifetime are verified.`,
        oauth2: 'OAuth 2.0 client credentials, for tools that get the token themselves. Tokens follow RFC8725.',
        tokenUrl: `${server.publicUrl}${server.tokenPath ?? '/oauth/token'}`,
        scopes: scopeDescriptions,
      },
      otherSecuritySchemes: {
        clientBasic: {
          type: 'http',
          scheme: 'basic',
          description: 'The client id and secret. Only accepted at `/oauth/token` and `/partner-api/Auth/revoke`.',
        },
      },
    },
  )
}

const testErrorParameter = {
  name: testErrorHeader,
  in: 'header',
  required: false,
  description:
    'Only sandboxes obey it. Makes this request fail with an error that the operation documents, such as `service_unavailable; when=after; delay=500`. With `when=before`, the default, nothing happens. With `when=after`, which needs `internal_error` or `service_unavailable`, the operation takes effect, and only its response is lost. `delay` is how many milliseconds the response waits, up to 30,000.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: testErrorPattern },
}

import { countInWords } from '../../domain/contracts/in-words.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { bodyLimitBytes } from '../plugins/body.ts'
import { discoveryMaxAgeSeconds } from '../routes/auth/discovery.ts'
import { rateLimitedHeaders, referencesTo } from './components.ts'

const tokenResponse = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'scope'],
  properties: {
    access_token: {
      type: 'string',
      maxLength: 16_384,
      description: 'A JWT. Tokens from the embedded identity provider follow RFC 9068.',
    },
    token_type: { type: 'string', enum: ['Bearer'] },
    expires_in: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      maximum: 2_147_483_647,
      description: "The token's lifetime in seconds: 86400, or the value set by an external identity provider.",
    },
    scope: { type: 'string', maxLength: 1_000 },
  },
  additionalProperties: false,
}

const tokenError = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', maxLength: 64, pattern: '^[a-z_]+$' },
    error_description: { type: 'string', maxLength: 1_000 },
  },
  additionalProperties: false,
}

/** The maximum length of a credential. */
const credential = { type: 'string', maxLength: 1_024 }
const audience = { type: 'string', maxLength: 2_048 }
const scope = { type: 'string', maxLength: 1_000 }

const partnerForm = {
  title: 'Partner form',
  type: 'object',
  required: ['clientId', 'clientSecret'],
  properties: { clientId: credential, clientSecret: credential },
}

const providerForm = {
  title: 'Identity-provider form',
  type: 'object',
  required: ['client_id', 'client_secret', 'audience', 'grant_type'],
  properties: {
    client_id: credential,
    client_secret: credential,
    audience,
    grant_type: { type: 'string', enum: ['client_credentials'] },
    scope: {
      ...scope,
      description: 'The scopes to request, separated by spaces. They must be among the scopes of the credentials.',
    },
  },
}

const basicForm = {
  title: 'HTTP Basic form',
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { type: 'string', enum: ['client_credentials'] },
    audience,
    scope,
  },
}

function errorResponse(description: string, furtherHeaders: readonly string[] = []): unknown {
  return {
    description,
    headers: referencesTo([...rateLimitedHeaders, ...furtherHeaders]),
    content: { 'application/json': { schema: tokenError } },
  }
}

function problem(code: ErrorCode, description: string, furtherHeaders: readonly string[] = []): unknown {
  return {
    description,
    'x-error-codes': [code],
    headers: referencesTo([...rateLimitedHeaders, ...furtherHeaders]),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}
const notEmbedded = problem('not_found', 'An external identity provider is in use')

interface TokenOperation {
  operationId: string
  summary: string
  forms: readonly unknown[]
  security: readonly unknown[]
  furtherResponses?: Record<string, unknown>
}

function tokenOperation({ operationId, summary, forms, security, furtherResponses }: TokenOperation): unknown {
  const schema = { anyOf: forms }
  return {
    operationId,
    tags: ['Authentication'],
    summary,
    description:
      'Reuse the token until it expires. Every error has the body `{error, error_description}`. Unknown parameters are ignored.',
    security,
    requestBody: {
      required: true,
      content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
    },
    responses: {
      '200': {
        description: 'An access token',
        headers: referencesTo(rateLimitedHeaders),
        content: { 'application/json': { schema: tokenResponse } },
      },
      '400': errorResponse('`invalid_request`: a parameter is missing, repeated or invalid'),
      '401': errorResponse('`invalid_client`: the client id or secret is wrong, or the credentials are disabled'),
      ...furtherResponses,
      '408': errorResponse('`invalid_request`: the request did not arrive in time'),
      '413': errorResponse(`\`invalid_request\`: the body is larger than ${bodyLimitBytes / 1_024} KiB`),
      '414': errorResponse('`invalid_request`: the URL is too long'),
      '429': errorResponse('`slow_down`: too many token requests; see Retry-After', ['Retry-After']),
      '431': errorResponse('`invalid_request`: the headers are too large, or there are too many'),
      '500': errorResponse('`server_error`: an unexpected server error'),
      '503': errorResponse('`temporarily_unavailable`: a service this request depends on is down; see Retry-After', [
        'Retry-After',
      ]),
    },
  }
}

/** The two token operations. Both accept the partner form and the identity-provider form; /oauth/token also accepts HTTP Basic. */
export function tokenPaths(): Record<string, Record<string, unknown>> {
  return {
    '/partner-api/Auth/token': {
      post: tokenOperation({
        operationId: 'issueToken',
        summary: 'Get an access token',
        forms: [partnerForm, providerForm],
        security: [],
      }),
    },
    '/oauth/token': {
      post: tokenOperation({
        operationId: 'issueTokenAsProvider',
        summary: 'Get an access token from the embedded identity provider',
        forms: [partnerForm, providerForm, basicForm],
        security: [{}, { clientBasic: [] }],
        furtherResponses: { '404': notEmbedded },
      }),
    },
  }
}

function jsonObject(operationId: string, summary: string, description: string): Record<string, unknown> {
  return {
    get: {
      operationId,
      tags: ['Authentication'],
      summary,
      description,
      security: [],
      responses: {
        '200': {
          description: 'The requested document',
          headers: referencesTo(rateLimitedHeaders),
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        '400': problem('invalid_request', 'The request is not valid HTTP'),
        '404': notEmbedded,
        '408': problem('request_timeout', 'The request did not arrive in time'),
        '413': problem('payload_too_large', `The body is larger than ${bodyLimitBytes / 1_024} KiB`),
        '414': problem('uri_too_long', 'The URL is too long'),
        '429': problem('rate_limited', 'Too many requests from this IP address; see Retry-After', ['Retry-After']),
        '431': problem('headers_too_large', 'The headers are too large, or there are too many'),
        '500': problem('internal_error', 'An unexpected server error'),
      },
    },
  }
}

const cacheable = `You can cache it for ${countInWords(discoveryMaxAgeSeconds / 60)} minutes.`

/** The embedded identity provider's public documents. */
export function discoveryPaths(): Record<string, Record<string, unknown>> {
  return {
    '/.well-known/jwks.json': jsonObject(
      'getSigningKeys',
      'Get the public signing keys',
      `Returns a JSON Web Key Set (RFC 7517). ${cacheable}`,
    ),
    '/.well-known/oauth-authorization-server': jsonObject(
      'getAuthorizationServerMetadata',
      "Get the identity provider's metadata",
      `Returns authorization server metadata (RFC 8414). ${cacheable}`,
    ),
  }
}

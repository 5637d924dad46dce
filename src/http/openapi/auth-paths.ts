import { countInWords } from '../../domain/contracts/in-words.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { bodyLimitBytes } from '../plugins/body.ts'
import { discoveryFreshSeconds } from '../routes/auth/discovery.ts'
import { AuthorizationServerMetadata, JsonWebKeySet } from '../wire/discovery.ts'
import { Token, TokenError, tokenRequestBodies } from '../wire/token.ts'
import { rateLimitedHeaders, referencesTo } from './components.ts'
import type { SchemaWriter } from './schema-writer.ts'

function tokenErrorWriter(writer: SchemaWriter) {
  return (description: string, furtherHeaders: readonly string[] = []) => ({
    description,
    headers: referencesTo([...rateLimitedHeaders, ...furtherHeaders]),
    content: { 'application/json': { schema: writer.write(TokenError) } },
  })
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
  allowsBasic: boolean
  security: readonly unknown[]
  furtherResponses?: Record<string, unknown>
}

function tokenOperation(
  writer: SchemaWriter,
  { operationId, summary, allowsBasic, security, furtherResponses }: TokenOperation,
): unknown {
  const { json, form } = tokenRequestBodies(allowsBasic)
  const errorResponse = tokenErrorWriter(writer)
  return {
    operationId,
    tags: ['Authentication'],
    summary,
    description:
      'Reuse the token until it expires. Every error has the body `{error, error_description}`. Unknown parameters are ignored.',
    security,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: writer.write(json) },
        'application/x-www-form-urlencoded': { schema: writer.write(form) },
      },
    },
    responses: {
      '200': {
        description: 'An access token',
        headers: referencesTo(rateLimitedHeaders),
        content: { 'application/json': { schema: writer.write(Token) } },
      },
      '400': errorResponse(
        '`invalid_request`: a parameter is missing, repeated or invalid. `invalid_target`: `resource` is not this API.',
      ),
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
export function tokenPaths(writer: SchemaWriter): Record<string, Record<string, unknown>> {
  return {
    '/partner-api/Auth/token': {
      post: tokenOperation(writer, {
        operationId: 'issueToken',
        summary: 'Get an access token',
        allowsBasic: false,
        security: [],
      }),
    },
    '/oauth/token': {
      post: tokenOperation(writer, {
        operationId: 'issueTokenAsProvider',
        summary: 'Get an access token from the embedded identity provider',
        allowsBasic: true,
        security: [{}, { clientBasic: [] }],
        furtherResponses: { '404': notEmbedded },
      }),
    },
  }
}

interface DiscoveryDocument {
  operationId: string
  summary: string
  description: string
  schema: object
}

function discoveryPath({ operationId, summary, description, schema }: DiscoveryDocument): Record<string, unknown> {
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
          content: { 'application/json': { schema } },
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

const cacheable = `You can cache it for ${countInWords(discoveryFreshSeconds / 60)} minutes.`

/** The embedded identity provider's public documents. */
export function discoveryPaths(writer: SchemaWriter): Record<string, Record<string, unknown>> {
  return {
    '/.well-known/jwks.json': discoveryPath({
      operationId: 'getSigningKeys',
      summary: 'Get the public signing keys',
      description: `Returns a JSON Web Key Set (RFC 7517). ${cacheable}`,
      schema: writer.write(JsonWebKeySet) as object,
    }),
    '/.well-known/oauth-authorization-server': discoveryPath({
      operationId: 'getAuthorizationServerMetadata',
      summary: "Get the identity provider's metadata",
      description: `Returns authorization server metadata (RFC 8414). ${cacheable}`,
      schema: writer.write(AuthorizationServerMetadata) as object,
    }),
  }
}

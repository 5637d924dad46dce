import type { TSchema } from 'typebox'
import { bodyLimitBytes } from '../platform/http/server-limits.ts'
import type { ErrorCode } from '../platform/kernel/errors.ts'
import { countInWords } from '../platform/kernel/in-words.ts'
import { rateLimitedHeaders, referencesTo } from '../platform/openapi/components.ts'
import { shown } from '../platform/openapi/examples.ts'
import type { DocumentParts } from '../platform/openapi/operation.ts'
import type { SchemaWriter } from '../platform/openapi/schema-writer.ts'
import { discoveryMaxAgeSeconds } from './discovery.route.ts'
import { AuthorizationServerMetadata, JsonWebKeySet } from './discovery.schema.ts'
import { revocationPath } from './revocation/revoke-token.route.ts'
import {
  asErrorDescription,
  oauthTokenRequest,
  Revocation,
  revocationRequest,
  Token,
  TokenError,
  type TokenErrorCode,
  tokenRequest,
} from './token.schema.ts'

interface TokenErrorResponse {
  description: string
  /** The errors it can be, with their examples. */
  examples: Record<string, unknown>
  retry?: boolean
}

function tokenErrorResponse(writer: SchemaWriter, { description, examples, retry }: TokenErrorResponse): unknown {
  return {
    description,
    headers: referencesTo([...rateLimitedHeaders, ...(retry === true ? ['Retry-After'] : [])]),
    content: {
      'application/json': {
        schema: writer.write(TokenError),
        examples: Object.fromEntries(Object.entries(examples).map(([code, value]) => [code, { value }])),
      },
    },
  }
}

interface TokenOperation {
  operationId: string
  summary: string
  description?: string
  request: { json: TSchema; form: TSchema }
  reply?: { description: string; schema: TSchema }
  /** What 400 means. */
  badRequest?: string
  security: readonly unknown[]
  furtherResponses?: Record<string, unknown>
}

function tokenOperation(
  { writer, examples }: DocumentParts,
  {
    operationId,
    summary,
    description = 'Reuse the token until it expires.',
    request,
    reply = { description: 'An access token', schema: Token },
    badRequest,
    security,
    furtherResponses,
  }: TokenOperation,
): unknown {
  const example = examples.operations[operationId]
  const { invalid_request, invalid_target, invalid_client } = examples.tokenErrors
  const failed = (description: string, errors: Record<string, unknown>) =>
    tokenErrorResponse(writer, { description, examples: errors })
  /** An error that every operation has, in the form of this one. */
  const shared = (error: TokenErrorCode, code: ErrorCode, description: string) => {
    const { detail = '' } = (examples.errors[code] ?? {}) as { detail?: string }
    const shownErrors = { [error]: { error, error_description: asErrorDescription(detail) } }
    const retry = error === 'slow_down' || error === 'temporarily_unavailable'
    return tokenErrorResponse(writer, { description: `\`${error}\`: ${description}`, examples: shownErrors, retry })
  }
  return {
    operationId,
    tags: ['Authentication'],
    summary,
    description: `${description} Every error has the body \`{error, error_description}\`. Unknown parameters are ignored.`,
    security,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: writer.write(request.json), ...shown(example?.request) },
        'application/x-www-form-urlencoded': { schema: writer.write(request.form), ...shown(example?.request) },
      },
    },
    responses: {
      '200': {
        description: reply.description,
        headers: referencesTo(rateLimitedHeaders),
        content: { 'application/json': { schema: writer.write(reply.schema), ...shown(example?.response) } },
      },
      '400':
        badRequest === undefined
          ? failed(
              '`invalid_request`: a parameter is missing, repeated or invalid. `invalid_target`: `resource` is not this API.',
              { invalid_request, invalid_target },
            )
          : failed(badRequest, { invalid_request }),
      '401': failed('`invalid_client`: the client id or secret is wrong, or the credentials are disabled', {
        invalid_client,
      }),
      ...furtherResponses,
      '408': shared('invalid_request', 'request_timeout', 'the request did not arrive in time'),
      '413': shared('invalid_request', 'payload_too_large', `the body is larger than ${bodyLimitBytes / 1_024} KiB`),
      '414': shared('invalid_request', 'uri_too_long', 'the URL is too long'),
      '429': shared('slow_down', 'rate_limited', 'too many token requests; see Retry-After'),
      '431': shared('invalid_request', 'headers_too_large', 'the headers are too large, or there are too many'),
      '500': shared('server_error', 'internal_error', 'an unexpected server error'),
      '503': shared(
        'temporarily_unavailable',
        'service_unavailable',
        'a service this request depends on is down; see Retry-After',
      ),
    },
  }
}

/**
 * The two token operations and the revocation. All accept the partner form and the identity-provider form; /Auth/token
 * does not accept HTTP Basic.
 */
export function tokenPaths(parts: DocumentParts): Record<string, Record<string, unknown>> {
  return {
    '/partner-api/Auth/token': {
      post: tokenOperation(parts, {
        operationId: 'issueToken',
        summary: 'Get an access token',
        request: tokenRequest,
        security: [],
      }),
    },
    '/oauth/token': {
      post: tokenOperation(parts, {
        operationId: 'issueTokenAsProvider',
        summary: 'Get an access token from the embedded identity provider',
        request: oauthTokenRequest,
        security: [{}, { clientBasic: [] }],
        furtherResponses: parts.problems.write(['not_found']),
      }),
    },
    [revocationPath]: {
      post: tokenOperation(parts, {
        operationId: 'revokeToken',
        summary: 'Revoke an access token',
        description:
          'Ends a token before it expires (RFC 7009). Every process rejects it within two seconds. Only the client that got a token can revoke it.',
        request: { json: revocationRequest, form: revocationRequest },
        reply: { description: 'The token is revoked, or was not valid', schema: Revocation },
        badRequest:
          '`invalid_request`: a parameter is missing, repeated or invalid, or the token was issued to other credentials.',
        security: [{}, { clientBasic: [] }],
        furtherResponses: parts.problems.write(['not_found']),
      }),
    },
  }
}

/** 404: an external identity provider is in use. */
const discoveryCodes: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal_error',
]

interface DiscoveryDocument {
  operationId: string
  summary: string
  description: string
  schema: object
}

function discoveryPath({ problems, examples }: DocumentParts, document: DiscoveryDocument): Record<string, unknown> {
  const { operationId, summary, description, schema } = document
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
          content: { 'application/json': { schema, ...shown(examples.operations[operationId]?.response) } },
        },
        ...problems.write(discoveryCodes),
      },
    },
  }
}

const cacheable = `You can cache it for ${countInWords(discoveryMaxAgeSeconds / 60)} minutes.`

/** The embedded identity provider's public documents. */
export function discoveryPaths(parts: DocumentParts): Record<string, Record<string, unknown>> {
  const { writer } = parts
  return {
    '/.well-known/jwks.json': discoveryPath(parts, {
      operationId: 'getSigningKeys',
      summary: 'Get the public signing keys',
      description: `Returns a JSON Web Key Set (RFC 7517). ${cacheable}`,
      schema: writer.write(JsonWebKeySet) as object,
    }),
    '/.well-known/oauth-authorization-server': discoveryPath(parts, {
      operationId: 'getAuthorizationServerMetadata',
      summary: "Get the identity provider's metadata",
      description: `Returns authorization server metadata (RFC 8414). ${cacheable}`,
      schema: writer.write(AuthorizationServerMetadata) as object,
    }),
  }
}

const tokenAnswer = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'scope'],
  properties: {
    access_token: { type: 'string', description: 'JWT, of the embedded identity provider in the form of RFC 9068' },
    token_type: { type: 'string', enum: ['Bearer'] },
    expires_in: { type: 'integer', description: 'seconds; 86400, or what an external identity provider says' },
    scope: { type: 'string' },
  },
  additionalProperties: false,
}

const tokenError = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  additionalProperties: false,
}

const partnerForm = {
  title: 'Partner form',
  type: 'object',
  required: ['clientId', 'clientSecret'],
  properties: { clientId: { type: 'string' }, clientSecret: { type: 'string' } },
}

const providerForm = {
  title: 'Identity-provider form',
  type: 'object',
  required: ['client_id', 'client_secret', 'audience', 'grant_type'],
  properties: {
    client_id: { type: 'string' },
    client_secret: { type: 'string' },
    audience: { type: 'string' },
    grant_type: { type: 'string', enum: ['client_credentials'] },
    scope: { type: 'string', description: 'a space-separated selection of the scopes the credentials have' },
  },
}

const basicForm = {
  title: 'With HTTP Basic',
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { type: 'string', enum: ['client_credentials'] },
    audience: { type: 'string' },
    scope: { type: 'string' },
  },
}

function errorResponse(description: string): unknown {
  return { description, content: { 'application/json': { schema: tokenError } } }
}

const notEmbedded = {
  description: 'An external identity provider is in use',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

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
      'Reuse the token until it expires. Errors are always {error, error_description}. Unknown parameters are ignored.',
    security,
    requestBody: {
      required: true,
      content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
    },
    responses: {
      '200': { description: 'A token', content: { 'application/json': { schema: tokenAnswer } } },
      '400': errorResponse('`invalid_request`: a parameter is missing, repeated or refused'),
      '401': errorResponse('`invalid_client`: the client id or secret is wrong, or disabled'),
      ...furtherResponses,
      '413': errorResponse('`invalid_request`: the body is larger than 64 KiB'),
      '429': errorResponse('`slow_down`: too many tokens asked for; see Retry-After'),
      '500': errorResponse('`server_error`: a fault on our side'),
      '503': errorResponse('`temporarily_unavailable`: see Retry-After'),
    },
  }
}

/** The two token calls; both take both forms, /oauth/token also HTTP Basic. */
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

function jsonObject(operationId: string, summary: string): Record<string, unknown> {
  return {
    get: {
      operationId,
      tags: ['Authentication'],
      summary,
      security: [],
      responses: {
        '200': { description: 'The document', content: { 'application/json': { schema: { type: 'object' } } } },
        '404': notEmbedded,
      },
    },
  }
}

/** What the embedded identity provider publishes. */
export function discoveryPaths(): Record<string, Record<string, unknown>> {
  return {
    '/.well-known/jwks.json': jsonObject('getSigningKeys', 'Read the public signing keys'),
    '/.well-known/oauth-authorization-server': jsonObject(
      'getAuthorizationServerMetadata',
      "Read the identity provider's metadata",
    ),
  }
}

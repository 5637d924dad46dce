import Type, { type TSchema } from 'typebox'
import { Choice, NamedChoice, named, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Text, WholeNumber } from '../platform/http/schemas/values.ts'

/** The response of RFC 6749 §5.1. */
export const Token = ResponseObject('Token', 'An access token.', {
  access_token: Text(16_384, 'A JWT. Tokens from the embedded identity provider follow RFC 9068.'),
  token_type: Choice(['Bearer'], 'How to send the token: `Authorization: Bearer <token>`.'),
  expires_in: WholeNumber({
    minimum: 0,
    maximum: 2_147_483_647,
    description:
      "The token's lifetime in seconds: 86400, unless the operator or an external identity provider shortens it.",
  }),
  scope: Text(1_000, 'The scopes of the token, separated by spaces.'),
})

/** The codes of RFC 6749 §5.2 and RFC 8707 §2, plus three for conditions that these do not cover. */
const tokenErrorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_target',
  'slow_down',
  'server_error',
  'temporarily_unavailable',
] as const
export type TokenErrorCode = (typeof tokenErrorCodes)[number]

/** The body of a token request's error (interface: Errors). */
export const TokenError = ResponseObject('TokenError', 'Why no token was issued (RFC 6749).', {
  error: NamedChoice(
    'TokenErrorCode',
    tokenErrorCodes,
    'What went wrong, for your program to act on. New codes may be added.',
  ),
  error_description: Text(1_000, 'What went wrong and how to fix it.'),
})

/** The text of `error_description`, which may only have the characters of RFC 6749 §5.2 and, in a challenge, RFC 6750 §3. */
export function asErrorDescription(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")
}

/** The maximum length of a credential. */
const credential = (description: string) => Text(1_024, description)
const clientId = 'The client id of your credentials.'
const clientSecret = 'The client secret of your credentials.'
const grantType = Choice(['client_credentials'], 'The grant type.')
const audience = Text(2_048, 'The API audience: the value your operator gave you.')
const resource = Text(2_048, 'The same as `audience`, by its name in RFC 8707.')
const scope = Text(1_000, 'The scopes to request, separated by spaces: any of those your credentials have.')
const optional = {
  audience: Type.Optional(audience),
  resource: Type.Optional(resource),
  scope: Type.Optional(scope),
}

const PartnerForm = RequestObject(
  'PartnerTokenRequest',
  'The partner form.',
  {
    clientId: credential(clientId),
    clientSecret: credential(clientSecret),
    grant_type: Type.Optional(grantType),
    ...optional,
  },
  { title: 'Partner form' },
)

const providerFields = {
  client_id: credential(clientId),
  client_secret: credential(clientSecret),
  grant_type: grantType,
  ...optional,
}

const ProviderForm = RequestObject(
  'ProviderTokenRequest',
  'The identity-provider form.',
  { ...providerFields, audience },
  { title: 'Identity-provider form' },
)

const PostForm = RequestObject(
  'ClientSecretPostTokenRequest',
  'OAuth 2.0 with the credentials in the body (`client_secret_post`, RFC 6749 §2.3.1).',
  providerFields,
  { title: 'OAuth 2.0 client_secret_post' },
)

const BasicForm = RequestObject(
  'ClientSecretBasicTokenRequest',
  'OAuth 2.0 with the credentials in HTTP Basic (`client_secret_basic`, RFC 6749 §2.3.1).',
  {
    client_id: Type.Optional(credential('The client id, if you repeat it in the body.')),
    grant_type: grantType,
    ...optional,
  },
  { title: 'OAuth 2.0 client_secret_basic' },
)

const token = Text(16_384, 'The access token to revoke. A text that is not a valid token succeeds too.')
const hint = Type.Optional(Text(100, 'Ignored, because all tokens are access tokens.'))
const revoked = { token, token_type_hint: hint }

const oneOf = (name: string, forms: readonly TSchema[]) => named(name, Type.Unsafe({ oneOf: forms }))

/** The requests for a token at the specification's path, in the two encodings. */
export const tokenRequest = {
  json: oneOf('TokenRequest', [PartnerForm, ProviderForm]),
  form: oneOf('TokenRequestForm', [PartnerForm, PostForm]),
}

/** The requests for a token at `/oauth/token`, which also accepts HTTP Basic. */
export const oauthTokenRequest = {
  json: oneOf('OAuthTokenRequest', [PartnerForm, ProviderForm, BasicForm]),
  form: oneOf('OAuthTokenRequestForm', [PartnerForm, PostForm, BasicForm]),
}

const RevocationForms = [
  RequestObject(
    'PartnerRevocationRequest',
    'The partner form.',
    { clientId: credential(clientId), clientSecret: credential(clientSecret), ...revoked },
    { title: 'Partner form' },
  ),
  RequestObject(
    'ClientSecretPostRevocationRequest',
    'OAuth 2.0 with the credentials in the body (`client_secret_post`, RFC 6749 §2.3.1).',
    { client_id: credential(clientId), client_secret: credential(clientSecret), ...revoked },
    { title: 'OAuth 2.0 client_secret_post' },
  ),
  RequestObject(
    'ClientSecretBasicRevocationRequest',
    'OAuth 2.0 with the credentials in HTTP Basic (`client_secret_basic`, RFC 6749 §2.3.1).',
    { client_id: Type.Optional(credential('The client id, if you repeat it in the body.')), ...revoked },
    { title: 'OAuth 2.0 client_secret_basic' },
  ),
]

/** The requests to revoke a token (RFC 7009 §2.1), in either encoding. */
export const revocationRequest = oneOf('RevocationRequest', RevocationForms)

/** The response to a revocation, which says nothing (RFC 7009 §2.2). */
export const Revocation = ResponseObject('Revocation', 'Empty: the token is revoked, or was not valid.', {})

import Type from 'typebox'
import { ResponseObject } from '../platform/http/schemas/named.ts'
import { Text } from '../platform/http/schemas/values.ts'

const url = (description: string) => Type.String({ format: 'uri', maxLength: 2_048, description })

const authenticationMethods = (description: string) => Type.Array(Text(100, 'A method.'), { maxItems: 10, description })

const JsonWebKey = ResponseObject('JsonWebKey', 'A public key.', {
  kid: Text(255, "The key's id, as in the header of a token."),
  kty: Text(20, 'The type of the key.'),
  use: Text(20, 'What the key is for: `sig`.'),
  alg: Text(20, 'The algorithm of the signatures.'),
  crv: Text(20, 'The elliptic curve.'),
  x: Text(100, 'The x coordinate of the key, in Base64url.'),
  y: Text(100, 'The y coordinate of the key, in Base64url.'),
})

/** The public signing keys (RFC 7517). */
export const JsonWebKeySet = ResponseObject('JsonWebKeySet', 'The public keys that verify access tokens (RFC 7517).', {
  keys: Type.Array(JsonWebKey, { maxItems: 100, description: 'The keys.' }),
})

/** The identity provider's metadata (RFC 8414). */
export const AuthorizationServerMetadata = ResponseObject(
  'AuthorizationServerMetadata',
  "The identity provider's metadata (RFC 8414).",
  {
    issuer: url('The issuer of the tokens.'),
    token_endpoint: url('Where to get tokens.'),
    jwks_uri: url('Where to get the public keys.'),
    grant_types_supported: Type.Array(Text(100, 'A grant type.'), { maxItems: 10, description: 'The grant types.' }),
    token_endpoint_auth_methods_supported: authenticationMethods('How a client can authenticate to get tokens.'),
    revocation_endpoint: url('Where to revoke tokens (RFC 7009).'),
    revocation_endpoint_auth_methods_supported: authenticationMethods(
      'How a client can authenticate to revoke tokens.',
    ),
    scopes_supported: Type.Array(Text(100, 'A scope.'), { maxItems: 100, description: 'The scopes.' }),
    service_documentation: url('The documentation.'),
  },
)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { scopes } from '../../src/partners/scopes.ts'
import { partnerWithToken } from '../support/client.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const { clientId, clientSecret } = service.credentials
const { issuer, audience } = service.config.auth

const methods = ['client_secret_basic', 'client_secret_post'] as const

/** Verifies a token against RFC 9068 with only the issuer and audience known, then calls the API with it. */
async function assertAccessToken(token: string, jwksUri: string | undefined, scope: string): Promise<void> {
  assert.ok(jwksUri !== undefined)
  const keys = createRemoteJWKSet(new URL(jwksUri))
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience,
    typ: 'at+jwt',
    requiredClaims: ['exp', 'sub', 'client_id', 'iat', 'jti'],
  })
  assert.equal(protectedHeader.alg, 'ES256')
  assert.deepEqual([payload.client_id, payload.scope], [clientId, scope])
  assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
}

/** The only option that the tests set for the client: by default, it rejects plain http. */
const insecure = { [oauth.allowInsecureRequests]: true }

for (const name of methods) {
  test(`openid-client, given only the issuer, discovers the endpoints and gets tokens with ${name}`, async () => {
    const authentication = name === 'client_secret_basic' ? openid.ClientSecretBasic : openid.ClientSecretPost
    const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })
    const { jwks_uri: jwksUri } = config.serverMetadata()
    const granted = await openid.clientCredentialsGrant(config)
    assert.equal(granted.expires_in, 86_400)
    await assertAccessToken(granted.access_token, jwksUri, scopes.join(' '))
    const narrow = await openid.clientCredentialsGrant(config, { scope: 'quotes:read', resource: audience })
    assert.equal(narrow.scope, 'quotes:read')
    await assertAccessToken(narrow.access_token, jwksUri, 'quotes:read')
  })

  test(`openid-client understands the error for a wrong secret with ${name}`, async () => {
    const authentication = name === 'client_secret_basic' ? openid.ClientSecretBasic : openid.ClientSecretPost
    const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication('wrong'), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })
    await assert.rejects(openid.clientCredentialsGrant(config), (error: unknown) => {
      // The client reports the challenge header if the response has one, which RFC 6749 requires after HTTP Basic;
      // otherwise it reports the body.
      if (error instanceof openid.WWWAuthenticateChallengeError)
        return error.status === 401 && error.cause.some(({ scheme }) => scheme === 'basic')
      return error instanceof openid.ResponseBodyError && error.status === 401 && error.error === 'invalid_client'
    })
  })

  test(`oauth4webapi, given only the issuer, discovers the endpoints and gets tokens with ${name}`, async () => {
    const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
    const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
    const client = { client_id: clientId }
    const authentication =
      name === 'client_secret_basic' ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure)
    const granted = await oauth.processClientCredentialsResponse(server, client, response)
    assert.equal(granted.token_type, 'bearer')
    await assertAccessToken(granted.access_token, server.jwks_uri, scopes.join(' '))

    // Validates the token as a resource server that uses this library would.
    const request = new Request(audience, { headers: { authorization: `Bearer ${granted.access_token}` } })
    const claims = await oauth.validateJwtAccessToken(server, request, audience, insecure)
    assert.equal(claims.client_id, clientId)
  })
}

import type { Recording } from './recorder.ts'

/** The credentials in the examples. */
export const exampleCredentials = { clientId: 'sb_example', clientSecret: 'example-secret' }

interface TokenContext {
  baseUrl: string
  credentials: { clientId: string; clientSecret: string }
  audience: string
  recording: Recording
}

/** Gets tokens and causes the errors of a token request; also reads the documents of the identity provider. */
export async function recordTokens({ baseUrl, credentials, audience, recording }: TokenContext): Promise<void> {
  const { clientId, clientSecret } = credentials
  const read = async (path: string, init?: RequestInit) => (await fetch(`${baseUrl}${path}`, init)).json()
  const post = (path: string, body: object) =>
    read(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })

  const providerForm = { client_id: clientId, client_secret: clientSecret, audience, grant_type: 'client_credentials' }
  const record = async (operationId: string, path: string, request: object) => {
    recording.operations[operationId] = { request, response: await post(path, request) }
  }
  await record('issueToken', '/partner-api/Auth/token', credentials)
  await record('issueTokenAsProvider', '/oauth/token', providerForm)
  await record('revokeToken', '/partner-api/Auth/revoke', { ...credentials, token: 'eyJhbGciOiJFUzI1NiIs…' })
  recording.operations.getSigningKeys = { response: await read('/.well-known/jwks.json') }
  recording.operations.getAuthorizationServerMetadata = {
    response: await read('/.well-known/oauth-authorization-server'),
  }
  recording.tokenErrors = {
    invalid_request: await post('/oauth/token', { ...providerForm, grant_type: undefined }),
    invalid_target: await post('/oauth/token', { ...providerForm, resource: 'https://other.example' }),
    invalid_client: await post('/oauth/token', { ...providerForm, client_secret: 'wrong' }),
  }
}

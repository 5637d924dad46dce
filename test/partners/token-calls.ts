import assert from 'node:assert/strict'
import { type ApiResponse, call } from '../support/client.ts'
import type { Token } from '../support/response-types.ts'
import type { ServiceUnderTest } from '../support/service.ts'

export type TokenPath = '/partner-api/Auth/token' | '/oauth/token'
export const tokenPaths: readonly TokenPath[] = ['/partner-api/Auth/token', '/oauth/token']

/** Parameters in order. A name can occur more than once. */
export type Parameters = readonly (readonly [string, string])[]

export function sendJson<Path extends string>(
  service: ServiceUnderTest,
  path: Path,
  body: unknown,
  headers: Record<string, string> = {},
) {
  return call(service.baseUrl, 'POST', path, body, { headers })
}

export function sendForm<Path extends string>(
  service: ServiceUnderTest,
  path: Path,
  parameters: Parameters,
  headers: Record<string, string> = {},
) {
  const rawBody = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()
  return call(service.baseUrl, 'POST', path, undefined, {
    rawBody,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  })
}

/** The Basic header of RFC 6749 §2.3.1: form-encodes the credentials, then encodes them in Base64. */
export function basicAuthorization(clientId: string, clientSecret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`
}

/**
 * A complete token request with the identity provider's parameter names. `changes` overrides parameters; `undefined`
 * removes one.
 */
export function tokenRequestBody(
  service: ServiceUnderTest,
  changes: Record<string, string | undefined> = {},
): Record<string, string> {
  const { clientId, clientSecret } = service.credentials
  const complete: Record<string, string | undefined> = {
    client_id: clientId,
    client_secret: clientSecret,
    audience: service.config.auth.audience,
    grant_type: 'client_credentials',
    ...changes,
  }
  return Object.fromEntries(Object.entries(complete).filter((each): each is [string, string] => each[1] !== undefined))
}

/** Asserts that a token was issued and returns it. */
export function assertToken(response: ApiResponse): Token {
  assert.equal(response.status, 200, response.text)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const token = response.body as Token
  assert.deepEqual(Object.keys(token), ['access_token', 'token_type', 'expires_in', 'scope'])
  assert.equal(token.token_type, 'Bearer')
  assert.equal(token.expires_in, 86_400)
  assert.match(token.access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  return token
}

/** Asserts the shape of a token error and returns its description. */
export function assertTokenError(response: ApiResponse, status: number, error: string): string {
  assert.equal(response.status, status, response.text)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const problem = response.body as { error: string; error_description: string }
  assert.deepEqual(Object.keys(problem), ['error', 'error_description'])
  assert.equal(problem.error, error, response.text)
  assert.match(problem.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]{8,}$/)
  return problem.error_description
}

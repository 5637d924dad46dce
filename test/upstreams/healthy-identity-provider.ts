import { json, type Script } from '../platform/outbound/scripted-server.ts'
import { newSigningKey, signToken } from '../support/identity-provider.ts'

/** A healthy identity provider: one key, published under as many ids as a test needs. */
export interface HealthyIdentityProvider {
  tokens: Script
  keySet: Script
  /**
   * Issues a token that is valid for days. It is signed with the key named `keyId`, which is published from then on.
   */
  token(clientId: string, keyId?: string): Promise<string>
}

interface Identity {
  issuer(): string
  audience: string
}

const firstKeyId = 'first'

export async function createHealthyIdentityProvider({ issuer, audience }: Identity): Promise<HealthyIdentityProvider> {
  const key = await newSigningKey(firstKeyId)
  const { d: _private, ...publicKey } = key
  const published = [firstKeyId]
  let serial = 0

  function token(clientId: string, keyId = firstKeyId): Promise<string> {
    if (!published.includes(keyId)) published.push(keyId)
    const iat = Math.floor(Date.now() / 1000)
    serial += 1
    const claims = { iss: issuer(), sub: clientId, client_id: clientId, aud: audience, iat, exp: iat + 3 * 86_400 }
    return signToken({ ...key, kid: keyId }, { ...claims, jti: String(serial) })
  }

  return {
    token,
    async tokens(request, response) {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      const access_token = await token(form.get('client_id') ?? '')
      json(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3_600 }))(request, response)
    },
    keySet(request, response) {
      // A key set may contain at most 50 keys. Earlier keys stay valid for a while.
      const keys = published.slice(-50).map((kid) => ({ ...publicKey, kid }))
      json(JSON.stringify({ keys }))(request, response)
    },
  }
}

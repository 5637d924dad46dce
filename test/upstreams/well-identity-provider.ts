import { json, type Script } from '../adapters/scripted-server.ts'
import { newKey, signToken } from '../support/identity-provider.ts'

/** An identity provider that is well: one key, under as many names as a test wants it published. */
export interface WellIdentityProvider {
  tokens: Script
  keySet: Script
  /** A token for a client, good for days; `keyId` names its key, published from now on. */
  token(clientId: string, keyId?: string): Promise<string>
}

interface Identity {
  issuer(): string
  audience: string
}

const firstKeyId = 'first'

export async function wellIdentityProvider({ issuer, audience }: Identity): Promise<WellIdentityProvider> {
  const key = await newKey(firstKeyId)
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
      // No more than a set may hold; those before are honoured for a while.
      const keys = published.slice(-50).map((kid) => ({ ...publicKey, kid }))
      json(JSON.stringify({ keys }))(request, response)
    },
  }
}

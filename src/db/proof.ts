import { createHash, randomBytes } from 'node:crypto'
import { withClient } from './with-client.ts'

/** The setting that contains a transaction's proof. It is set only within a transaction. */
export const proofSetting = 'housebill.proof'

/**
 * Signs proofs: texts that tell PostgreSQL the partner and the origin of a transaction. PostgreSQL verifies them with a key that only the
 * tables' owner can read, so a statement cannot choose another partner.
 */
export type ProofSigner = (partnerId: string, origin: string) => string

/** How long a proof is valid, in seconds. A transaction that has begun keeps its proof until it ends. */
const validSeconds = 60

/** The two forms of the key that HMAC needs (RFC 2104): xored with 0x36 and with 0x5c. */
interface PaddedKey {
  inner: Buffer
  outer: Buffer
}

/**
 * Reads the deployment's key as the tables' owner, and creates it at the first start. Processes that start at the same time get the
 * same key.
 */
export async function readProofSigner(ownerConnectionString: string): Promise<ProofSigner> {
  return withClient(ownerConnectionString, async (owner) => {
    const made = padKey(randomBytes(64))
    await owner.query('insert into proof.keys (inner_pad, outer_pad) values ($1, $2) on conflict do nothing', [
      made.inner,
      made.outer,
    ])
    const { rows } = await owner.query<PaddedKey>('select inner_pad as inner, outer_pad as outer from proof.keys')
    const [key] = rows
    if (key === undefined) throw new Error('PostgreSQL returned no key for proofs')
    return createProofSigner(key)
  })
}

function padKey(key: Buffer): PaddedKey {
  const xored = (constant: number) => Buffer.from(key.map((byte) => byte ^ constant))
  return { inner: xored(0x36), outer: xored(0x5c) }
}

function createProofSigner({ inner, outer }: PaddedKey): ProofSigner {
  return (partnerId, origin) => {
    if (partnerId.includes('|')) throw new Error('an id of a partner never contains the separator of proofs')
    const signed = `${Math.floor(Date.now() / 1000) + validSeconds}|${partnerId}|${origin}`
    const innerHash = createHash('sha256').update(inner).update(signed).digest()
    return `${createHash('sha256').update(outer).update(innerHash).digest('hex')}.${signed}`
  }
}

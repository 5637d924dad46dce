import { createHash } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { refreshed } from '../../platform/kernel/refreshed.ts'
import { insertRevokedToken, listRevokedTokens, type RevokedToken } from './revoked-tokens.store.ts'

/** The tokens that were revoked before they expired. */
export interface RevokedTokens {
  /** Whether the token was revoked: in this process at once, in every other process at most two seconds later. */
  includes(tokenId: string): Promise<boolean>
  /**
   * Revokes the token. Once this resolves, the token is rejected as `includes` says; `AccessGrant.token` is what it
   * takes.
   */
  add(token: RevokedToken): Promise<void>
}

/**
 * Identifies a token: the SHA-256 of its signed part, in Base64url. It leaves out the signature, because anyone can
 * turn an ECDSA signature into a second valid one.
 */
export function tokenIdOf(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url')
}

/**
 * Follows the revoked tokens in the database. A busy process reads what is new once every two seconds, so that calls
 * have no query of their own.
 */
export function followRevokedTokens({ db, clock }: { db: Database; clock: Clock }): RevokedTokens {
  const revoked = new Map<string, Date>()
  const follow = refreshed<Date>(clock, async (previous = new Date(0)) => {
    const { readAt, tokens } = await listRevokedTokens(db, previous)
    const now = clock.now()
    for (const [tokenId, expiresAt] of revoked) if (expiresAt <= now) revoked.delete(tokenId)
    for (const { tokenId, expiresAt } of tokens) if (expiresAt > now) revoked.set(tokenId, expiresAt)
    return readAt
  })
  return {
    async includes(tokenId) {
      await follow()
      return revoked.has(tokenId)
    },
    async add(token) {
      await insertRevokedToken(db, token)
      revoked.set(token.tokenId, token.expiresAt)
    },
  }
}

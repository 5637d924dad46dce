import { createHash } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import { listPartners } from '../auth/partners.store.ts'
import {
  type AuditHead,
  type AuditSeal,
  countAuditEntries,
  listAuditHeads,
  listAuditSeals,
  listSealedTexts,
} from './audit-seals.store.ts'

/** The result for one partner. */
export interface VerifiedAuditLog {
  partnerId: string
  seals: number
  sealedEntries: number
  /** Entries that no seal covers yet: those of the last seconds, or more while a transaction stays open. */
  unsealedEntries: number
  /** What does not match, in sentences. Empty if everything does. */
  problems: string[]
}

const sealsAtOnce = 100

/**
 * Computes the hash of every seal again from the entries that the database returns. With `kept` heads, which `audit head` printed earlier,
 * also checks that the chains still contain them: whoever can change the database can rebuild a chain, but not with the same hashes.
 */
export async function verifyAuditLog(
  { databases }: { databases: Databases },
  kept: readonly AuditHead[],
): Promise<VerifiedAuditLog[]> {
  const found = (await listPartners(databases.system)).map(({ partnerId }) => String(partnerId))
  const partnerIds = new Set([...found, ...kept.map(({ partnerId }) => partnerId)])
  const results: VerifiedAuditLog[] = []
  for (const partnerId of [...partnerIds].sort()) {
    const own = kept.filter((head) => head.partnerId === partnerId)
    results.push(await verifyChain(databases.forPartner(partnerId), partnerId, own))
  }
  return results
}

async function verifyChain(db: Database, partnerId: string, kept: readonly AuditHead[]): Promise<VerifiedAuditLog> {
  const problems: string[] = []
  const hashes = new Map<number, string>()
  let last: AuditSeal | undefined
  let sealedEntries = 0
  for (;;) {
    const seals = await listAuditSeals(db, partnerId, { after: last?.sealNumber ?? 0, limit: sealsAtOnce })
    for (const seal of seals) {
      const texts = await listSealedTexts(db, seal)
      problems.push(...checkSeal(seal, texts, last))
      hashes.set(seal.sealNumber, seal.hash)
      sealedEntries += texts.length
      last = seal
    }
    if (seals.length < sealsAtOnce) break
  }
  for (const head of kept) {
    if (hashes.get(head.sealNumber) !== head.hash)
      problems.push(`Seal ${head.sealNumber} is missing or differs from the one that was kept.`)
  }
  const unsealedEntries = Math.max(0, (await countAuditEntries(db, partnerId)) - sealedEntries)
  return { partnerId, seals: hashes.size, sealedEntries, unsealedEntries, problems }
}

/** The first seal that is left has its predecessor's hash, because seals older than six years are deleted with their entries. */
function checkSeal(seal: AuditSeal, texts: readonly string[], before: AuditSeal | undefined): string[] {
  const problems: string[] = []
  if (before !== undefined && before.sealNumber + 1 !== seal.sealNumber)
    problems.push(`Seals are missing between ${before.sealNumber} and ${seal.sealNumber}.`)
  else if (before !== undefined && before.hash !== seal.previousHash)
    problems.push(`Seal ${seal.sealNumber} does not continue seal ${before.sealNumber}.`)
  if (hashOf(seal, texts) !== seal.hash)
    problems.push(
      `The ${texts.length} entries of seal ${seal.sealNumber} are not the ${seal.entryCount} that were sealed.`,
    )
  return problems
}

function hashOf({ partnerId, sealNumber, previousHash }: AuditSeal, texts: readonly string[]): string {
  const start = sha256(Buffer.from(previousHash, 'hex'), Buffer.from(`${partnerId} ${sealNumber}`))
  return texts.reduce((hash, text) => sha256(hash, sha256(Buffer.from(text))), start).toString('hex')
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The heads to keep outside the database. */
export function readAuditHeads({ databases }: { databases: Databases }): Promise<AuditHead[]> {
  return listAuditHeads(databases.system)
}

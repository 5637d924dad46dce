import { createHash } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import { listPartners } from '../auth/partners.store.ts'
import {
  type AuditHead,
  type AuditRemoval,
  type AuditSeal,
  countAuditEntries,
  findAuditRemoval,
  listAuditHeads,
  listAuditSeals,
  listSealedTexts,
} from './audit-seals.store.ts'

/** The result for one partner. */
export interface VerifiedAuditLog {
  partnerId: string
  /** The time of the first entry that could be verified; null if there is none. Earlier ones have left the log. */
  verifiedFrom: Date | null
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
 * also checks that the chains still contain them: whoever can change the database can rebuild a chain, but not with the same hashes. A seal that has lost
 * entries because their month has left the log is only checked as a link of the chain. `onProgress` gets the number of verified entries and the share of the
 * whole work, from 0 to 1.
 */
export async function verifyAuditLog(
  { databases }: { databases: Databases },
  kept: readonly AuditHead[],
  onProgress: (entries: number, done: number) => void = () => undefined,
): Promise<VerifiedAuditLog[]> {
  const found = (await listPartners(databases.system)).map(({ partnerId }) => String(partnerId))
  const partnerIds = new Set([...found, ...kept.map(({ partnerId }) => partnerId)])
  const removal = await findAuditRemoval(databases.system)
  const results: VerifiedAuditLog[] = []
  const heads = await listAuditHeads(databases.system)
  const lastSeals = new Map(heads.map(({ partnerId, sealNumber }) => [String(partnerId), sealNumber]))
  const allSeals = heads.reduce((sum, { sealNumber }) => sum + sealNumber, 0)
  let sealsBefore = 0
  let entriesBefore = 0
  for (const partnerId of [...partnerIds].sort()) {
    const own = kept.filter((head) => head.partnerId === partnerId)
    const onSeal = (seal: number, entries: number) =>
      onProgress(entriesBefore + entries, Math.min(1, (sealsBefore + seal) / allSeals))
    const result = await verifyChain(databases.forPartner(partnerId), partnerId, { kept: own, removal, onSeal })
    results.push(result)
    sealsBefore += lastSeals.get(partnerId) ?? 0
    entriesBefore += result.sealedEntries
  }
  return results
}

async function verifyChain(
  db: Database,
  partnerId: string,
  {
    kept,
    removal,
    onSeal,
  }: {
    kept: readonly AuditHead[]
    removal: AuditRemoval | undefined
    onSeal: (sealNumber: number, entries: number) => void
  },
): Promise<VerifiedAuditLog> {
  const problems: string[] = []
  const hashes = new Map<number, string>()
  const removedBefore = removal?.removedBefore
  const hasLeft = (at: Date) => removedBefore !== undefined && at < removedBefore
  let last: AuditSeal | undefined
  let verifiedFrom: Date | null = null
  let sealedEntries = 0
  if (removal?.isTooEarly === true)
    problems.push(`Entries of less than six years were removed: those before ${removal.removedBefore.toISOString()}.`)
  for (;;) {
    const seals = await listAuditSeals(db, partnerId, { after: last?.sealNumber ?? 0, limit: sealsAtOnce })
    for (const seal of seals) {
      if (last === undefined && seal.sealNumber > 1 && !hasLeft(seal.lastEntryAt))
        problems.push(`Seals are missing before ${seal.sealNumber}.`)
      const texts = await listSealedTexts(db, seal, removedBefore)
      problems.push(...checkLink(seal, last))
      if (!hasLeft(seal.firstEntryAt)) {
        problems.push(...checkEntries(seal, texts))
        verifiedFrom ??= seal.firstEntryAt
      }
      hashes.set(seal.sealNumber, seal.hash)
      sealedEntries += texts.length
      onSeal(seal.sealNumber, sealedEntries)
      last = seal
    }
    if (seals.length < sealsAtOnce) break
  }
  for (const { sealNumber, hash, lastEntryAt } of kept) {
    const hasHeadLeft = !hashes.has(sealNumber) && lastEntryAt !== undefined && hasLeft(lastEntryAt)
    if (!hasHeadLeft && hashes.get(sealNumber) !== hash)
      problems.push(`Seal ${sealNumber} is missing or differs from the one that was kept.`)
  }
  const unsealedEntries = Math.max(0, (await countAuditEntries(db, partnerId, removedBefore)) - sealedEntries)
  return { partnerId, verifiedFrom, seals: hashes.size, sealedEntries, unsealedEntries, problems }
}

/** The first seal that is left has its predecessor's hash. */
function checkLink(seal: AuditSeal, before: AuditSeal | undefined): string[] {
  if (before === undefined) return []
  if (before.sealNumber + 1 !== seal.sealNumber)
    return [`Seals are missing between ${before.sealNumber} and ${seal.sealNumber}.`]
  if (before.hash !== seal.previousHash) return [`Seal ${seal.sealNumber} does not continue seal ${before.sealNumber}.`]
  return []
}

function checkEntries(seal: AuditSeal, texts: readonly string[]): string[] {
  if (hashOf(seal, texts) === seal.hash) return []
  return [`The ${texts.length} entries of seal ${seal.sealNumber} are not the ${seal.entryCount} that were sealed.`]
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

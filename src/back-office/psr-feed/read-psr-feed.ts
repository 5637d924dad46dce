import { assignPsrPositions } from '../../contracts/operator-feeds/psr-entries.store.ts'
import { recordOperatorRead } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { QuotedAddress } from '../../quoting/quotes/quote.ts'
import { lastDayOfNeed, type PersonalDetails } from '../../quoting/tenants/customer.ts'
import { decryptPersonal } from '../../quoting/tenants/customers.store.ts'
import { decryptPsr } from '../../quoting/tenants/psr.store.ts'
import type { PsrCategory, PsrDetails } from '../../quoting/tenants/psr.ts'
import { type FeedRequest, startOfPage } from '../contract-feed/feed-cursor.ts'
import type { FeedPage } from '../contract-feed/read-contract-feed.ts'
import { listPsrRows, type PsrRow } from './psr-entries.store.ts'

/** A need with its last day; null if it does not end. */
export interface RegisteredNeed extends PsrCategory {
  lastDay: IsoDate | null
  hasEnded: boolean
}

/** What the operator tells networks about a customer, as it is now. */
export interface PsrEntry extends Omit<PsrRow, 'psrEncrypted' | 'personalEncrypted' | 'address' | 'corrected'> {
  /** Null once the registration is withdrawn. */
  registration: {
    personal: PersonalDetails
    address: QuotedAddress
    needs: RegisteredNeed[]
    details: PsrDetails
  } | null
}

/**
 * GET /operator-api/PriorityServices and `housebill contracts export --kind register`: whom networks must register,
 * change or remove. Works as `readContractFeed`, but lists each customer once, at the position of the last change. A
 * withdrawal appears again every day until it is acknowledged. Writes one audit entry `psr.read` for each partner on
 * the page, in the same transaction. Throws `feed_reset`.
 */
export async function readPsrFeed(
  { db, cipher, now }: { db: Database; cipher: FieldCipher; now: Date },
  { after, until, limit }: FeedRequest,
): Promise<FeedPage<PsrEntry>> {
  await inTransaction(db, {}, assignPsrPositions)
  return inTransaction(db, {}, async (tx) => {
    const { epoch, lastPosition, position } = await startOfPage(tx, 'psr', after)
    const found = await listPsrRows(tx, { after: position, until, limit: limit + 1 })
    const rows = found.slice(0, limit)
    await recordOperatorRead(tx, 'psr', rows, ({ customerId }) => customerId)
    return {
      entries: rows.map((row) => entryOf(cipher, row, now)),
      next: { epoch, position: rows.at(-1)?.position ?? position },
      hasMore: found.length > limit,
      lastPosition,
    }
  })
}

function entryOf(cipher: FieldCipher, row: PsrRow, now: Date): PsrEntry {
  const { psrEncrypted, personalEncrypted, address, corrected, ...rest } = row
  if (psrEncrypted === null || personalEncrypted === null || address === null) return { ...rest, registration: null }
  const { customerId, clockOffsetSeconds } = row
  const details = decryptPsr(cipher, { customerId, psrEncrypted })
  const today = londonDate(new Date(now.getTime() + clockOffsetSeconds * 1_000))
  return {
    ...rest,
    registration: {
      personal: decryptPersonal(cipher, { customerId, personalEncrypted }),
      address: { ...address, mpan: corrected.mpan ?? address.mpan, mprn: corrected.mprn ?? address.mprn },
      needs: (details.categories ?? []).map((category) => {
        const lastDay = lastDayOfNeed(category)
        return { ...category, lastDay, hasEnded: lastDay !== null && lastDay < today }
      }),
      details,
    },
  }
}

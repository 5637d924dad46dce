import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { emailHashes } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { findCustomer, findPartnerOfCustomer } from '../../quoting/tenants/customers.store.ts'
import type { RefusalLinks } from './refusal-link.ts'
import { deleteRefusals, findMailing, insertRefusal, listRefusals } from './tenant-mails.store.ts'

interface RefusalDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  refusalLinks: RefusalLinks
  refreshHashKeys(): Promise<void>
}

/** What the link in an e-mail says: whose e-mail it was in, and who opened it. */
interface OpenedRefusal {
  customerId: string
  token: string
  requestId: string
}

/** What the page behind the link shows. */
export interface Refusal {
  partnerName: string
  /** Whether no e-mails are sent to this address for the partner before there is a contract. */
  isRefused: boolean
}

/**
 * Records that the reader of an e-mail is not who was meant: nobody at that address is written to for this partner
 * again, unless they have had a contract. With `read`, changes nothing; with `allow`, takes the refusal back. Undefined
 * if the link opens nothing, such as one that has expired or whose customer was removed.
 */
export async function refuseMails(
  deps: RefusalDependencies,
  { customerId, token, requestId }: OpenedRefusal,
  change: 'read' | 'refuse' | 'allow',
): Promise<Refusal | undefined> {
  if (!isId('tenant', customerId)) return undefined
  await deps.refreshHashKeys()
  const owner = await findPartnerOfCustomer(deps.databases.system, customerId)
  if (owner === undefined) return undefined
  const { partnerId, clockOffsetSeconds } = owner
  const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
  const refused = await deps.refusalLinks.opens(token, { customerId, now })
  if (refused === undefined) return undefined
  const db = deps.databases.forPartner(partnerId, { actor: 'link', requestId, operation: 'refuseMails' })
  return inTransaction(db, {}, async (tx) => {
    const { partnerName } = await findMailing(tx, partnerId)
    const customer = await findCustomer(tx, deps.cipher, { partnerId, now }, customerId)
    // The key of hashes may have been replaced since the e-mail was written.
    const known = customer === undefined ? [] : emailHashes(deps.cipher, customer.personal.email)
    const hashes = known.includes(refused) ? known : [refused]
    const [current = refused] = hashes
    if (change === 'refuse') await insertRefusal(tx, { partnerId, emailHash: current, now })
    if (change === 'allow') await deleteRefusals(tx, partnerId, hashes)
    return { partnerName, isRefused: (await listRefusals(tx, partnerId, hashes)).size > 0 }
  })
}

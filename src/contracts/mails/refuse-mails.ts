import { inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { emailHashes } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { findCustomer, findPartnerOfCustomer, setReminders } from '../../quoting/tenants/customers.store.ts'
import type { RefusalLinks } from './refusal-link.ts'
import { kindsThat } from './tenant-mail-kinds.ts'
import { deleteRefusals, endPendingMails, findMailing, insertRefusal, listRefusals } from './tenant-mails.store.ts'

interface RefusalDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  refusalLinks: RefusalLinks
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
  /** Whether these e-mails are refused. */
  isRefused: boolean
}

/**
 * Records that the reader of an e-mail is not who was meant: nobody at that address is written to for this partner
 * again, unless they have had a contract. With `read`, changes nothing; with `allow`, takes the refusal back. Undefined
 * if the link opens nothing, such as one that has expired or whose customer was removed.
 */
export async function refuseMails(
  deps: RefusalDependencies,
  opened: OpenedRefusal,
  change: 'read' | 'refuse' | 'allow',
): Promise<Refusal | undefined> {
  return whenOpened(deps, opened, 'refuseMails', async (tx, { customerId, partnerId, now, emailHash }) => {
    const customer = await findCustomer(tx, deps.cipher, { partnerId, now }, customerId)
    // The key of hashes may have been replaced since the e-mail was written.
    const known = customer === undefined ? [] : emailHashes(deps.cipher, customer.personal.email)
    const hashes = known.includes(emailHash) ? known : [emailHash]
    const [current = emailHash] = hashes
    if (change === 'refuse') await insertRefusal(tx, { partnerId, emailHash: current, now })
    if (change === 'allow') await deleteRefusals(tx, partnerId, hashes)
    return (await listRefusals(tx, partnerId, hashes)).size > 0
  })
}

/**
 * Records that the tenant wants no reminders to sign. They are still sent what they ask for. With `read`, changes
 * nothing; with `allow`, takes it back. Undefined as for `refuseMails`.
 */
export async function refuseReminders(
  deps: RefusalDependencies,
  opened: OpenedRefusal,
  change: 'read' | 'refuse' | 'allow',
): Promise<Refusal | undefined> {
  return whenOpened(deps, opened, 'refuseReminders', async (tx, { customerId, partnerId, now }) => {
    if (change === 'refuse') await endPendingMails(tx, { partnerId, now }, customerId, kindsThat('isReminder'))
    return setReminders(tx, { partnerId, customerId }, change === 'read' ? undefined : change === 'allow')
  })
}

/** Calls `run`, which returns whether e-mails are refused, if the link works. */
async function whenOpened(
  deps: RefusalDependencies,
  { customerId, token, requestId }: OpenedRefusal,
  operation: string,
  run: (
    tx: Tx,
    about: { customerId: Id<'tenant'>; partnerId: Id<'partner'>; now: Date; emailHash: string },
  ) => Promise<boolean>,
): Promise<Refusal | undefined> {
  if (!isId('tenant', customerId)) return undefined
  const owner = await findPartnerOfCustomer(deps.databases.system, customerId)
  if (owner === undefined) return undefined
  const { partnerId, clockOffsetSeconds } = owner
  const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
  const emailHash = await deps.refusalLinks.opens(token, { customerId, now })
  if (emailHash === undefined) return undefined
  return inTransaction(
    deps.databases.forPartner(partnerId, { actor: 'link', requestId, operation }),
    {},
    async (tx) => {
      const { partnerName } = await findMailing(tx, partnerId)
      return { partnerName, isRefused: await run(tx, { customerId, partnerId, now, emailHash }) }
    },
  )
}

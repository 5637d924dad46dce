import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { PersonalDetails } from '../../quoting/tenants/customer.ts'
import { type MailToTenant, queueMails, type TenantMailDependencies } from './queue-mails.ts'

/** What e-mails call the details of a person whose change they tell. */
const named: Partial<Record<keyof PersonalDetails, string>> = {
  firstName: 'your name',
  lastName: 'your name',
  phone: 'your telephone number',
}

/**
 * Tells a tenant which of their details were changed, never to what. A change of the e-mail address is told to the
 * address before and the address after, if there was one before. With `only`, tells nothing else.
 */
export async function tellOfChangedDetails(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  quote: Quote,
  customerId: Id<'tenant'>,
  { before, after, only }: { before: PersonalDetails; after: PersonalDetails; only?: 'email' },
): Promise<void> {
  const members = Object.keys(named) as (keyof PersonalDetails)[]
  const changed = members.filter((member) => before[member] !== after[member]).map((member) => named[member] ?? '')
  const mails: MailToTenant[] = []
  if (before.email !== '' && comparableEmail(before.email) !== comparableEmail(after.email))
    for (const { personal, isOldAddress } of [
      { personal: before, isOldAddress: true },
      { personal: after, isOldAddress: false },
    ])
      mails.push({ kind: 'email_changed', customerId, personal, to: personal.email, facts: { isOldAddress } })
  if (changed.length > 0 && only === undefined)
    mails.push({
      kind: 'details_changed',
      customerId,
      personal: after,
      facts: { changed: [...new Set(changed)] },
    })
  await queueMails(tx, deps, caller, quote, mails)
}

/** Tells tenants of a household the dates that were changed, as they are now. */
export async function tellOfChangedDates(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  quote: Quote,
  told: {
    tenants: readonly Pick<Quote['tenants'][number], 'tenantId' | 'personal'>[]
    rows: readonly (readonly [name: string, value: string])[]
    byAnother?: boolean
  },
): Promise<void> {
  const { tenants, ...facts } = told
  const mails = tenants.map(
    ({ tenantId, personal }) => ({ kind: 'dates_changed', customerId: tenantId, personal, facts }) as const,
  )
  await queueMails(tx, deps, caller, quote, mails)
}

import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { serviceNames } from '../../quoting/packages/services.ts'
import type { Quote, QuoteTenant } from '../../quoting/quotes/quote.ts'
import { type QueuedMail, queueMails, type TenantMailDependencies } from './queue-mails.ts'

/**
 * Notes that tenants of the quote are to be sent links to their pages, which are made when the e-mails leave. With
 * `isAskedFor`, a tenant asked for a fresh one at the permanent address. Returns what became of each e-mail.
 */
export function queueLinkMails(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  about: { quote: Quote; customerIds: readonly Id<'tenant'>[]; isAskedFor?: boolean },
): Promise<QueuedMail[]> {
  const { quote, customerIds, isAskedFor = false } = about
  const services = serviceNames().filter((service) => quote.price?.lines.some(({ type }) => type === service))
  const isAlone = quote.tenants.length === 1 && quote.householdCompleteAt !== null
  const mails = customerIds.map((customerId) => {
    const { personal } = tenantOf(quote, customerId)
    return isAskedFor
      ? ({ kind: 'fresh_link', customerId, personal, facts: {} } as const)
      : ({ kind: 'link', customerId, personal, facts: { services, namedBy: namedBy(personal), isAlone } } as const)
  })
  return queueMails(tx, deps, caller, quote, mails)
}

/**
 * Notes that a tenant of the quote is to be sent a six-digit code for their pages, for which they asked there: to their
 * address, or to one that they are about to prove. The caller sends it at once, after the transaction
 * (`sendTenantMails`). Returns what became of it.
 */
export async function queueCodeMail(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  { quote, customerId, code, to }: { quote: Quote; customerId: Id<'tenant'>; code: string; to?: string | undefined },
): Promise<QueuedMail> {
  const { personal } = tenantOf(quote, customerId)
  const [became = 'not ours'] = await queueMails(tx, deps, caller, quote, [
    { kind: 'confirmation_code', customerId, personal, facts: { code }, ...(to === undefined ? {} : { to }) },
  ])
  return became
}

/** The first name of the tenant who named this one, which their page keeps with the permission to write. */
function namedBy({ contactPermission }: QuoteTenant['personal']): string | null {
  return contactPermission?.by.split(' ')[0] ?? null
}

function tenantOf({ tenants }: Quote, customerId: Id<'tenant'>): QuoteTenant {
  const tenant = tenants.find(({ tenantId }) => tenantId === customerId)
  if (tenant === undefined) throw new Error('the quote has no such tenant')
  return tenant
}

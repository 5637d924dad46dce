import { findAfterFailure } from '../../payments/collecting/after-failure.ts'
import { decryptCard, findSetupIntent } from '../../payments/setup-intents/setup-intents.store.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { holidayDivisions } from '../../platform/kernel/bank-holiday-rules.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { addDays, daysBetween, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { pence } from '../../platform/kernel/money.ts'
import { addWorkingDays, type BankHolidays, divisionOfCountry } from '../../platform/kernel/working-days.ts'
import { moveInDay } from '../../quoting/quotes/occupiers.ts'
import { asOf, needsLead, type Quote, type QuoteTenant } from '../../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { findCustomer } from '../../quoting/tenants/customers.store.ts'
import { servicesWithMeter } from '../meter-readings/meter-reading.ts'
import { latePaymentTermsOf } from '../terms/late-payment-terms-of.ts'
import { type DueKind, type DueMail, dueKinds, listDueMails } from './due-mails.store.ts'
import { maySign } from './may-sign.ts'
import { actorOf, type MailToTenant, queueMails, type TenantMailDependencies } from './queue-mails.ts'

export interface DueMailDependencies extends TenantMailDependencies {
  databases: Databases
  clock: Clock
  bankHolidays: BankHolidays
}

const origin: Origin = { actor: 'worker', operation: 'queueDueMails' }
/** Each batch looks at everything that may be due, so there are few. */
const batch = 5_000

/** How many working days before a payment a tenant is told of it. */
const paymentNoticeDays = 5

/**
 * Notes what tenants are to be sent because a day has come or because of what the payment processor told: each once, on
 * their partner's clock. With `partnerId`, only for that partner's tenants. Repeating it notes nothing twice. One
 * e-mail that cannot be written keeps none of the others: the first failure is thrown after all.
 */
export async function queueDueMails(
  deps: DueMailDependencies,
  { partnerId, isStopping }: { partnerId: Id<'partner'> | null; isStopping(): boolean },
): Promise<void> {
  if (deps.confirmsByDefault !== 'operator') return
  const paymentDays = daysToLookAhead(deps)
  const failures: unknown[] = []
  for (const kind of dueKinds)
    for (let after: DueMail | undefined; !isStopping(); ) {
      const due = await listDueMails(deps.databases.system, kind, {
        ...{ now: deps.clock.now(), paymentDays, partnerId, after, limit: batch },
      })
      for (const mail of due) await queueDueMail(deps, kind, mail).catch((error: unknown) => failures.push(error))
      after = due.at(-1)
      if (due.length < batch) break
    }
  if (failures.length > 0) throw failures[0]
}

/**
 * How far ahead the payments lie whose notice can be due: by the bank holidays of today or, in a sandbox, of any day.
 */
function daysToLookAhead({ clock, realm, bankHolidays }: DueMailDependencies): number {
  if (realm === 'sandbox') return 21
  const today = londonDate(clock.now())
  const days = holidayDivisions.map((division) =>
    daysBetween(today, addWorkingDays(today, paymentNoticeDays, division, bankHolidays)),
  )
  return Math.max(...days)
}

/** Looks again under the quote's row lock, and notes the e-mail if it is still due. */
async function queueDueMail(deps: DueMailDependencies, kind: DueKind, due: DueMail): Promise<void> {
  const { partnerId, quoteId, customerId, clockOffsetSeconds, once } = due
  const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
  await inTransaction(deps.databases.forPartner(partnerId, origin), {}, async (tx) => {
    const stored = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
    const quote = stored && asOf(stored, now)
    const tenant = quote?.tenants.find(({ tenantId }) => tenantId === customerId)
    if (quote === undefined || tenant === undefined) return
    const mail = await (writers[kind] as Writer<DueKind>)(tx, deps, { quote, tenant, now, facts: due.facts })
    if (mail === undefined) return
    const { personal } = tenant
    // Each writer makes an e-mail of its own kind.
    const whole = { ...mail, kind, customerId, personal, once } as MailToTenant
    await queueMails(tx, deps, { partnerId, now }, quote, [whole])
  })
}

interface About<Kind extends DueKind> {
  quote: Quote
  tenant: QuoteTenant
  /** On the partner's clock. */
  now: Date
  facts: DueMail<Kind>['facts']
}

/** What an e-mail tells; undefined if it is no longer due. */
type Writer<Kind extends DueKind> = (
  tx: Tx,
  deps: DueMailDependencies,
  about: About<Kind>,
) => Promise<Pick<Extract<MailToTenant, { kind: Kind }>, 'facts' | 'contractNumber'> | undefined>

/** Whether a contract that the tenant agreed to came to nothing, so that they are asked again. */
function hasSignedBefore({ contractStatus }: QuoteTenant): boolean {
  return contractStatus === 'lapsed' || contractStatus === 'superseded'
}

const writers: { [Kind in DueKind]: Writer<Kind> } = {
  async nudge(_tx, _deps, { quote, tenant }) {
    return maySign(quote, tenant) ? { facts: { hasSignedBefore: hasSignedBefore(tenant) } } : undefined
  },
  async lock_ending(_tx, _deps, { quote, tenant, facts: { lastDay } }) {
    if (quote.stage !== 'active' || !maySign(quote, tenant)) return undefined
    return { facts: { lastDay, isAlone: quote.tenants.length === 1, hasSignedBefore: hasSignedBefore(tenant) } }
  },
  async asked_to_lead(_tx, _deps, { quote }) {
    return needsLead(quote) ? { facts: {} } : undefined
  },
  async card_declined(tx, deps, { facts, quote, tenant, now }) {
    if ('payment' in facts) {
      const { partnerId } = quote
      const { contractNumber = null, lastPaymentError: lastError = null } =
        (await findCustomer(tx, deps.cipher, { partnerId, now }, tenant.tenantId)) ?? {}
      const terms = contractNumber === null ? undefined : await latePaymentTermsOf(tx, partnerId, contractNumber)
      const after = await findAfterFailure(tx, { partnerId, entryId: facts.entryId, terms, lastError, now })
      const payment = { ...facts.payment, amount: pence(facts.payment.amount), after: after ?? null }
      return { facts: { payment } }
    }
    const intent = await findSetupIntent(tx, quote.partnerId, facts.setupIntentId)
    return intent?.status === 'requires_payment_method' ? { facts: { payment: null } } : undefined
  },
  async payment_due(_tx, { bankHolidays }, { quote, now, facts }) {
    const division = divisionOfCountry(quote.address.country)
    const { contractNumber, amount, monthlyCost = null, ...rest } = facts
    const noticeUntil = addWorkingDays(londonDate(now), paymentNoticeDays, division, bankHolidays)
    if (rest.heldSince === undefined && noticeUntil < rest.date) return undefined
    return {
      contractNumber,
      facts: { ...rest, amount: pence(amount), monthlyCost: monthlyCost === null ? null : pence(monthlyCost) },
    }
  },
  async moving_in(_tx, _deps, { quote, tenant, now }) {
    const moveInDate = moveInDay(quote)
    const today = londonDate(now)
    if (tenant.contractStatus !== 'in_force' || moveInDate <= today || moveInDate > addDays(today, 2)) return undefined
    const { moveIn, contractStartDate: startsOn, price, tenants } = quote
    const presentSuppliers = servicesWithMeter
      .filter((service) => price?.lines.some(({ type }) => type === service))
      .map((service) => [service, moveIn?.[`${service}Supplier` as 'gasSupplier'] ?? null] as const)
    const isShared = tenants.filter(({ contractStatus }) => contractStatus === 'in_force').length > 1
    return { facts: { moveInDate, startsOn, isShared, presentSuppliers } }
  },
  async card_changed(_tx, { cipher }, { facts: { setupIntentId, card, askedBy } }) {
    const { last4 } = decryptCard(cipher, setupIntentId, card)
    return { facts: { lastFour: last4, actor: actorOf(askedBy) } }
  },
}

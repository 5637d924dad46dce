import type { Caller } from '../../partners/caller.ts'
import { type PlannedPayment, planForCustomer } from '../../payments/plan/plan-payments.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import { addDays, type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { TenantShare } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { maxTenantsEver, type Quote } from '../../quoting/quotes/quote.ts'
import { checkEmails } from '../../quoting/tenants/check-emails.ts'
import { findOpenReplacement, insertCustomers } from '../../quoting/tenants/customers.store.ts'
import { detailsOfNew, type TenantInput } from '../../quoting/tenants/personal-details.schema.ts'
import { duplicateTenantError } from '../../quoting/tenants/tenant-rules.ts'
import type { Contract } from '../contract.ts'
import { listContracts } from '../contracts.store.ts'
import { loadQuoteForUpdate } from '../load-quote-for-update.ts'
import { asOfferedToJoiner, loadQuoteOfCustomerForUpdate } from '../load-quote-of-customer.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { removeTenantsOf } from '../remove-tenants-of.ts'
import type { EndedContract } from '../termination/cancel-under-lock.ts'
import { endReplacedContract } from '../termination/end-early.ts'

/** A tenant who is to take over the share of another. */
export interface Replacement {
  /** The tenant who takes over; null in a dry run, which adds nobody. */
  customerId: Id<'tenant'> | null
  quoteId: Id<'quote'>
  /** The tenant who leaves. */
  replaces: Id<'tenant'>
  /** The first day of the tenant who takes over, if they accept before it. */
  from: IsoDate
  /** What each would pay if the tenant who takes over accepted today. */
  figures: { leaver: EndedContract; joiner: JoinerOffer }
}

/** What somebody who takes over a share would agree to. */
interface JoinerOffer {
  startsOn: IsoDate
  endsOn: IsoDate
  share: TenantShare
  plan: readonly PlannedPayment[]
}

type ReplacementDependencies = TenantMailDependencies & { db: Database; bankHolidays: BankHolidays }

/**
 * POST /Customers/{id}/replacements (not in the specification). Adds a tenant who takes over the rest of a customer's
 * share from a day on, at the agreed rates. They take the same steps as any tenant; until they accept, the customer
 * stays liable. With `dryRun`, adds nobody. Throws `replacement_not_possible`, `replacement_open` and
 * `duplicate_tenant`.
 */
export async function createReplacement(
  deps: ReplacementDependencies,
  caller: Caller,
  leaverId: Id<'tenant'>,
  input: TenantInput & { email: string; from: IsoDate; dryRun: boolean },
): Promise<Replacement> {
  const { db, cipher } = deps
  const { from, dryRun, ...tenant } = input
  try {
    return await inTransaction(db, caller, async (tx) => {
      const quote = await loadQuoteOfCustomerForUpdate(tx, cipher, caller, leaverId)
      const [contract] = await listContracts(tx, caller.partnerId, leaverId)
      const leaving = requireReplaceable(quote, contract)
      requireDay(from, leaving, caller.now)
      const open = await findOpenReplacement(tx, caller.partnerId, leaverId)
      if (open !== undefined) throw replacementOpen(open)
      if (quote.tenants.some(({ personal }) => comparableEmail(personal.email) === comparableEmail(input.email)))
        throw duplicate()
      const joinerId = newId('tenant')
      const figures = await figuresOf(tx, deps, caller, leaving, { joinerId, from })
      const personal = detailsOfNew(tenant)
      const joiner = { customerId: joinerId, personal, replaces: { customerId: leaverId, from } }
      if (!dryRun) {
        await insertCustomers(tx, cipher, quote, [joiner], caller.now)
        await checkEmails(tx, cipher, caller, [{ ...joiner, pointer: '/email' }])
      }
      return { customerId: dryRun ? null : joinerId, quoteId: quote.quoteId, replaces: leaverId, from, figures }
    })
  } catch (error) {
    if (violatedConstraint(error) === 'one_tenant_per_email') throw duplicate()
    throw error
  }
}

async function figuresOf(
  tx: Tx,
  deps: ReplacementDependencies,
  caller: Caller,
  leaving: Contract,
  { joinerId, from }: { joinerId: Id<'tenant'>; from: IsoDate },
): Promise<Replacement['figures']> {
  const today = londonDate(caller.now)
  const { customerId: leaverId, quoteId } = leaving
  const leaver = await endReplacedContract(tx, deps, caller, { leaverId, from, dryRun: true })
  // The leaver may have taken over their share too, and then sees another quote than the household's.
  const household = await loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
  const { price } = asOfferedToJoiner(household, joinerId, leaving, { earliest: from, today })
  const joiner = { customerId: joinerId, termsAcceptedAt: null }
  const plan = planForCustomer(household, price, joiner, { today, bankHolidays: deps.bankHolidays })
  const { contractStartDate: startsOn, contractEndDate: endsOn } = price
  return { leaver, joiner: { startsOn, endsOn, share: shareOf(price, joinerId), plan } }
}

/** The contract that is to be taken over. Throws `replacement_not_possible` if nobody can take it over. */
function requireReplaceable({ stage, tenants }: Quote, contract: Contract | undefined): Contract {
  if (stage !== 'completed') {
    throw notPossible(
      'Not every tenant has accepted, so nobody has a contract in force. Change the tenants instead: if the quote is locked, POST /Quotes/{id}/reopen, then remove-tenants and add-tenants.',
    )
  }
  if (contract?.endReason === 'replaced') throw notPossible(describeTakenOver(tenants, contract))
  if (contract?.status !== 'in_force')
    throw notPossible('The customer has no contract in force that could be taken over.')
  if (tenants.length >= maxTenantsEver)
    throw notPossible(`A quote can have had ${maxTenantsEver} tenants in total. Create a new quote for the household.`)
  return contract
}

function describeTakenOver(tenants: Quote['tenants'], { customerId }: Contract): string {
  const joiner = tenants.find(
    ({ replaces, contractStatus }) => replaces === customerId && contractStatus === 'in_force',
  )
  return joiner === undefined
    ? 'Somebody took over this share, and their contract is over too. Create a new quote for whoever follows.'
    : `${joiner.tenantId} takes over this share already. To replace them too, send their id.`
}

function requireDay(from: IsoDate, contract: Contract, now: Date): void {
  const earliest = laterOf(addDays(londonDate(now), 1), contract.startsOn)
  const lastDay = lastDayOf(contract)
  const latest = addDays(lastDay, -1)
  if (earliest > latest) throw notPossible(`The contract ends on ${lastDay}, so nobody can take it over any more.`)
  if (from >= earliest && from <= latest) return
  const detail = `Must be a day from ${earliest} to ${latest}. The contract ends on ${lastDay}.`
  throw invalidFields([{ pointer: '/from', code: 'replacement_not_possible', detail }], 'replacement_not_possible')
}

function notPossible(detail: string): DomainError {
  return new DomainError('replacement_not_possible', detail)
}

function replacementOpen(joinerId: Id<'tenant'>): DomainError {
  return new DomainError(
    'replacement_open',
    `${joinerId} is to take over this share and has not accepted yet. Continue with them, or withdraw the replacement with POST /Customers/{id}/withdraw-replacement.`,
  )
}

function duplicate(): DomainError {
  return duplicateTenantError([
    {
      pointer: '/email',
      code: 'duplicate_tenant',
      detail: 'A tenant of this quote has or had this email address.',
    },
  ])
}

/**
 * POST /Customers/{id}/withdraw-replacement (not in the specification). Removes the tenant who was to take over this
 * customer's share, with their data. Possible until they accept; then they can cancel their own contract. Throws
 * `replacement_not_possible` if there is none.
 */
export async function withdrawReplacement(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; withdrawn: Id<'tenant'> }> {
  return inTransaction(db, caller, async (tx) => {
    await loadQuoteOfCustomerForUpdate(tx, cipher, caller, customerId)
    const withdrawn = await findOpenReplacement(tx, caller.partnerId, customerId)
    if (withdrawn === undefined) throw noneOpen()
    await removeTenantsOf(tx, caller.partnerId, [withdrawn], caller.now)
    return { customerId, withdrawn }
  })
}

function noneOpen(): DomainError {
  return new DomainError(
    'replacement_not_possible',
    'Nobody is waiting to take over this share. If the tenant who takes over has accepted, they can cancel their contract with POST /Customers/{id}/cancel-contract.',
  )
}

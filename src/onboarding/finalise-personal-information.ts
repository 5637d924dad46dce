import { loadCustomerWithQuoteForUpdate } from '../contracts/load-quote-of-customer.ts'
import type { TenantMailDependencies } from '../contracts/mails/queue-mails.ts'
import { tellOfChangedDates, tellOfChangedDetails } from '../contracts/mails/tell-of-changes.ts'
import { listWhoOpenedPages } from '../contracts/mails/tenant-mails.store.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import { violatedConstraint } from '../platform/db/failures.ts'
import { endOfDayBefore, type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import { comparableEmail } from '../platform/kernel/email.ts'
import { DomainError, type FieldError, invalidFields } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { dayInWords } from '../platform/kernel/in-words.ts'
import { scheduleBroadband } from '../quoting/broadband/schedule-broadband.ts'
import { chooseContractDates } from '../quoting/quotes/contract-dates.ts'
import { listOtherTenancies } from '../quoting/quotes/overlaps/overlaps.store.ts'
import { leadTenantId, type Quote } from '../quoting/quotes/quote.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'
import { defaultDaysAhead } from '../quoting/quotes/quote-policy.ts'
import type { RenewDependencies } from '../quoting/quotes/renew-expired-quote.ts'
import { repriceQuote } from '../quoting/quotes/reprice.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import { checkEmails } from '../quoting/tenants/check-emails.ts'
import type { Customer, PersonalDetails } from '../quoting/tenants/customer.ts'
import { updatePersonalInformation } from '../quoting/tenants/customers.store.ts'
import { requireNotErased, requireNotRemoved } from '../quoting/tenants/load-customer.ts'
import type { PsrDetails } from '../quoting/tenants/psr.ts'
import { duplicateEmailError, requireOwnEmail } from '../quoting/tenants/tenant-rules.ts'
import { type OnboardingWarning, warningsBeforeAcceptance } from './onboarding-warnings.schema.ts'

interface RequestedDates {
  isLead: boolean
  today: IsoDate
  daysAhead: number
  now: Date
  contractStartDate?: IsoDate | undefined
  contractEndDate?: IsoDate | undefined
}

interface ChosenDates extends Pick<Quote, 'contractStartDate' | 'contractEndDate' | 'startOrigin' | 'endOrigin'> {
  /** The end of the day before the contract starts, which is the latest time at which the quote may expire. */
  latestExpiry: Date
}

/**
 * Checks and applies the contract dates in a tenant's personal information
 * (docs/api-behaviour.md#personal-information). Only the lead tenant may change them, only if the partner did not set
 * them, and only until the quote is locked. Returns undefined if the dates do not change, so that the call can be
 * repeated. Throws `validation_failed` naming the field, `quote_locked` or
 * `quote_cancelled`.
 */
function resolveLeadChosenDates(quote: Quote, requested: RequestedDates): ChosenDates | undefined {
  const wanted = [
    {
      pointer: '/contractStartDate',
      requested: requested.contractStartDate,
      present: quote.contractStartDate,
      origin: quote.startOrigin,
    },
    {
      pointer: '/contractEndDate',
      requested: requested.contractEndDate,
      present: quote.contractEndDate,
      origin: quote.endOrigin,
    },
  ].filter((date) => date.requested !== undefined)
  if (!requested.isLead)
    throwIfAny(
      wanted.map(({ pointer }) => ({
        pointer,
        code: 'not_allowed',
        detail: 'Only the lead tenant sets the contract dates. Leave the field out.',
      })),
    )
  const changes = wanted.filter((date) => date.requested !== date.present)
  if (changes.length === 0) return undefined
  requireOperation(quote, 'set-dates', requested.now)
  throwIfAny(
    changes
      .filter((date) => date.origin === 'partner')
      .map(({ pointer, present }) => ({
        pointer,
        code: 'not_allowed',
        detail: `The quote was created with ${present}. Leave the field out.`,
      })),
  )
  const { start, end } = chooseContractDates({
    start: requested.contractStartDate ?? quote.contractStartDate,
    end: requested.contractEndDate ?? (quote.endOrigin === 'default' ? undefined : quote.contractEndDate),
    today: requested.today,
    daysAhead: requested.daysAhead,
  })
  return {
    contractStartDate: start,
    contractEndDate: end,
    startOrigin: requested.contractStartDate === undefined ? quote.startOrigin : 'lead',
    endOrigin: requested.contractEndDate === undefined ? quote.endOrigin : 'lead',
    latestExpiry: endOfDayBefore(start),
  }
}

function throwIfAny(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw invalidFields(fields)
}

interface PersonalInformation {
  /** The details from the request, validated, and with the phone number in E.164 format. */
  personal: Partial<PersonalDetails>
  /** Null removes stored details; undefined keeps them. */
  psr: PsrDetails | null | undefined
  /** Undefined keeps what is stored. */
  earlySupplyRequested: boolean | undefined
  /** The dates that the lead tenant chose, if any. */
  contractStartDate: IsoDate | undefined
  contractEndDate: IsoDate | undefined
}

/**
 * Spec: POST /Customers/{id}/finalise-personal-information. Replaces the stored information until the terms are
 * accepted; what is undefined stays. While the contract dates are defaults and the quote is not locked, the lead
 * tenant may set them, which reprices the quote. `requireOf` may refuse, once both are locked, by throwing. Throws
 * `already_onboarded`, `customer_erased`, `customer_removed`,
 * `quote_locked`, `duplicate_tenant` and `validation_failed` (dates).
 */
export async function finalisePersonalInformation(
  deps: RenewDependencies & TenantMailDependencies & { db: Database },
  caller: Caller,
  customerId: Id<'tenant'>,
  information: PersonalInformation,
  requireOf: (locked: { customer: Customer; quote: Quote }) => void = () => undefined,
): Promise<{ customer: Customer; warnings: OnboardingWarning[] }> {
  try {
    return await inTransaction(deps.db, caller, async (tx) => {
      const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, deps.cipher, caller, customerId)
      requireOf({ customer, quote })
      requireOperation(quote, 'finalise', caller.now)
      requireNotErased(customer)
      requireNotRemoved(customer)
      if (customer.status === 'OnboardingComplete') {
        throw new DomainError(
          'already_onboarded',
          'This customer has accepted the terms. The details they agreed to cannot be changed.',
        )
      }
      const dated = await setDates(tx, deps, caller, quote, customerId, information)
      const { psr, earlySupplyRequested = customer.earlySupplyRequested } = information
      // Keep stored details that this submission does not contain.
      const personal = { ...customer.personal, ...information.personal }
      requireOwnEmail(quote.tenants, customerId, personal.email)
      const changed: Customer = { ...customer, personal, earlySupplyRequested, status: 'PersonalInfoComplete' }
      // The update comes last, because it may fail, and any statement sent after it would then fail too.
      const [others] = await Promise.all([
        listOtherTenancies(tx, deps.cipher, changed, caller.now),
        updatePersonalInformation(tx, deps.cipher, { ...changed, psr }, caller.now),
      ])
      if (comparableEmail(personal.email) !== comparableEmail(customer.personal.email))
        await checkEmails(tx, deps.cipher, caller, [{ ...changed, pointer: '/email' }])
      const details = { before: customer.personal, after: personal, only: 'email' } as const
      await tellOfChangedDetails(tx, deps, caller, quote, customerId, details)
      if (dated !== quote) await tellHousemates(tx, deps, caller, dated, customerId)
      if (customer.status !== changed.status) {
        const { quoteId } = quote
        await recordEvent(tx, caller, {
          type: 'customer.status.changed',
          data: {
            customerId,
            quoteId,
            previousStatus: customer.status,
            status: changed.status,
            reason: null,
          },
        })
      }
      return {
        customer: changed,
        warnings: warningsBeforeAcceptance(dated, changed, others, { policy: deps.quotePolicy, now: caller.now }),
      }
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'one_tenant_per_email') throw error
    throw duplicateEmailError()
  }
}

/** Tells the other tenants who have seen their pages which dates the lead tenant chose. */
async function tellHousemates(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Caller,
  quote: Quote,
  leadId: Id<'tenant'>,
): Promise<void> {
  const { contractStartDate, contractEndDate } = quote
  const others = quote.tenants.filter(({ tenantId }) => tenantId !== leadId)
  const opened = await listWhoOpenedPages(
    tx,
    caller.partnerId,
    others.map(({ tenantId }) => tenantId),
  )
  await tellOfChangedDates(tx, deps, caller, quote, {
    tenants: others.filter(({ tenantId }) => opened.includes(tenantId)),
    rows: [
      ['First day', dayInWords(contractStartDate)],
      ['Last day', dayInWords(contractEndDate)],
    ],
    byAnother: true,
  })
}

/** Sets the dates that the lead tenant chose, if any, and returns the quote. */
async function setDates(
  tx: Tx,
  { cards, quotePolicy, bankHolidays }: RenewDependencies,
  caller: Caller,
  quote: Quote,
  customerId: Id<'tenant'>,
  requested: Pick<PersonalInformation, 'contractStartDate' | 'contractEndDate'>,
): Promise<Quote> {
  if (requested.contractStartDate === undefined && requested.contractEndDate === undefined) return quote
  const today = londonDate(caller.now)
  const dates = resolveLeadChosenDates(quote, {
    // While nobody leads, the partner chooses for the household.
    isLead: (leadTenantId(quote) ?? (caller.clientId === 'tenant' ? null : customerId)) === customerId,
    today,
    daysAhead: defaultDaysAhead(quotePolicy),
    now: caller.now,
    ...requested,
  })
  if (dates === undefined) return quote
  const { latestExpiry, ...chosen } = dates
  const moved: Quote = {
    ...quote,
    ...chosen,
    ...scheduleBroadband(quote, dates, today, bankHolidays),
    expiresAt:
      dates.contractStartDate < quote.contractStartDate ? earlier(quote.expiresAt, latestExpiry) : quote.expiresAt,
  }
  const card = await cards.load(tx, quote.quotingToolVersionId)
  return saveQuote(
    tx,
    caller,
    quote,
    repriceQuote(moved, { card, billingDay: quotePolicy.billingDay, now: caller.now, reason: 'dates_changed' }),
  )
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}

import type { Contract } from '../../contracts/contract.ts'
import { findContract } from '../../contracts/contracts.store.ts'
import { loadQuoteForUpdate } from '../../contracts/load-quote-for-update.ts'
import type { TenantMailDependencies } from '../../contracts/mails/queue-mails.ts'
import { tellOfChangedDates } from '../../contracts/mails/tell-of-changes.ts'
import { recordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { withMeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import { isMpan, isMprn } from '../../properties/meter-points/meter-points.ts'
import { saveQuote } from '../../quoting/quotes/save-quote.ts'
import { updatePersonalDetails } from '../../quoting/tenants/customers.store.ts'
import { loadCustomer, requireNotErased } from '../../quoting/tenants/load-customer.ts'
import { findLatestVersion } from './acknowledgements.store.ts'
import { insertCorrection, type PropertyCorrection } from './feed-rows.store.ts'

/** What the operator corrects in a contract. At least one field is not null. */
export interface Correction extends PropertyCorrection {
  dateOfBirth: IsoDate | null
  /** How the energy of the home is paid for now. */
  meterPayment: 'credit' | 'prepayment' | null
  reason: string
}

/** A contract after a correction. */
export interface CorrectedContract {
  contractNumber: string
  version: number
}

/** What is wrong with the meter points of a correction. */
export function wrongMeterPoints({ mpan, mprn }: { mpan?: unknown; mprn?: unknown }): FieldError[] {
  const wrong = (pointer: string, kind: string) => ({
    pointer,
    code: 'wrong_format',
    detail: `Must be a valid ${kind}: check its digits.`,
  })
  return [
    ...(typeof mpan === 'string' && !isMpan(mpan) ? [wrong('/mpan', 'MPAN core of 13 digits')] : []),
    ...(typeof mprn === 'string' && !isMprn(mprn) ? [wrong('/mprn', 'MPRN of 6 to 10 digits')] : []),
  ]
}

/**
 * POST /operator-api/Contracts/{number}/corrections: corrects what turned out to be wrong after a contract was agreed.
 * Meter points, how energy is paid for and the install date hold for the whole household, the birth date for this customer. Makes a new version
 * and leaves the documents as they are. Tells the household of another install date. Throws
 * `contract_not_in_force` before the contract took effect, `customer_erased` and `not_found`.
 */
export function correctContract(
  deps: TenantMailDependencies & { db: Database },
  caller: Caller,
  { contractNumber, dateOfBirth, meterPayment, reason, ...home }: Correction & { contractNumber: string },
): Promise<CorrectedContract> {
  const { db, cipher } = deps
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    const { quoteId } = await requireContract(tx, partnerId, contractNumber)
    const quote = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    // It may have taken effect while this call waited for the lock.
    const contract = await requireContract(tx, partnerId, contractNumber)
    if (contract.effectiveAt === null)
      throw new DomainError(
        'contract_not_in_force',
        'The contract has not taken effect, so it can still be changed by agreeing to it again.',
      )
    if (dateOfBirth !== null && dateOfBirth >= londonDate(now)) throw notBornYet()
    const customer = await loadCustomer(tx, cipher, caller, contract.customerId)
    requireNotErased(customer)
    const ofHousehold = [meterPayment, ...Object.values(home)].some((value) => value !== null)
    const corrected = ofHousehold ? { quoteId } : { contractNumbers: [contractNumber] }
    await recordContractChange(tx, { partnerId, ...corrected, change: 'corrected' }, async (recorded) => {
      if (dateOfBirth !== null) {
        const personal = { ...customer.personal, dateOfBirth }
        await updatePersonalDetails(tx, recorded, cipher, { ...customer, personal, psr: undefined }, now)
      }
      if (meterPayment !== null)
        await saveQuote(tx, caller, quote, { ...quote, meter: withMeterFacts(quote.meter, { payment: meterPayment }) })
      await insertCorrection(tx, recorded, contract, { ...home, reason, now })
    })
    if (home.installDate !== null)
      await tellOfChangedDates(tx, deps, caller, quote, {
        tenants: quote.tenants.filter(({ contractStatus }) => contractStatus === 'in_force'),
        rows: [['Broadband is installed on', dayInWords(home.installDate)]],
      })
    return { contractNumber, version: await findLatestVersion(tx, contract) }
  })
}

async function requireContract(tx: Tx, partnerId: Id<'partner'>, contractNumber: string): Promise<Contract> {
  const contract = await findContract(tx, partnerId, contractNumber)
  if (contract === undefined) throw new Error('the contract that the call found is gone')
  return contract
}

function notBornYet(): DomainError {
  const detail = 'Must be before today.'
  return invalidFields([{ pointer: '/dateOfBirth', code: 'out_of_range', detail }])
}

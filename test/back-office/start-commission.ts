import type { Static } from 'typebox'
import type {
  CommissionReportObject,
  CommissionTermsObject,
} from '../../src/back-office/commission/commission.schema.ts'
import { recordCommission } from '../../src/back-office/commission/record-commission.ts'
import { endDueContracts } from '../../src/contracts/termination/end-due-contracts.ts'
import { type Clock, systemClock } from '../../src/platform/kernel/clock.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import type { HouseholdOptions } from '../support/household.ts'
import { connectOperator, type Operator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createCompletedQuote, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { movableClock, type ServiceUnderTest, startTestService } from '../support/service.ts'

export type Terms = Static<typeof CommissionTermsObject>
export type Report = Static<typeof CommissionReportObject>

/** Records what is due, as the job does. */
export function runCommission(service: ServiceUnderTest, clock: Clock = systemClock, isStopping = () => false) {
  return withDatabaseKeys(service, ({ databases }) => recordCommission({ databases, clock }, { isStopping }))
}

/**
 * Has a contract earn at once, as if its right to cancel had ended. Its partner earns an amount for each contract from
 * now on.
 */
export async function earnAtOnce(service: ServiceUnderTest, contractNumber: string, clock?: Clock): Promise<void> {
  const terms = `insert into commission_terms (partner_id, first_day, tiers, recorded_at)
    select partner_id, '2026-01-01', '[{"upTo": null, "basisPoints": null, "amount": 2000}]', now() from contracts
     where contract_number = $1`
  const move = 'update contracts set effective_at = $2, confirmation_sent_at = $3 where contract_number = $1'
  await rawRows(service, terms, [contractNumber])
  const times = 'select effective_at::text, confirmation_sent_at::text from contracts where contract_number = $1'
  const [{ effective_at: effective, confirmation_sent_at: sent } = {}] = await rawRows(service, times, [contractNumber])
  const earlier = new Date(new Date(String(effective)).getTime() - 15 * 86_400_000)
  await rawRows(service, move, [contractNumber, earlier, earlier])
  await runCommission(service, clock)
  await rawRows(service, move, [contractNumber, effective, sent])
}

/** Starts a service on 1 December 2026 whose commission is recorded only when a test does so. The caller stops it. */
export async function startCommission() {
  const clock = movableClock(testTime)
  const service = await startTestService({}, { clock })
  const operator = await connectOperator(service)
  return {
    service,
    operator,
    record: (isStopping?: () => boolean) => runCommission(service, clock, isStopping),
    /** Ends contracts whose last day is over, as the job does. */
    endContracts: () =>
      withDatabaseKeys(service, (opened) =>
        endDueContracts({ ...opened, clock }, { batch: 100, isStopping: () => false }),
      ),
    newPartner: () => startSelling(service, operator),
    stop: () => service.stop(),
  }
}

/** A partner with a clock of its own, and what a test does with its commission. */
async function startSelling(service: ServiceUnderTest, operator: Operator) {
  const partner = await connectNewPartner(service)
  const partnerId = await newestPartner(service)
  const path = `/Partners/${partnerId}/commission-terms`
  const addTerms = (firstDay: string, ...tiers: object[]) => operator.post<Terms>(path, { firstDay, tiers })
  return {
    partner,
    partnerId,
    addTerms,
    listTerms: async () => succeeded(await operator.get<{ data: Terms[] }>(path)).data,
    /** Sells to a household, and returns its customers with their contracts. */
    async sell(options: HouseholdOptions = {}) {
      const { quoteId, tenants, lead } = await createCompletedQuote(partner, options)
      const contracts: string[] = []
      for (const tenant of tenants) {
        const { contract } = succeeded(await partner.get(`/Customers/${tenant}`))
        if (contract === null) throw new Error('the customer has no contract')
        contracts.push(contract.contractNumber)
      }
      return { quoteId, tenants, lead, contracts, contractNumber: contracts[0] ?? '' }
    },
    advance: (days: number, seconds = 0) => advanceClock(partner, { days, seconds }),
    /** The entries of the partner's statement. */
    statement: async (month: string) =>
      succeeded(await operator.get<Report>(`/Reports/commission?month=${month}&partnerId=${partnerId}&limit=500`)).data,
    total: async (month: string) => {
      const { totals } = succeeded(
        await operator.get<Report>(`/Reports/commission?month=${month}&partnerId=${partnerId}&limit=1`),
      )
      const [total] = totals
      if (total === undefined) throw new Error('the partner has no total')
      return total
    },
    close: (month: string) => operator.post(`/Reports/commission/${partnerId}/close`, { month }),
  }
}

/** The partner that was connected last. */
async function newestPartner(service: ServiceUnderTest): Promise<string> {
  const [row] = await rawRows(service, 'select max(partner_id) as id from partners where name = partner_id')
  return String(row?.id)
}

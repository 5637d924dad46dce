import { type Contract, cancellableUntil, type EndCause, isBinding } from '../../contracts/contract.ts'
import { decryptAgreement, decryptEndCause } from '../../contracts/contracts.store.ts'
import type { Agreement } from '../../contracts/preview/agreement.ts'
import type { LatestReport } from '../../contracts/supply/service-reports.store.ts'
import { nextToAct, type SupplyActor } from '../../contracts/supply/supply-report.ts'
import type { CardDetails } from '../../payments/payment-processor.ts'
import { decryptCard } from '../../payments/setup-intents/setup-intents.store.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { lastDayOf, type ServiceStatus, serviceStatusOf } from '../../quoting/packages/service-status.ts'
import { serviceIds } from '../../quoting/pricing/customer-packages.ts'
import type { PricedLine } from '../../quoting/pricing/price.ts'
import { openNextOccupier } from '../../quoting/quotes/occupiers.store.ts'
import type { NextOccupier } from '../../quoting/quotes/occupiers.ts'
import type { RegionalRate } from '../../quoting/rates/rate-card.ts'
import type { PersonalDetails } from '../../quoting/tenants/customer.ts'
import { decryptPersonal } from '../../quoting/tenants/customers.store.ts'
import type { ContractRow } from './feed-rows.store.ts'

/** A service of the home in a contract. The figures are the tenant's own share. */
export interface ContractService {
  serviceId: string
  line: PricedLine
  status: ServiceStatus
  /** What was reported last; null if nothing was. */
  report: LatestReport | null
  /** Who has to do something before the supply can go on, and since when; null each if nobody has to. */
  actsNext: SupplyActor | null
  waitingSince: IsoDate | null
  /** What its meter showed, in the order of the days; empty for a service without one. */
  meterReadings: ContractRow['meterReadings'][string]
  /** The rates that were agreed; null for broadband. */
  rate: RegionalRate | null
  /**
   * The name of the supplier or provider that the contract names; null for contracts that were agreed before it was
   * stored.
   */
  supplier: string | null
}

/**
 * A contract as the operator's software receives it. `person` is null before the contract is in force and after an
 * erasure: then nothing in the record says who the customer is or where they live.
 */
export interface ContractRecord {
  row: Contract &
    Pick<ContractRow, 'version' | 'partnerName' | 'household' | 'finalStatement' | 'moveInDate' | 'moveIn'>
  /** Who is responsible for the home next; null if nobody said, and before a contract took effect. */
  nextOccupier: NextOccupier | null
  /**
   * The customer to write to about the home; null if nobody is left. `personal` is null where `person` is, and after
   * their erasure.
   */
  primaryContact: { customerId: Id<'tenant'>; personal: PersonalDetails | null } | null
  cancellableUntil: Date | null
  /** Why the contract ends early, also where only the tenant and the operator may know; null if it does not. */
  endCause: EndCause | null
  /** Whether every contract of the household is over, so that supply must end. */
  isClosed: boolean
  services: ContractService[]
  person: {
    personal: PersonalDetails
    address: ContractRow['address']
    meter: ContractRow['meter']
    processorCustomerId: string | null
    card: CardDetails | null
    plan: Agreement['plan']
    broadbandProducts: ContractRow['broadbandProducts']
    installDate: IsoDate | null
  } | null
}

/** Builds the record of a contract from its row. */
export function recordOf(cipher: FieldCipher, row: ContractRow): ContractRecord {
  const agreement =
    row.agreementEncrypted === null ? null : decryptAgreement(cipher, row.contractNumber, row.agreementEncrypted)
  const hasTakenEffect = row.effectiveAt !== null
  return {
    row,
    primaryContact: row.lead && {
      customerId: row.lead.customerId,
      personal: hasTakenEffect && !row.lead.isErased ? decryptPersonal(cipher, row.lead) : null,
    },
    nextOccupier:
      hasTakenEffect && row.nextOccupierEncrypted !== null
        ? openNextOccupier(cipher, row.quoteId, row.nextOccupierEncrypted)
        : null,
    cancellableUntil: cancellableUntil(row),
    endCause: row.erasedAt === null ? decryptEndCause(cipher, row.contractNumber, row.endingEncrypted) : null,
    isClosed: isOver(row),
    services: servicesOf(row, agreement),
    person: !hasTakenEffect || row.erasedAt !== null ? null : personOf(cipher, row, agreement),
  }
}

function servicesOf(row: ContractRow, agreement: Agreement | null): ContractService[] {
  const { price, serviceStatuses } = row
  if (price === null) return []
  const [share] = price.shares
  const ids = serviceIds(price.lines)
  const contract = {
    status: row.effectiveAt === null ? ('PersonalInfoComplete' as const) : ('OnboardingComplete' as const),
    contract: row,
  }
  return price.lines.map((line, index) => {
    const serviceId = ids[index] ?? line.packageId
    const report = row.reports[serviceId] ?? null
    return {
      ...waitingFor(row, report),
      serviceId,
      line: { ...line, ...share?.lines[index] },
      status: serviceStatusOf({ reported: serviceStatuses[serviceId], startDate: line.startDate }, contract),
      report,
      meterReadings: row.meterReadings[line.type] ?? [],
      rate: agreement?.household.lines[index]?.rate ?? null,
      supplier: agreement?.suppliers[line.type]?.name ?? null,
    }
  })
}

/** Who must act on a service, and since when. Once every contract is over, supply that was asked for must be ended. */
function waitingFor(row: ContractRow, report: LatestReport | null): Pick<ContractService, 'actsNext' | 'waitingSince'> {
  if (row.effectiveAt === null || isFollowed(row)) return { actsNext: null, waitingSince: null }
  const status = report?.status ?? 'pending'
  if (isOver(row) && report?.reason !== 'erroneous_transfer') {
    const mustEnd = status === 'requested' || status === 'active'
    return { actsNext: mustEnd ? 'operator' : null, waitingSince: mustEnd ? lastDayOf(row) : null }
  }
  const actsNext = nextToAct(report ?? { status, reason: null })
  return { actsNext, waitingSince: actsNext && (report?.effectiveOn ?? londonDate(row.effectiveAt)) }
}

/** Whether the tenant agreed again later, after their first day was moved. */
function isFollowed({ household, customerId, contractNumber }: ContractRow): boolean {
  return household.findLast((each) => each.customerId === customerId)?.contractNumber !== contractNumber
}

function isOver({ household }: ContractRow): boolean {
  return household.length > 0 && !household.some(isBinding)
}

function personOf(cipher: FieldCipher, row: ContractRow, agreement: Agreement | null): ContractRecord['person'] {
  const { address, meter, corrected, processorCustomerId, card, broadbandProducts } = row
  return {
    personal: decryptPersonal(cipher, row),
    address: { ...address, mpan: corrected.mpan ?? address.mpan, mprn: corrected.mprn ?? address.mprn },
    meter,
    processorCustomerId,
    card: card === null ? null : decryptCard(cipher, card.setupIntentId, card.encrypted),
    plan: agreement?.plan ?? [],
    broadbandProducts,
    installDate: corrected.installDate ?? row.selectedInstallDate ?? row.broadbandStartDate,
  }
}

import type { IsoDate } from '../../platform/kernel/dates.ts'
import { addWorkingDays, type BankHolidays, divisionOfCountry } from '../../platform/kernel/working-days.ts'
import type { ServiceStatus } from '../../quoting/packages/service-status.ts'

/** Who has to do something before the supply of a service can go on. */
export const supplyActors = ['operator', 'supplier', 'tenant'] as const
export type SupplyActor = (typeof supplyActors)[number]

/** What is the matter with a supply: in which statuses it can be, who acts next, and what tenants are told of it. */
interface ReasonRow {
  statuses: readonly ServiceStatus[]
  actsNext: SupplyActor
  /** A sentence to the tenants. */
  told: string
}

const notBegun = ['requested', 'failed', 'withdrawn'] as const

/** The reasons that a report can give. The database has the same list. */
const supplyReasons = {
  rejected: { statuses: notBegun, actsNext: 'operator', told: 'The supplier did not accept our request.' },
  objected: { statuses: notBegun, actsNext: 'operator', told: 'The present supplier objected.' },
  erroneous_transfer: {
    statuses: ['requested', 'active', 'ended', 'failed', 'withdrawn'],
    actsNext: 'supplier',
    told: 'The suppliers put this right between them: you stay supplied, and you need do nothing.',
  },
  debt_on_meter: {
    statuses: notBegun,
    actsNext: 'supplier',
    told: 'The meter has a debt from the time before you. You do not owe it: do not pay it.',
  },
  meter_not_found: { statuses: notBegun, actsNext: 'operator', told: 'The supplier did not find the meter.' },
  cancelled_by_consumer: {
    statuses: [...notBegun, 'ended'],
    actsNext: 'tenant',
    told: 'The supplier was told that somebody in your home called it off. If nobody did, tell us.',
  },
  address_wrong: {
    statuses: notBegun,
    actsNext: 'operator',
    told: 'The supplier has another address for the meter. If our address of your home is wrong, tell us.',
  },
  wrong_meter: {
    statuses: [...notBegun, 'active'],
    actsNext: 'operator',
    told: 'The supplier has another meter for your home. If you can, tell us the serial number on yours.',
  },
} as const satisfies Readonly<Record<string, ReasonRow>>

/** Why a supply does not go as it should. */
export type SupplyReason = keyof typeof supplyReasons
export const supplyReasonNames = Object.keys(supplyReasons) as SupplyReason[]

/** The row of a reason. */
export function supplyReason(reason: SupplyReason): ReasonRow {
  return supplyReasons[reason]
}

/** What was reported about the supply of a service of a home. */
export interface ServiceReport {
  serviceId: string
  status: ServiceStatus
  /** The day on which the status begins or began or, with a reason, on which the operator was told of it. */
  effectiveOn: IsoDate
  reason: SupplyReason | null
  /** The operator's words; null without any. Contains no personal data. */
  comment: string | null
  /** The supplier's reference; null if there is none. */
  supplierReference: string | null
  /** The day on which a supply that was requested is now expected to begin; null if nobody says. */
  expectedOn: IsoDate | null
  /** From when the supplier has somebody else as the occupier of the home; null if it says nothing of it. */
  newOccupierFrom: IsoDate | null
  /** The serial number of the meter that the supplier has for the home; null if it did not say. */
  meterSerial: string | null
  /** The day on which the supplier first answered about an erroneous transfer; null until it did. */
  answeredOn: IsoDate | null
}

/** What a report says that only names a status and its day. */
export const nothingElse: Omit<ServiceReport, 'serviceId' | 'status' | 'effectiveOn'> = {
  ...{ reason: null, comment: null, supplierReference: null, expectedOn: null },
  ...{ newOccupierFrom: null, meterSerial: null, answeredOn: null },
}

/** Who acts next on a service that was reported last as this; null if nobody has to. */
export function nextToAct({ status, reason }: Pick<ServiceReport, 'status' | 'reason'>): SupplyActor | null {
  const isOver = status === 'ended' || status === 'withdrawn'
  if (reason !== null) return isOver && reason !== 'erroneous_transfer' ? null : supplyReason(reason).actsNext
  if (isOver || status === 'active') return null
  return status === 'requested' ? 'supplier' : 'operator'
}

/**
 * The working days in which suppliers first answer a customer about an erroneous transfer, and in which they put it
 * right, from the day on which either was told: the Erroneous Transfer Customer Charter, which the industry's codes bind
 * suppliers to (www.ofgem.gov.uk/publications/erroneous-transfer-customer-charter).
 */
const charterDays = { answerBy: 5, resolveBy: 20 }

/** When an erroneous transfer must be answered and resolved; null each for anything else. */
export function chaseDays(
  { reason, effectiveOn }: Pick<ServiceReport, 'reason' | 'effectiveOn'>,
  country: string,
  holidays: BankHolidays,
): Record<keyof typeof charterDays, IsoDate | null> {
  const after = (days: number) =>
    reason === 'erroneous_transfer' ? addWorkingDays(effectiveOn, days, divisionOfCountry(country), holidays) : null
  return { answerBy: after(charterDays.answerBy), resolveBy: after(charterDays.resolveBy) }
}

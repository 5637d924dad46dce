import type { Contract } from '../../contracts/contract.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { CustomerStatus } from '../tenants/customer.ts'

/** The last day of the contract, which is earlier than agreed if it ends early. */
export function lastDayOf({ endsOn, endedOn }: Pick<Contract, 'endsOn' | 'endedOn'>): IsoDate {
  return endedOn ?? endsOn
}

/**
 * How far the supply of a service has come. `requested`: the supplier was asked for it. `failed`: the supplier could
 * not begin. `withdrawn`: it was called off before it began.
 */
export const serviceStatuses = ['pending', 'requested', 'active', 'ended', 'failed', 'withdrawn'] as const
export type ServiceStatus = (typeof serviceStatuses)[number]

/**
 * Which statuses the operator may report after each. The same status again is a correction of its date. A supply that
 * failed can be requested again.
 */
export const serviceMayBecome: Readonly<Record<ServiceStatus, readonly ServiceStatus[]>> = {
  pending: ['requested', 'failed', 'withdrawn'],
  requested: ['active', 'failed', 'withdrawn'],
  active: ['ended'],
  failed: ['requested'],
  ended: [],
  withdrawn: [],
}

/** What was reported about the services of a home, by serviceId. */
export type ReportedStatuses = Readonly<Record<string, ServiceStatus>>

/** Whether a status was reported, or supply that nobody reports is presumed to have begun. */
export const statusSources = ['presumed', 'reported'] as const
type StatusSource = (typeof statusSources)[number]

interface SuppliedService {
  reported: ServiceStatus | undefined
  startDate: IsoDate
}

interface SuppliedCustomer {
  status: CustomerStatus
  contract: Pick<Contract, 'status' | 'endsOn' | 'endedOn'> | null
}

/**
 * The status of a service as a customer sees it. Supply belongs to the home, so what was reported about it holds for
 * every tenant. It is pending until something is reported. For a tenant whose contract is over, it has ended or, if it
 * had not begun by the contract's last day, it is withdrawn.
 */
export function serviceStatusOf({ reported, startDate }: SuppliedService, customer: SuppliedCustomer): ServiceStatus {
  const { status, contract } = customer
  if (status !== 'OnboardingComplete') return reported ?? 'pending'
  if (contract?.status === 'ended' || contract?.status === 'cancelled')
    return lastDayOf(contract) < startDate ? 'withdrawn' : 'ended'
  return reported ?? 'pending'
}

/**
 * What a customer is shown about a service. With `presumesSupply`, a service about which nothing was reported is active
 * from its first day while the contract is in force. This is for display only: what the operator may report next, and
 * what is awaited of them, follows from reports alone.
 */
export function shownServiceStatus(
  service: SuppliedService,
  customer: SuppliedCustomer,
  { presumesSupply, today }: { presumesSupply: boolean; today: IsoDate },
): { status: ServiceStatus; statusSource: StatusSource } {
  const { reported, startDate } = service
  const isPresumed =
    presumesSupply && reported === undefined && customer.contract?.status === 'in_force' && startDate <= today
  return isPresumed
    ? { status: 'active', statusSource: 'presumed' }
    : { status: serviceStatusOf(service, customer), statusSource: 'reported' }
}

import type { IsoDate } from '../../kernel/dates.ts'
import { type Contract, lastDayOf } from '../contracts/contract.ts'
import type { CustomerStatus } from '../customers/customer.ts'

/**
 * How far the supply of a service has come. `requested`: the supplier was asked for it. `failed`: the supplier could not begin. `withdrawn`: it
 * was called off before it began.
 */
export const serviceStatuses = ['pending', 'requested', 'active', 'ended', 'failed', 'withdrawn'] as const
export type ServiceStatus = (typeof serviceStatuses)[number]

/**
 * Which statuses the operator may report after each. The same status again is a correction of its date. A supply that failed can be requested
 * again.
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

/**
 * The status of a service as a customer sees it. Supply belongs to the home, so what was reported about it holds for every tenant. It is pending
 * until something is reported. For a tenant whose contract is over, it has ended or, if it had not begun by the contract's last day, it is
 * withdrawn.
 */
export function serviceStatusOf(
  { reported, startDate }: { reported: ServiceStatus | undefined; startDate: IsoDate },
  customer: { status: CustomerStatus; contract: Pick<Contract, 'status' | 'endsOn' | 'endedOn'> | null },
): ServiceStatus {
  const { status, contract } = customer
  if (status !== 'OnboardingComplete') return reported ?? 'pending'
  if (contract?.status === 'ended' || contract?.status === 'cancelled')
    return lastDayOf(contract) < startDate ? 'withdrawn' : 'ended'
  return reported ?? 'pending'
}

import type { Contract } from '../contracts/contract.ts'
import type { CustomerStatus } from '../customers/customer.ts'

/**
 * How far the supply of a service has come. `requested`: the supplier was asked for it. `failed`: the supplier could not begin. `withdrawn`: it
 * was called off before it began.
 */
export const serviceStatuses = ['pending', 'requested', 'active', 'ended', 'failed', 'withdrawn'] as const
export type ServiceStatus = (typeof serviceStatuses)[number]

/** What was reported about the services of a home, by serviceId. */
export type ReportedStatuses = Readonly<Record<string, ServiceStatus>>

/**
 * The status of a service as a customer sees it. Supply belongs to the home, so what was reported about it holds for every tenant. Where nothing
 * was reported, it is pending until the customer is onboarded and then active. For a tenant whose contract is over, it has ended.
 */
export function serviceStatusOf(
  reported: ServiceStatus | undefined,
  { customerStatus, contract }: { customerStatus: CustomerStatus; contract: Pick<Contract, 'status'> | null },
): ServiceStatus {
  const isOnboarded = customerStatus === 'OnboardingComplete'
  if (isOnboarded && (contract?.status === 'ended' || contract?.status === 'cancelled')) return 'ended'
  return reported ?? (isOnboarded ? 'active' : 'pending')
}

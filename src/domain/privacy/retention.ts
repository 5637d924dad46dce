import type { IsoDate } from '../../kernel/dates.ts'
import type { CustomerStatus } from '../customers/customer.ts'

/**
 * How many years the records of a contract are kept after it ends. Contract claims can be brought for six years (Limitation Act
 * 1980, section 5), and tax records must be kept for the same time (Finance Act 1998, schedule 18, part 3).
 */
export const yearsKeptAfterContract = 6

/** The records that are kept when a customer with a contract is erased. */
export const retainedByLaw = ['contract documents', 'evidence of the acceptance', 'price', 'payment plan'] as const

interface Contract {
  status: CustomerStatus
  contractEndDate: IsoDate
}

/** Whether the contract is running. It still runs on its last day. */
export function isContractRunning({ status, contractEndDate }: Contract, today: IsoDate): boolean {
  return status === 'OnboardingComplete' && today <= contractEndDate
}

/** The day until which the law requires the contract's records to be kept; null without a contract. */
export function retainedUntil({ status, contractEndDate }: Contract): IsoDate | null {
  if (status !== 'OnboardingComplete') return null
  const year = Number(contractEndDate.slice(0, 4)) + yearsKeptAfterContract
  const day = contractEndDate.slice(5)
  return `${year}-${day === '02-29' ? '03-01' : day}` as IsoDate
}

import type { IsoDate } from '../../kernel/dates.ts'
import type { CustomerStatus } from '../customers/customer.ts'

/**
 * How long what was agreed is kept after the contract has ended: claims under a contract can be brought for six years
 * (Limitation Act 1980, section 5), and records behind tax returns are kept as long (Finance Act 1998, schedule 18, part 3).
 */
export const yearsKeptAfterContract = 6

/** What stays of a customer with a contract when they are erased. */
export const keptByLaw = ['contract documents', 'evidence of the acceptance', 'price', 'payment plan'] as const

interface Contract {
  status: CustomerStatus
  contractEndDate: IsoDate
}

/** The contract's last day counts. */
export function isContractRunning({ status, contractEndDate }: Contract, today: IsoDate): boolean {
  return status === 'OnboardingComplete' && today <= contractEndDate
}

/** The day until which the law asks to keep what was agreed; null where nothing was. */
export function retainedUntil({ status, contractEndDate }: Contract): IsoDate | null {
  if (status !== 'OnboardingComplete') return null
  const year = Number(contractEndDate.slice(0, 4)) + yearsKeptAfterContract
  const day = contractEndDate.slice(5)
  return `${year}-${day === '02-29' ? '03-01' : day}` as IsoDate
}

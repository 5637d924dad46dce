import type { Service, services } from '../quoting/packages/services.ts'
import type { ContractSection, ContractSections } from './contract-facts.ts'
import { broadbandSection } from './sections/broadband-summary.ts'
import { meteredSection } from './sections/metered-terms.ts'

/** The document's section for each `contractSection` in the service table. */
export const contractSections = {
  energy: { name: 'energy', terms: meteredSection },
  broadband: { name: 'broadband', terms: broadbandSection },
} as const satisfies Record<(typeof services)[Service]['contractSection'], ContractSection> & ContractSections

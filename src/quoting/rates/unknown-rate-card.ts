import { DomainError } from '../../platform/kernel/errors.ts'

/** The error for an id that no rate card has. */
export function unknownRateCard(quotingToolVersionId: string): DomainError {
  return new DomainError(
    'not_found',
    `There is no rate card ${quotingToolVersionId}. "housebill rates list" and GET /operator-api/RateCards list them all.`,
  )
}

import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Acknowledgement } from './acknowledgements.store.ts'

/** The error for a version that cannot be acknowledged, which says which can. */
export function unknownVersion({ from, to }: { from: number; to: number }): DomainError {
  const detail = `Must be a version that you received: ${from} to ${to}.`
  return invalidFields([{ pointer: '/version', code: 'out_of_range', detail }])
}

/** The error for a version that was acknowledged under another reference. */
export function acknowledgedOtherwise({ version, reference, acknowledgedAt }: Acknowledgement): DomainError {
  return new DomainError(
    'acknowledged_otherwise',
    `Version ${version} was acknowledged under the reference ${reference} at ${acknowledgedAt.toISOString()}.`,
  )
}

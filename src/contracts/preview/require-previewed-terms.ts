import type { Queryable } from '../../platform/db/database.ts'
import { DomainError, type FieldError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { changedParts, previewedPart } from './agreement.ts'
import type { PreparedAgreement } from './prepare-agreement.ts'
import { listPreviews } from './previewed-terms.store.ts'

/** The operator's settings for what must be shown before a tenant accepts. */
export interface PreviewPolicy {
  /** Whether a tenant who was shown nothing can accept: false for REQUIRE_PREVIEW=on. */
  acceptsUnseen: boolean
}

/**
 * Requires that the tenant agrees to what they were shown. With a documentHash, everything is compared; without one,
 * what the last payment schedule or preview showed of figures, dates and plan. Throws `terms_changed`, naming what
 * changed, and `terms_not_shown`.
 */
export async function requirePreviewedTerms(
  db: Queryable,
  cipher: FieldCipher,
  prepared: PreparedAgreement,
  given: { documentHash: string | undefined; policy: PreviewPolicy },
): Promise<void> {
  const { agreement, documentHash, lastPreview, customer } = prepared
  if (given.documentHash !== undefined) {
    if (given.documentHash === documentHash) return
    const shown = (await listPreviews(db, cipher, customer)).find((each) => each.documentHash === given.documentHash)
    if (shown === undefined) throw termsChanged([], 'No preview of this customer has this documentHash.')
    throw termsChanged(changedParts(shown.content, agreement))
  }
  if (lastPreview === undefined) {
    if (given.policy.acceptsUnseen) return
    throw termsNotShown()
  }
  const changed = changedParts(previewedPart(lastPreview.content), agreement)
  if (changed.length > 0) throw termsChanged(changed)
}

/** The error for a tenant who was shown nothing, where the operator requires it. */
export function termsNotShown(): DomainError {
  return new DomainError(
    'terms_not_shown',
    'The tenant was not shown what they would agree to. Show them a preview (GET /Customers/{id}/pci-preview-url-html), then accept with its documentHash.',
  )
}

function termsChanged(changed: readonly string[], problem?: string): DomainError {
  const what =
    problem ?? `Since the tenant was last shown what they would agree to, this has changed: ${changed.join(', ')}.`
  const detail = `${what} Show the tenant a new preview (GET /Customers/{id}/pci-preview-url-html) or payment schedule, then accept again.`
  const fields: FieldError[] = changed.map((part) => ({
    pointer: '/documentHash',
    code: 'terms_changed',
    detail: changed.length === 1 ? detail : `Changed: ${part}.`,
  }))
  return new DomainError('terms_changed', detail, { fields })
}

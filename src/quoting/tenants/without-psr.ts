import type { AuditEntry } from '../../platform/audit/audit-entry.ts'

/**
 * The entries without any that say that there are Priority Services Register details, because that is health data too.
 */
export function withoutPsr(entries: readonly AuditEntry[]): AuditEntry[] {
  return entries
    .filter(
      ({ action, subjectType, fields }) =>
        action !== 'psr.read' && subjectType !== 'psr entry' && (fields.length === 0 || !fields.every(isOfPsr)),
    )
    .map((entry) => ({ ...entry, fields: entry.fields.filter((field) => !isOfPsr(field)) }))
}

function isOfPsr(field: string): boolean {
  return field.startsWith('psr')
}

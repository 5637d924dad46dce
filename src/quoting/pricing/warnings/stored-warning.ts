import type { IsoDate } from '../../../platform/kernel/dates.ts'

/**
 * A choice that the price no longer follows, because it had become impossible. Stored with the quote until somebody
 * makes that choice again.
 */
export type StoredWarning =
  | { code: 'package_replaced'; packageId: string; replacementId: string }
  | { code: 'package_dropped'; packageId: string }
  | { code: 'install_date_dropped'; date: IsoDate }

/** A quote keeps only its latest warnings, so that its row cannot grow without limit. */
export const maxStoredWarnings = 50

/** Adds warnings to those that a quote has. */
export function addWarnings(present: readonly StoredWarning[], added: readonly StoredWarning[]): StoredWarning[] {
  return [...present, ...added].slice(-maxStoredWarnings)
}

/** The warnings that are left once the partner has chosen packages again. */
export function withoutPackageWarnings(warnings: readonly StoredWarning[]): StoredWarning[] {
  return warnings.filter(({ code }) => code === 'install_date_dropped')
}

/** The warnings that are left once the partner has chosen products or an install date again. */
export function withoutDateWarnings(warnings: readonly StoredWarning[]): StoredWarning[] {
  return warnings.filter(({ code }) => code !== 'install_date_dropped')
}

import { type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Package } from '../packages/package.ts'
import type { Service } from '../packages/services.ts'
import { type StoredWarning, withoutDateWarnings } from '../pricing/warnings/stored-warning.ts'
import type { Quote } from './quote.ts'

/**
 * Adds packages to a selection, in the given order, and skips those already selected. Throws `package_not_available`
 * naming every id that is not offered or whose type already has a selected package.
 */
export function selectPackages(
  offered: readonly Package[],
  alreadySelected: readonly string[],
  packageIds: readonly string[],
): string[] {
  const selection = [...alreadySelected]
  const fields: FieldError[] = []
  for (const [index, packageId] of packageIds.entries()) {
    const found = offered.find((candidate) => candidate.packageId === packageId)
    if (found === undefined) {
      fields.push(
        notAvailable(`/packageIds/${index}`, "Not available for this quote. Choose one of the quote's packages."),
      )
      continue
    }
    if (selection.includes(packageId)) continue
    const sameType = offered.find(
      (candidate) => candidate.type === found.type && selection.includes(candidate.packageId),
    )
    if (sameType === undefined) selection.push(packageId)
    else
      fields.push(
        notAvailable(
          `/packageIds/${index}`,
          `A package of the same type, ${sameType.packageId}, is already selected. Replace it with update-packages.`,
        ),
      )
  }
  throwIfAny(fields)
  return selection
}

/**
 * Selects packages for a POST /Quotes request that names services: the default package of each one. Throws
 * `package_not_available` for a type that this property cannot have.
 */
export function selectDefaults(offered: readonly Package[], types: readonly Service[]): string[] {
  const fields: FieldError[] = []
  const selection = new Set<string>()
  for (const [index, type] of types.entries()) {
    const packageId = defaultOfType(offered, type)?.packageId
    if (packageId === undefined)
      fields.push(notAvailable(`/packages/${index}`, `No ${type} package is available for this property.`))
    else selection.add(packageId)
  }
  throwIfAny(fields)
  return [...selection]
}

/**
 * Carries selected packages over to another rate card. Each is replaced by the package with the same id or, if there is
 * none, by the default package of its type. Drops a package if the new card does not offer its type. Returns a warning
 * for each package that was replaced or dropped.
 */
export function carryOverPackages(
  oldOffer: readonly Package[],
  newOffer: readonly Package[],
  selected: readonly string[],
): { packageIds: string[]; warnings: StoredWarning[] } {
  const packageIds: string[] = []
  const warnings: StoredWarning[] = []
  for (const packageId of selected) {
    const type = oldOffer.find((offered) => offered.packageId === packageId)?.type
    const isOffered = newOffer.some((offered) => offered.packageId === packageId)
    const replacementId = type === undefined || isOffered ? undefined : defaultOfType(newOffer, type)?.packageId
    if (isOffered) packageIds.push(packageId)
    else if (replacementId === undefined) warnings.push({ code: 'package_dropped', packageId })
    else {
      packageIds.push(replacementId)
      warnings.push({ code: 'package_replaced', packageId, replacementId })
    }
  }
  return { packageIds, warnings }
}

/**
 * Returns the quote with this selection. If the selection lacks the broadband package, also removes the broadband
 * products.
 */
export function withSelection(quote: Quote, offered: readonly Package[], selectedPackageIds: string[]): Quote {
  const keepsBroadband = offered.some(
    (each) => each.type === 'broadband' && selectedPackageIds.includes(each.packageId),
  )
  if (keepsBroadband) return { ...quote, selectedPackageIds }
  return {
    ...quote,
    broadbandProducts: [],
    broadbandInstallDates: [],
    broadbandStartDate: null,
    selectedInstallDate: null,
    priceWarnings: withoutDateWarnings(quote.priceWarnings),
    selectedPackageIds,
  }
}

function defaultOfType(offered: readonly Package[], type: Service): Package | undefined {
  return offered.find((candidate) => candidate.type === type && candidate.isDefault)
}

function notAvailable(pointer: string, detail: string): FieldError {
  return { pointer, code: 'package_not_available', detail }
}

function throwIfAny(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw invalidFields(fields, 'package_not_available')
}

import type { Property } from './property.ts'

const unitPattern = /^(?:flat|apartment|apt|unit|room|studio)\s+([0-9a-z]+)\b[,\s]*(.*)$/i
const numberPattern = /^(\d+)([a-z]?)(?![0-9a-z])[,\s]*(.*)$/i

/** Compares text so that `2` comes before `10`, ignoring case. */
const natural = new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' })

interface SortKey {
  hasNumber: boolean
  street: string
  number: number
  suffix: string
  unit: string
  whole: string
}

/**
 * Sorts properties in the order in which tenants look for them: by house number along each street, by flat number within a house,
 * and properties with only a name last. The result does not depend on the input order.
 */
export function orderProperties(properties: readonly Property[]): Property[] {
  return properties
    .map((property) => ({ property, key: sortKey(property) }))
    .sort((a, b) => compareKeys(a.key, b.key) || compareText(a.property.uprn, b.property.uprn))
    .map(({ property }) => property)
}

function sortKey({ addressLine1, addressLine2 }: Property): SortKey {
  const whole = addressLine2 === '' ? addressLine1 : `${addressLine1}, ${addressLine2}`
  const [, unit = '', house = ''] = unitPattern.exec(whole) ?? [whole, '', whole]
  const numbered = numberPattern.exec(house)
  return {
    hasNumber: numbered !== null,
    street: numbered?.[3] ?? house,
    number: Number(numbered?.[1] ?? 0),
    suffix: numbered?.[2] ?? '',
    unit,
    whole,
  }
}

function compareKeys(a: SortKey, b: SortKey): number {
  return (
    Number(b.hasNumber) - Number(a.hasNumber) ||
    natural.compare(a.street, b.street) ||
    a.number - b.number ||
    natural.compare(a.suffix, b.suffix) ||
    natural.compare(a.unit, b.unit) ||
    natural.compare(a.whole, b.whole)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

import type { Property } from './property.ts'

const unitWords = 'flat|apartment|apt|unit|room|studio'
/** A property within a building, before the building without a comma: `Flat 2 14 Mill Lane`, `0/1 12 Mill Lane`. */
const unitBeforeNumber = new RegExp(String.raw`^((?:(?:${unitWords})\s+\S+)|\d+/\d+|\d+[a-z]\d+)\s+(\d.*)$`, 'i')
/** A property within something that has a name or a street only: `Flat 2 Rose Court`. */
const unitBeforeName = new RegExp(String.raw`^((?:${unitWords})\s+\S*\d\S*|(?:${unitWords})\s+[a-z])\s+(.+)$`, 'i')
const unitWord = new RegExp(String.raw`^(?:${unitWords})\s+`, 'i')
/** `12`, `12a`, `12-14`, and in Scotland `25/1`: property 1 of building 25. Then the street. */
const buildingPattern = /^(\d+)([a-z]?)(?:\s?[-–]\s?(\d+)[a-z]?)?(?:\/([0-9a-z]+))?(?![0-9a-z/.])\s*(.*)$/i

/** Compares text so that `2` comes before `10`, ignoring case. */
const natural = new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' })

interface SortKey {
  hasNumber: boolean
  street: string
  number: number
  suffix: string
  /** The last number of a building such as `12-14`; 0 if it has only one. */
  lastNumber: number
  unit: string
  whole: string
}

/**
 * Sorts properties in the order in which tenants look for them: by building along each street, by property within a
 * building, and buildings with only a name last. The result does not depend on the input order.
 */
export function orderProperties(properties: readonly Property[]): Property[] {
  return properties
    .map((property) => ({ property, key: sortKey(property) }))
    .sort((a, b) => compareKeys(a.key, b.key) || compareText(a.property.uprn, b.property.uprn))
    .map(({ property }) => property)
}

function sortKey({ addressLine1, addressLine2 }: Property): SortKey {
  const whole = addressLine2 === '' ? addressLine1 : `${addressLine1}, ${addressLine2}`
  const parts = splitParts(whole)
  const at = buildingPart(parts)
  const [, number, suffix = '', lastNumber, property, rest = ''] = buildingPattern.exec(parts[at] ?? '') ?? []
  if (number === undefined) {
    const hasUnit = parts.length > 1 && unitWord.test(parts[0] ?? '')
    const unit = hasUnit ? (parts[0] ?? '') : ''
    const street = (hasUnit ? parts.slice(1) : parts).join(', ')
    return { hasNumber: false, street, number: 0, suffix: '', lastNumber: 0, unit: unit.replace(unitWord, ''), whole }
  }
  const before = parts.slice(0, at).join(', ').replace(unitWord, '')
  return {
    hasNumber: true,
    street: [rest, ...parts.slice(at + 1)].filter((part) => part !== '').join(', '),
    number: Number(number),
    suffix,
    lastNumber: Number(lastNumber ?? 0),
    unit: property ?? before,
    whole,
  }
}

/** The address between its commas. A property that comes before its building without a comma is a part of its own. */
function splitParts(whole: string): string[] {
  const [first = '', ...others] = whole.split(',').map((part) => part.trim())
  const [, unit, building] = unitBeforeNumber.exec(first) ?? unitBeforeName.exec(first) ?? []
  const parts = unit === undefined || building === undefined ? [first] : [unit, building]
  return [...parts, ...others].filter((part) => part !== '')
}

/** Where the number of the building is. In `0/1, 12 Mill Lane`, the first number is that of the property. */
function buildingPart(parts: readonly string[]): number {
  const first = parts.findIndex((part) => buildingPattern.test(part))
  const isBare = buildingPattern.exec(parts[first] ?? '')?.[5] === ''
  return isBare && buildingPattern.test(parts[first + 1] ?? '') ? first + 1 : first
}

function compareKeys(a: SortKey, b: SortKey): number {
  return (
    Number(b.hasNumber) - Number(a.hasNumber) ||
    natural.compare(a.street, b.street) ||
    a.number - b.number ||
    natural.compare(a.suffix, b.suffix) ||
    a.lastNumber - b.lastNumber ||
    natural.compare(a.unit, b.unit) ||
    natural.compare(a.whole, b.whole)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

import type { DeliveryPoint } from './wire.ts'

/** Matches a building name that is really a number: `12`, `12A`, `12-14`, `1/2`. */
const numberLike = /^\d+[A-Z]?(?:[-/]\d+[A-Z]?)?$/i

/**
 * The lines of a Delivery Point Address by Royal Mail's rules, without town and postcode: the organisation and premises
 * first, then the street with its number, then the localities. A number is on the same line as the name that follows
 * it.
 */
export function addressLines(address: DeliveryPoint): string[] {
  const { ORGANISATION_NAME, DEPARTMENT_NAME, SUB_BUILDING_NAME, BUILDING_NAME, BUILDING_NUMBER } = address
  const places = present([
    address.DEPENDENT_THOROUGHFARE_NAME,
    address.THOROUGHFARE_NAME,
    address.DOUBLE_DEPENDENT_LOCALITY,
    address.DEPENDENT_LOCALITY,
  ])
  const premises = present([ORGANISATION_NAME, DEPARTMENT_NAME])
  const names = present([SUB_BUILDING_NAME, BUILDING_NAME])
  const last = names.at(-1)
  const number =
    present([BUILDING_NUMBER])[0] ?? (last !== undefined && numberLike.test(last) ? names.pop() : undefined)
  premises.push(...names)
  if (number !== undefined) premises.push([number, ...places.splice(0, 1)].join(' '))
  else if (premises.length === 0) premises.push(...places.splice(0, 1))
  return [premises.join(', '), ...places]
}

function present(names: readonly (string | undefined)[]): string[] {
  return names.flatMap((name) => (name === undefined || name.trim() === '' ? [] : [name.trim()]))
}

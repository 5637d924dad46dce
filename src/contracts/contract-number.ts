import { randomInt } from 'node:crypto'

/** The operation of Damm's algorithm: a quasigroup in which 0 is on the diagonal (H. M. Damm, 2004). */
const damm = [
  [0, 3, 1, 7, 5, 9, 8, 6, 4, 2],
  [7, 0, 9, 2, 1, 5, 4, 8, 6, 3],
  [4, 2, 0, 6, 8, 7, 1, 3, 5, 9],
  [1, 7, 5, 0, 9, 8, 3, 4, 2, 6],
  [6, 1, 2, 3, 0, 4, 5, 9, 7, 8],
  [3, 6, 7, 4, 2, 0, 9, 5, 8, 1],
  [5, 8, 6, 9, 7, 2, 0, 1, 3, 4],
  [8, 9, 4, 5, 3, 6, 2, 0, 1, 7],
  [9, 4, 3, 8, 6, 1, 7, 2, 0, 5],
  [2, 5, 8, 1, 4, 3, 6, 7, 9, 0],
] as const

/**
 * A new contract number that can be read over the telephone, such as `4821-7730-9150`. Eleven digits are random, so
 * that numbers reveal neither their order nor how many there are. The twelfth detects any single wrong digit and any
 * two neighbours swapped.
 */
export function newContractNumber(digits = String(randomInt(10 ** 11)).padStart(11, '0')): string {
  const number = `${digits}${checkDigit(digits)}`
  return number.replace(/(\d{4})(?=\d)/g, '$1-')
}

/** Damm's check digit. */
function checkDigit(digits: string): number {
  let interim = 0
  for (const digit of digits) interim = damm[interim]?.[Number(digit)] ?? 0
  return interim
}

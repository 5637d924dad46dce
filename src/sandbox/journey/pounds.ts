import { formatPounds, pence } from '../../platform/kernel/money.ts'

/** Formats whole pence: 12345 becomes `£123.45`. */
export function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

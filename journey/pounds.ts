import { formatPounds, pence } from '../src/kernel/money.ts'

/** Whole pence as people write money: `12345` is `£123.45`. */
export function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

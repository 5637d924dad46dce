import type { Static } from 'typebox'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import {
  type Cost,
  type CustomerCostResponse,
  costFigures,
  type QuoteCostResponse,
  type ScheduleResponse,
} from './replies.ts'

/** Formats whole pence: 12345 becomes `£123.45`. */
export function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

/**
 * Checks on a deployment's figures. Each returns a sentence for every mismatch; an empty list means that all figures
 * agree.
 */

const figures = Object.keys(costFigures) as (keyof Cost)[]
const maxSpread = 1

/**
 * Checks that every figure of the quote is the sum of the tenants' shares and also of the products' lines, and that no
 * two shares differ by more than a penny.
 */
export function findQuoteCostMismatches(cost: Static<typeof QuoteCostResponse>, tenants: number): string[] {
  const { costBreakdown, lines } = cost
  const count =
    costBreakdown.length === tenants ? [] : [`costBreakdown has ${costBreakdown.length} shares for ${tenants} tenants`]
  const sums = figures.flatMap((figure) => [
    ...different(`${figure}: the shares sum to`, sumOf(costBreakdown, figure), 'the quote says', cost[figure]),
    ...different(`${figure}: the lines sum to`, sumOf(lines, figure), 'the quote says', cost[figure]),
  ])
  const spreads = figures.flatMap((figure) => {
    const shares = costBreakdown.map((share) => share[figure])
    const spread = Math.max(...shares) - Math.min(...shares)
    return spread <= maxSpread ? [] : [`${figure}: two shares differ by ${pounds(spread)}`]
  })
  return [...count, ...sums, ...spreads]
}

/** Checks that a customer's cost equals their element of the quote's breakdown and the sum of their packages. */
export function findCustomerCostMismatches(own: Static<typeof CustomerCostResponse>, element: Cost): string[] {
  return figures.flatMap((figure) => [
    ...different(`${figure}: the customer pays`, own[figure], "the quote's breakdown", element[figure]),
    ...different(`${figure}: the packages sum to`, sumOf(own.packages, figure), 'the customer pays', own[figure]),
  ])
}

/**
 * Checks that the payments are in date order, that none is negative, and that their sum is exactly what the customer
 * owes.
 */
export function findScheduleMismatches({ paymentSchedule }: Static<typeof ScheduleResponse>, own: Cost): string[] {
  const { payments, monthlyAmount, setupAmount, nextPaymentDate } = paymentSchedule
  const sum = payments.reduce((total, { amount }) => total + amount, 0)
  const dates = payments.map(({ date }) => date)
  return [
    ...different('the payments sum to', sum, 'totalCost is', own.totalCost),
    ...different('monthlyAmount is', monthlyAmount, 'monthlyCost', own.monthlyCost),
    ...different('setupAmount is', setupAmount, 'setupCost', own.setupCost),
    ...(payments.some(({ amount }) => amount < 0) ? ['a payment is negative'] : []),
    ...(dates.every((date, index) => index === 0 || date > (dates[index - 1] ?? ''))
      ? []
      : ['the payments are not in date order']),
    ...(nextPaymentDate === dates[0]
      ? []
      : [`nextPaymentDate is ${nextPaymentDate}, but the first payment is on ${dates[0]}`]),
  ]
}

function sumOf(costs: readonly Cost[], figure: keyof Cost): number {
  return costs.reduce((sum, cost) => sum + cost[figure], 0)
}

function different(left: string, a: number, right: string, b: number): string[] {
  return a === b ? [] : [`${left} ${pounds(a)}, ${right} ${pounds(b)}`]
}

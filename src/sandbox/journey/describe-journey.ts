import { CommandError } from '../../platform/kernel/command-error.ts'
import type { CardNeeded } from './onboard-tenant.ts'
import type { JourneyResult } from './run-journey.ts'
import type { ErrorDocument, Step, StepFailed } from './step-runner.ts'
import { pounds } from './step-runner.ts'

const nameWidth = 26
const indent = ' '.repeat(4)

/** Describes one step: the call, its response and, once they are known, the costs. */
export function describeStep(step: Step): string {
  const { answer, money } = step
  return [callLine(step), `${indent}${answer}`, ...(money === null ? [] : [`${indent}Total: ${money}`])].join('\n')
}

function callLine({ number, name, method, path, status, durationMs }: Step): string {
  const time = `${durationMs} ms`.padStart(8)
  const called = `${method.padEnd(4)} ${path}`
  return `${String(number).padStart(2)}  ${name.padEnd(nameWidth)} ${String(status ?? '---')} ${time}  ${called}`
}

/** Describes the end of a successful journey: the costs, and where the contracts are. */
export function describeResult(result: JourneyResult): string {
  const { cardNeeded, quoteId, monthlyCost, totalCost, contracts } = result
  if (cardNeeded !== null) {
    return [
      '',
      ...describeCardNeeded(cardNeeded),
      `Otherwise cancel the quote: POST /partner-api/Quotes/${quoteId}/cancel`,
    ].join('\n')
  }
  const shares = contracts.map((contract) => pounds(contract.totalCost)).join(' + ')
  const sum = contracts.length === 1 ? pounds(totalCost) : `${shares} = ${pounds(totalCost)}`
  const people = contracts.length === 1 ? '1 tenant has' : `${contracts.length} tenants have`
  return [
    '',
    `${people} signed up for ${pounds(monthlyCost)} a month.`,
    `Shares: ${sum}`,
    'Contracts:',
    ...contracts.flatMap(({ html, pdf }) => [`  ${html}`, `  ${pdf}`]),
  ].join('\n')
}

/** Says why the journey ends where a card is needed, and how to continue. */
function describeCardNeeded({ because, customerId, setupIntentId }: CardNeeded): string[] {
  if (because === 'not_a_sandbox') {
    return [
      'This deployment is not a sandbox. Only the tenant can enter a card, so the journey ends here.',
      'Every step so far succeeded. To continue, the tenant enters a card with the setup intent and then accepts the terms.',
    ]
  }
  return [
    'This sandbox uses a real payment processor. Housebill cannot enter a card there, so the journey ends here.',
    "Every step so far succeeded. To continue, confirm the setup intent with one of the processor's test cards. For Stripe:",
    `${indent}stripe setup_intents confirm ${setupIntentId} --payment-method=pm_card_visa`,
    `Then accept the terms: POST /partner-api/Customers/${customerId}/accept-terms`,
  ]
}

/** The error of a journey that failed: which step failed and why, the error document, and what to do. */
export function journeyError({ step, failure }: StepFailed, result: object): CommandError {
  const { reason, problem, remedy } = failure
  const { number, name, method, path, status } = step
  const details = {
    step: { number, name, method, path, status },
    ...(problem === undefined ? {} : { problem }),
    remedy,
  }
  const text = [
    '',
    callLine(step),
    `Step ${number}, ${name}, failed: ${reason}`,
    ...describeProblem(problem),
    `What to do: ${remedy}`,
  ].join('\n')
  return new CommandError('step_failed', `Step ${number}, ${name}, failed: ${reason}`, { text, details, result })
}

/** Lists the members of an error document by name, with one line for each invalid field. */
function describeProblem({ errors = [], ...members }: ErrorDocument = {}): string[] {
  return [
    ...Object.entries(members).map(([name, value]) => `${indent}${name.padEnd(18)}${value}`),
    ...errors.map(({ pointer, code, detail }) => `${indent}${'errors'.padEnd(18)}${pointer}  ${code}  ${detail}`),
  ]
}

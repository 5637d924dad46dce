import assert from 'node:assert/strict'
import { quoteStatus } from '../../src/quoting/quotes/quote.ts'
import { succeeded } from '../support/responses.ts'
import { brokenInvariants } from './invariants.ts'
import { readStoredState } from './stored-state.ts'
import type { SuccessfulCall, World } from './world.ts'

/**
 * Checks the outcome once the clients have finished: in the database, over the API and against the responses to the
 * clients.
 */
export async function checkOutcome(connectionString: string, world: World): Promise<void> {
  const { quoteId, partner } = world
  const all = await readStoredState(connectionString)
  const state = {
    quotes: all.quotes.filter((quote) => quote.quoteId === quoteId),
    customers: all.customers.filter((customer) => customer.quoteId === quoteId),
    events: all.events.filter((event) => event.quoteId === quoteId),
    violations: all.violations.filter((violation) => violation.includes(quoteId)),
  }
  assert.deepEqual(brokenInvariants(state), [])

  const quote = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const [stored] = state.quotes
  assert.ok(stored)
  assert.equal(quote.status, quoteStatus(stored))
  assert.deepEqual(
    emailsOf(quote.tenants),
    expectedTenants(world),
    'the tenants are exactly those added and not removed',
  )
  const packages = quote.selectedPackages.map(({ packageId }) => packageId)
  assertLastSelection(world.successes, packages)
  if (quote.status === 'cancelled' || quote.tenants.length === 0 || packages.length === 0) return
  await assertSharesSum(world)
}

function emailsOf(tenants: { email: string }[]): string[] {
  return tenants.map(({ email }) => email).sort()
}

/** The tenants that remain after every acknowledged addition and removal. */
function expectedTenants({ everybody, successes }: World): string[] {
  const removals = successes.filter(({ call }) => call.operation === 'remove-tenants')
  const removed = new Set(removals.flatMap(({ request }) => (request.body as { tenantIds: string[] }).tenantIds))
  return [...everybody]
    .filter(([id]) => !removed.has(id))
    .map(([, email]) => email)
    .sort()
}

/**
 * Asserts that the selected packages are those of the last update. If the last updates overlapped, any one of them may
 * have won.
 */
function assertLastSelection(successes: readonly SuccessfulCall[], packages: readonly string[]): void {
  const updates = successes.filter(({ call }) => call.operation === 'update-packages')
  if (updates.length === 0) return
  const energyOf = (ids: readonly string[]) =>
    ids
      .filter((id) => /^(electricity|gas)-/.test(id))
      .sort()
      .join()
  const last = updates.filter(({ ended }) => !updates.some((other) => other.begun > ended))
  const possible = last.map(({ request }) => energyOf((request.body as { packageIds: string[] }).packageIds))
  assert.ok(
    possible.includes(energyOf(packages)),
    `${packages} are selected; the last updates selected ${possible.join(' or ')}`,
  )
}

/** Asserts through the API that the tenants' shares sum to the household's figures. */
async function assertSharesSum({ partner, quoteId }: World): Promise<void> {
  const whole = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  for (const figure of ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'totalVat', 'setupCost'] as const) {
    const told = whole.costBreakdown.map((each) => each[figure])
    assert.equal(
      told.reduce((sum, each) => sum + each, 0),
      whole[figure],
      figure,
    )
  }
  for (const { tenantId, totalCost } of whole.costBreakdown) {
    const own = succeeded(await partner.get(`/Customers/${tenantId}/total-cost`))
    assert.equal(own.totalCost, totalCost)
  }
}

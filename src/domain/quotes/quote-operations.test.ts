import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DomainError } from '../../kernel/errors.ts'
import { type QuoteStatus, quoteStatus, quoteStatuses, type StepLabel } from './quote.ts'
import {
  afterOperation,
  type QuoteOperation,
  type QuoteStanding,
  quoteOperations,
  requireOperation,
} from './quote-operations.ts'

const now = new Date('2026-12-01T09:00:00Z')
const operations = Object.keys(quoteOperations) as QuoteOperation[]

/** A quote that lacks nothing, unless told. */
function quote(changes: Partial<QuoteStanding> = {}): QuoteStanding {
  return {
    stage: 'open',
    stepLabel: 'BroadbandAdded',
    expiresAt: new Date('2026-12-15T09:00:00Z'),
    selectedPackageIds: ['gas-standard', 'broadband-standard'],
    broadbandProducts: [{ productId: 'fibre-67' }],
    tenants: [{ status: 'active' }, { status: 'active' }],
    ...changes,
  }
}

function outcome(standing: QuoteStanding, operation: QuoteOperation): string {
  try {
    requireOperation(standing, operation, now)
    return 'yes'
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.ok(error.message.length > 20, 'the detail names the remedy')
    return error.code
  }
}

describe('an operation is possible, or refused with the documented code', () => {
  const standings = {
    open: quote(),
    expired: quote({ expiresAt: now }),
    active: quote({ stage: 'active', expiresAt: now }),
    completed: quote({ stage: 'completed', tenants: [{ status: 'OnboardingComplete' }] }),
    cancelled: quote({ stage: 'cancelled' }),
  }
  // biome-ignore format: it is read as a table
  const expected: Record<QuoteOperation, [open: string, expired: string, active: string, completed: string, cancelled: string]> = {
    get:                      ['yes', 'yes', 'yes', 'yes', 'yes'],
    'add-packages':           ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'update-packages':        ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'add-tenants':            ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'remove-tenants':         ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'add-broadband-products': ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'get-bb-install-dates':   ['yes', 'yes', 'yes', 'yes', 'yes'],
    'total-cost':             ['yes', 'yes', 'yes', 'yes', 'yes'],
    'set-dates':              ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    finalise:                 ['yes', 'yes', 'yes', 'yes', 'quote_cancelled'],
    'payment-schedules':      ['yes', 'quote_expired', 'yes', 'yes', 'quote_cancelled'],
    'create-setup-intent':    ['yes', 'quote_expired', 'yes', 'yes', 'quote_cancelled'],
    'accept-terms':           ['payment_setup_incomplete', 'payment_setup_incomplete', 'yes', 'yes', 'quote_cancelled'],
    complete:                 ['quote_locked', 'quote_locked', 'yes', 'quote_locked', 'quote_cancelled'],
    cancel:                   ['yes', 'yes', 'yes', 'already_onboarded', 'quote_cancelled'],
    reopen:                   ['validation_failed', 'validation_failed', 'yes', 'already_onboarded', 'quote_cancelled'],
  }
  for (const operation of operations) {
    test(operation, () => {
      const found = Object.values(standings).map((standing) => outcome(standing, operation))
      assert.deepEqual(found, expected[operation])
    })
  }
})

describe('what a quote lacks is asked for by those that need it, and by nobody else', () => {
  const refusing = (standing: QuoteStanding, code: string) =>
    operations.filter((operation) => outcome(standing, operation) === code)

  test('packages', () => {
    const standing = quote({ stage: 'active', selectedPackageIds: [], broadbandProducts: [] })
    assert.deepEqual(refusing(standing, 'packages_required'), [
      'total-cost',
      'payment-schedules',
      'create-setup-intent',
      'accept-terms',
    ])
  })

  test('tenants', () => {
    assert.deepEqual(refusing(quote({ tenants: [] }), 'tenants_required'), ['total-cost'])
  })

  test('broadband products', () => {
    const standing = quote({ broadbandProducts: [] })
    assert.deepEqual(refusing(standing, 'broadband_products_required'), ['get-bb-install-dates'])
  })

  test('that nobody has accepted the terms', () => {
    const standing = quote({ stage: 'active', tenants: [{ status: 'OnboardingComplete' }, { status: 'active' }] })
    assert.deepEqual(refusing(standing, 'already_onboarded'), ['cancel', 'reopen'])
  })

  test('expiry is asked for before packages, packages before tenants', () => {
    const bare = { selectedPackageIds: [], tenants: [], broadbandProducts: [] }
    assert.equal(outcome(quote({ ...bare, expiresAt: now }), 'payment-schedules'), 'quote_expired')
    assert.equal(outcome(quote(bare), 'total-cost'), 'packages_required')
  })
})

describe('the status after an operation', () => {
  const after = (standing: QuoteStanding, operation: QuoteOperation) => quoteStatus(afterOperation(standing, operation))

  test('is the label of the step while the quote is open, from whichever label', () => {
    const steps: Partial<Record<QuoteOperation, QuoteStatus>> = {
      'add-packages': 'PackagesSelected',
      'update-packages': 'PackagesUpdated',
      'add-tenants': 'TenantsAdded',
      'add-broadband-products': 'BroadbandAdded',
      'create-setup-intent': 'active',
      cancel: 'cancelled',
    }
    const stepLabels: StepLabel[] = ['draft', 'PackagesSelected', 'TenantsAdded', 'PackagesUpdated', 'BroadbandAdded']
    for (const stepLabel of stepLabels) {
      for (const operation of operations) {
        if (quoteOperations[operation].stages.some((stage) => stage === 'open'))
          assert.equal(after(quote({ stepLabel }), operation), steps[operation] ?? stepLabel, operation)
      }
    }
  })

  test('is the stage afterwards, which only complete, cancel and reopen change', () => {
    const stages: Partial<Record<QuoteOperation, QuoteStatus>> = {
      complete: 'completed',
      cancel: 'cancelled',
      reopen: 'BroadbandAdded',
    }
    for (const operation of operations) {
      if (quoteOperations[operation].stages.some((stage) => stage === 'active'))
        assert.equal(after(quote({ stage: 'active' }), operation), stages[operation] ?? 'active', operation)
      if (quoteOperations[operation].stages.some((stage) => stage === 'completed'))
        assert.equal(after(quote({ stage: 'completed' }), operation), 'completed', operation)
    }
  })

  test('is no longer TenantsAdded when the last tenant has gone', () => {
    const left = (changes: Partial<QuoteStanding>) => after(quote({ tenants: [], ...changes }), 'remove-tenants')
    assert.equal(left({ stepLabel: 'TenantsAdded' }), 'PackagesSelected')
    assert.equal(left({ stepLabel: 'TenantsAdded', selectedPackageIds: [] }), 'draft')
    assert.equal(left({ stepLabel: 'PackagesUpdated' }), 'PackagesUpdated')
    assert.equal(after(quote({ stepLabel: 'TenantsAdded' }), 'remove-tenants'), 'TenantsAdded')
  })
})

test('every status can be reached, and every operation is possible from somewhere', () => {
  const reached = new Set<QuoteStatus>(['draft'])
  const possible = new Set<QuoteOperation>()
  const seen = new Map<string, QuoteStanding>()
  const waiting = [quote({ stepLabel: 'draft' })]
  for (let standing = waiting.pop(); standing !== undefined; standing = waiting.pop()) {
    const key = `${standing.stage} ${standing.stepLabel}`
    if (seen.has(key)) continue
    seen.set(key, standing)
    for (const operation of operations) {
      if (outcome(standing, operation) !== 'yes') continue
      possible.add(operation)
      const next = { ...standing, ...afterOperation(standing, operation) }
      reached.add(quoteStatus(next))
      waiting.push(next)
    }
  }
  assert.deepEqual([...reached].sort(), [...quoteStatuses].sort())
  assert.deepEqual([...possible].sort(), [...operations].sort())
})

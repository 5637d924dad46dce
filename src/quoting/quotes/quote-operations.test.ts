import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type QuoteStatus, quoteStatus, type StepLabel } from './quote.ts'
import {
  type QuoteOperation,
  type QuoteState,
  quoteOperations,
  requireOperation,
  statusAfterOperation,
} from './quote-operations.ts'

const now = new Date('2026-12-01T09:00:00Z')
const later = new Date('2026-12-15T09:00:00Z')
const operations = Object.keys(quoteOperations) as QuoteOperation[]

/** A quote that meets every requirement, with the given changes applied. */
function quote(changes: Partial<QuoteState> = {}): QuoteState {
  return {
    stage: 'open',
    stepLabel: 'BroadbandAdded',
    expiresAt: later,
    selectedPackageIds: ['gas-standard', 'broadband-standard'],
    broadbandProducts: [{ productId: 'fibre-67' }],
    tenants: [{ status: 'active' }, { status: 'active' }],
    ...changes,
  }
}

function outcome(state: QuoteState, operation: QuoteOperation): string {
  try {
    requireOperation(state, operation, now)
    return 'yes'
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.ok(error.message.length > 20, 'the error message must explain how to fix the problem')
    return error.code
  }
}

describe('in each state of a quote, every operation is either allowed or rejected with the documented code', () => {
  const states = {
    open: quote(),
    expired: quote({ expiresAt: now }),
    active: quote({ stage: 'active', expiresAt: now }),
    completed: quote({ stage: 'completed', tenants: [{ status: 'OnboardingComplete' }] }),
    cancelled: quote({ stage: 'cancelled' }),
  }
  // biome-ignore format: aligned as a table
  const expected: Record<QuoteOperation, [open: string, expired: string, active: string, completed: string, cancelled: string]> = {
    get:                      ['yes', 'yes', 'yes', 'yes', 'yes'],
    'add-packages':           ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'update-packages':        ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'add-tenants':            ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'remove-tenants':         ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'add-broadband-products': ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'select-install-date':    ['yes', 'quote_expired', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'get-bb-install-dates':   ['yes', 'yes', 'yes', 'yes', 'yes'],
    'total-cost':             ['yes', 'yes', 'yes', 'yes', 'yes'],
    estimate:                 ['yes', 'yes', 'yes', 'yes', 'quote_cancelled'],
    'set-dates':              ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    'set-tenancy':            ['yes', 'yes', 'yes', 'yes', 'quote_cancelled'],
    'set-meter':              ['yes', 'yes', 'yes', 'quote_locked', 'quote_cancelled'],
    'set-household-complete': ['yes', 'yes', 'quote_locked', 'quote_locked', 'quote_cancelled'],
    finalise:                 ['yes', 'yes', 'yes', 'yes', 'quote_cancelled'],
    preview:                  ['yes', 'quote_expired', 'yes', 'quote_locked', 'quote_cancelled'],
    'payment-schedules':      ['yes', 'quote_expired', 'yes', 'yes', 'quote_cancelled'],
    'create-setup-intent':    ['yes', 'quote_expired', 'yes', 'yes', 'quote_cancelled'],
    'accept-terms':           ['yes', 'quote_expired', 'yes', 'yes', 'quote_cancelled'],
    complete:                 ['quote_locked', 'quote_locked', 'yes', 'quote_locked', 'quote_cancelled'],
    cancel:                   ['yes', 'yes', 'yes', 'already_onboarded', 'quote_cancelled'],
    reopen:                   ['validation_failed', 'validation_failed', 'yes', 'already_onboarded', 'quote_cancelled'],
    'move-start':             ['yes', 'yes', 'yes', 'yes', 'quote_cancelled'],
  }
  for (const operation of operations) {
    test(operation, () => {
      const found = Object.values(states).map((state) => outcome(state, operation))
      assert.deepEqual(found, expected[operation])
    })
  }
})

describe('an unmet requirement blocks only the operations that have this requirement', () => {
  const blockedOperations = (state: QuoteState, code: string) =>
    operations.filter((operation) => outcome(state, operation) === code)

  test('a quote without packages blocks the operations that need packages', () => {
    const state = quote({ stage: 'active', selectedPackageIds: [], broadbandProducts: [] })
    assert.deepEqual(blockedOperations(state, 'packages_required'), [
      'total-cost',
      'estimate',
      'preview',
      'payment-schedules',
      'create-setup-intent',
      'accept-terms',
      'move-start',
    ])
  })

  test('a quote without tenants blocks the operation that needs tenants', () => {
    assert.deepEqual(blockedOperations(quote({ tenants: [] }), 'tenants_required'), ['total-cost'])
  })

  test('a quote without broadband products blocks the operation that needs them', () => {
    const state = quote({ broadbandProducts: [] })
    assert.deepEqual(blockedOperations(state, 'broadband_products_required'), [
      'select-install-date',
      'get-bb-install-dates',
    ])
  })

  test('expiry is checked before packages, and packages before tenants', () => {
    const bare = { selectedPackageIds: [], tenants: [], broadbandProducts: [] }
    assert.equal(outcome(quote({ ...bare, expiresAt: now }), 'payment-schedules'), 'quote_expired')
    assert.equal(outcome(quote(bare), 'total-cost'), 'packages_required')
  })
})

describe('the status of a quote after an operation', () => {
  const after = (state: QuoteState, operation: QuoteOperation) => quoteStatus(statusAfterOperation(state, operation))

  test('the status of an open quote is the label of the latest operation that has a label', () => {
    const steps: Partial<Record<QuoteOperation, QuoteStatus>> = {
      'add-packages': 'PackagesSelected',
      'update-packages': 'PackagesUpdated',
      'add-tenants': 'TenantsAdded',
      'add-broadband-products': 'BroadbandAdded',
      'create-setup-intent': 'active',
      'accept-terms': 'active',
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

  test('once a quote is no longer open, its status is its stage, and only complete, cancel, reopen and move-start do', () => {
    const stages: Partial<Record<QuoteOperation, QuoteStatus>> = {
      complete: 'completed',
      cancel: 'cancelled',
      reopen: 'BroadbandAdded',
      'move-start': 'BroadbandAdded',
    }
    for (const operation of operations) {
      if (quoteOperations[operation].stages.some((stage) => stage === 'active'))
        assert.equal(after(quote({ stage: 'active' }), operation), stages[operation] ?? 'active', operation)
      if (quoteOperations[operation].stages.some((stage) => stage === 'completed'))
        assert.equal(
          after(quote({ stage: 'completed' }), operation),
          operation === 'move-start' ? 'BroadbandAdded' : 'completed',
          operation,
        )
    }
  })

  test('the status is no longer TenantsAdded after the last tenant is removed', () => {
    const left = (changes: Partial<QuoteState>) => after(quote({ tenants: [], ...changes }), 'remove-tenants')
    assert.equal(left({ stepLabel: 'TenantsAdded' }), 'PackagesSelected')
    assert.equal(left({ stepLabel: 'TenantsAdded', selectedPackageIds: [] }), 'draft')
    assert.equal(left({ stepLabel: 'PackagesUpdated' }), 'PackagesUpdated')
    assert.equal(after(quote({ stepLabel: 'TenantsAdded' }), 'remove-tenants'), 'TenantsAdded')
  })
})

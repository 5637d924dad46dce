import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { testCards } from '../../src/payments/test-cards.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

async function confirmed(paymentMethod: string, own: Partner = partner) {
  const { lead } = await startHousehold(own, { tenants: 1 })
  succeeded(await finalise(own, lead))
  const { setupIntentId } = succeeded(await own.post(`/Customers/${lead}/create-setup-intent`))
  succeeded(await own.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod }))
  return { lead, setupIntentId }
}
const authenticate = (setupIntentId: string, outcome: unknown) =>
  partner.post(`/Sandbox/setup-intents/${setupIntentId}/authenticate`, { outcome })

test('the card is attached if authentication passes; if it fails, the intent needs a card again, which may be the same one', async () => {
  const { lead, setupIntentId } = await confirmed('pm_card_authenticationRequired')
  const failed = succeeded(await authenticate(setupIntentId, 'failed'))
  assert.deepEqual(failed, { setupIntentId, status: 'requires_payment_method' })
  assert.equal(await rejectionOf(lead), 'setup_intent_authentication_failure')
  const again = { paymentMethod: 'pm_card_authenticationRequired' }
  succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, again))
  assert.equal(succeeded(await authenticate(setupIntentId, 'passed')).status, 'succeeded')
  await waitForProcessorWebhooks(service)
  // All of this happens within one second, which is the precision of the processor's timestamps, so the notices change
  // nothing.
  assert.deepEqual(await readPaymentStatusHistory(service, lead), [
    'setup_started',
    'setup_failed',
    'setup_started',
    'ready',
  ])
})

test('if the process is killed after the bank has responded, retrying the call with its key returns the same response', async () => {
  const { lead, setupIntentId } = await confirmed('pm_card_authenticationRequired')
  const send = () =>
    partner.post(
      `/Sandbox/setup-intents/${setupIntentId}/authenticate`,
      { outcome: 'passed' },
      { headers: { 'Idempotency-Key': `passed-${setupIntentId}` } },
    )
  const first = succeeded(await send())
  // As if the process had been killed before its transaction: the processor has made the change, but nothing is stored
  // here.
  await rawRows(service, `delete from idempotency_keys where key = $1`, [`passed-${setupIntentId}`])
  assert.deepEqual(succeeded(await send()), first)
  rejected(await authenticate(setupIntentId, 'passed'), 422, 'validation_failed')
  await waitForProcessorWebhooks(service)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready'])
})

test('authenticating an intent that is not waiting for the bank returns 422 with a remedy and changes nothing', async () => {
  for (const [card, status] of [
    ['pm_card_visa', 'ready'],
    ['pm_card_chargeDeclined', 'setup_failed'],
  ] as const) {
    const { lead, setupIntentId } = await confirmed(card)
    rejected(await authenticate(setupIntentId, 'passed'), 422, 'validation_failed')
    assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentStatus, status)
  }
})

/*
 * Tests every row of the test card table in docs/sandbox.md through the API, by each name and by number. The table is
 * read from that file, so these tests fail if a row is wrong.
 */

interface Row {
  number: string
  names: string[]
  /** The expected status after confirming. */
  status: string
  paymentStatus: string
  /** The result of a collection, `paid` or `failed`, for a card that can be attached. */
  collection: string | undefined
}

const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| (\d[\d ]{11,}) \| (.+?) \| .+? \| `(\w+)` \| `(\w+)` \|([^|\n]*)\|$/gm)].map(
  ([, number = '', names = '', status = '', paymentStatus = '', collection = '']): Row => ({
    number,
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    status,
    paymentStatus,
    collection: /`(\w+)`/.exec(collection)?.[1],
  }),
)
const post = async <Path extends string>(path: Path, body?: unknown) => succeeded(await partner.post(path, body))
const paymentStatus = async (customerId: string) =>
  succeeded(await partner.get(`/Customers/${customerId}`)).paymentStatus

/** Creates a customer with an open setup intent. */
async function start() {
  const { lead } = await startHousehold(partner, { tenants: 1, packages: ['gas'] })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = await post(`/Customers/${lead}/create-setup-intent`)
  return { lead, intent: `/Sandbox/setup-intents/${setupIntentId}` as const }
}

/** The processor's reason for declining the last attempt. */
async function rejectionOf(lead: string): Promise<string | null> {
  const [row] = await rawRows(
    service,
    `select coalesce(object #>> '{last_setup_error,decline_code}', object #>> '{last_setup_error,code}') as reason
       from simulated_processor.setup_intents where object #>> '{metadata,housebill_customer_id}' = $1`,
    [lead],
  )
  return row?.reason === null ? null : String(row?.reason)
}

const reasons: Record<string, string> = {
  '0002': 'generic_decline',
  '9995': 'insufficient_funds',
  '9987': 'lost_card',
  '9979': 'stolen_card',
  '0069': 'expired_card',
  '0127': 'incorrect_cvc',
  '0119': 'processing_error',
  '1280': 'generic_decline',
  '6975': 'card_velocity_exceeded',
  '1629': 'generic_decline',
}

test('the table of test cards names every card that the simulator knows and no others', () => {
  const known = testCards.map(({ number, names }) => [number, [...names].sort()])
  const told = rows.map(({ number, names }) => [number.replaceAll(' ', ''), names.sort()])
  assert.deepEqual(told, known)
})

for (const row of rows) {
  const last4 = row.number.slice(-4)
  // The simulator's own tests show that a name stands for its number.
  if (isFullSize) {
    test(`confirming a card ending in ${last4} by name gives ${row.status} and ${row.paymentStatus}`, async () => {
      for (const paymentMethod of row.names) {
        const { lead, intent } = await start()
        assert.equal((await post(`${intent}/confirm`, { paymentMethod })).status, row.status)
        assert.equal(await paymentStatus(lead), row.paymentStatus)
        await waitForProcessorWebhooks(service)
        const moved = row.paymentStatus === 'setup_started' ? [] : [row.paymentStatus]
        assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', ...moved])
        if (row.paymentStatus === 'setup_failed') assert.equal(await rejectionOf(lead), reasons[last4])
      }
    })
  }

  test(`an attached card ending in ${last4} pays or fails as docs/sandbox.md says`, async () => {
    const { lead, intent } = await start()
    let { status } = await post(`${intent}/confirm`, { paymentMethod: row.number })
    assert.equal(status, row.status)
    if (status === 'requires_action') ({ status } = await post(`${intent}/authenticate`, { outcome: 'passed' }))
    await waitForProcessorWebhooks(service)
    if (row.collection === undefined) {
      assert.equal(status, 'requires_payment_method')
      assert.equal(await rejectionOf(lead), reasons[last4])
      assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'setup_failed'])
      return
    }
    assert.equal(status, 'succeeded')
    await post(`/Customers/${lead}/accept-terms`)
    assert.equal((await post(`/Sandbox/customers/${lead}/collect`)).paymentStatus, row.collection)
    await waitForProcessorWebhooks(service)
    assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', row.collection])
  })
}

test('a card number that is not a test card is rejected and never echoed, not even in part', async () => {
  const { intent } = await start()
  const response = await partner.post(`${intent}/confirm`, { paymentMethod: '4111 1111 1111 1111' })
  assert.equal(response.status, 422)
  assert.ok(!response.text.includes('1111'))
})

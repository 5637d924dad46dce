import assert from 'node:assert/strict'
import { mkdir, rename, rmdir } from 'node:fs/promises'
import { after, test } from 'node:test'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { readFileLedger } from '../../src/privacy/erasure-ledger/file.ts'
import { removeAbandonedQuotes } from '../../src/privacy/remove-abandoned-quotes.ts'
import { housebill, launch } from '../cli/cli-fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { findFreePort, startTestService } from '../support/service.ts'
import { withDatabaseKeys } from './decrypted-contents.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const ledger = service.config.erasureLedger.file
const entriesOf = async (customerId: string) =>
  (await readFileLedger(ledger)).entries.filter((entry) => entry.customerId === customerId)

/** Makes the ledger unwritable, also for root, while `work` runs. */
async function withoutLedger<Result>(work: () => Promise<Result>): Promise<Result> {
  await rename(ledger, `${ledger}.kept`)
  await mkdir(ledger)
  try {
    return await work()
  } finally {
    await rmdir(ledger)
    await rename(`${ledger}.kept`, ledger)
  }
}

test('an erasure over the API is entered once, with ids and its time only, and a rejected one is not entered', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { erasedAt } = succeeded(await partner.post(`/Customers/${lead}/erase`))
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  const [found, ...more] = await entriesOf(lead)
  assert.deepEqual(more, [])
  const { line: _line, ...entry } = found ?? assert.fail('no entry')
  const [owner] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [lead])
  const expected = { customerId: lead, partnerId: owner?.partner_id, erasedAt: new Date(erasedAt), reason: 'requested' }
  assert.deepEqual(entry, expected)

  const bound = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, bound.lead)
  rejected(await partner.post(`/Customers/${bound.lead}/erase`), 422, 'contract_running')
  assert.deepEqual(await entriesOf(bound.lead), [])
  assert.equal((await housebill(['customers', 'erase', bound.lead, '--force'], service.environment)).code, 0)
  assert.deepEqual(
    (await entriesOf(bound.lead)).map(({ reason }) => reason),
    ['forced'],
  )
})

test('while the ledger cannot be written, an erasure returns 503 and changes nothing, and works again afterwards', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const before = succeeded(await partner.get(`/Customers/${lead}`))
  const key = { headers: { 'Idempotency-Key': 'erase-while-unwritable' } }
  await withoutLedger(async () => {
    const { detail } = rejected(
      await partner.post(`/Customers/${lead}/erase`, undefined, key),
      503,
      'service_unavailable',
    )
    assert.match(detail, /nothing was erased/)
    assert.ok(!detail.includes(ledger))
  })
  assert.deepEqual(succeeded(await partner.get(`/Customers/${lead}`)), before)
  succeeded(await partner.post(`/Customers/${lead}/erase`, undefined, key))
  assert.equal((await entriesOf(lead)).length, 1)
})

test('the scheduled removal of abandoned quotes enters everyone it erases, and erases nobody without the ledger', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  await rawRows(service, `update quotes set expires_at = now() - interval '91 days' where quote_id = $1`, [quoteId])
  const sweep = () =>
    withDatabaseKeys(service, (opened) =>
      removeAbandonedQuotes({ ...opened, clock: systemClock }, { days: 90, batch: 9, isStopping: () => false }),
    )
  await withoutLedger(() => assert.rejects(sweep(), { code: 'service_unavailable' }))
  const erased = () =>
    rawRows(service, 'select customer_id from customers where quote_id = $1 and erased_at is not null', [quoteId])
  assert.deepEqual(await erased(), [])
  assert.equal(await sweep(), 1)
  assert.equal((await erased()).length, 2)
  assert.deepEqual(
    (await entriesOf(lead)).map(({ reason }) => reason),
    ['retention'],
  )
})

test('a service or command whose ERASURE_LEDGER cannot be written says so at once', async () => {
  const environment = { ...service.environment, ERASURE_LEDGER: '/dev/null/erasures.jsonl' }
  const { lead } = await startHousehold(partner, { tenants: 1 })
  for (const args of [['serve'], ['customers', 'erase', lead]]) {
    const started = { ...environment, PORT: String(await findFreePort()) }
    const run = await (args[0] === 'serve' ? launch : housebill)(args, started)
    assert.equal(run.code, 1)
    assert.match(
      run.stderr,
      /ERASURE_LEDGER cannot be used: \/dev\/null\/erasures\.jsonl: E\w+\. Set it to a file that this user can write\./,
    )
  }
})

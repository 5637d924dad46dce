import assert from 'node:assert/strict'
import { appendFile, mkdir, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { warnOfMissedErasures } from '../../src/app/compose.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { readFileLedger } from '../../src/privacy/erasure-ledger/file.ts'
import { removeAbandonedQuotes } from '../../src/privacy/remove-abandoned-quotes.ts'
import { housebill, launch } from '../cli/cli-fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
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

const run = (...args: string[]) => housebill(args, service.environment)

test('a line that cannot be read or applied is named and fails the command, and the others are replayed', async (t) => {
  const folder = await temporaryFolder(t)
  const startOne = async () => (await startHousehold(partner, { tenants: 1 })).lead
  const [one, two, signed] = [await startOne(), await startOne(), await startOne()]
  await onboard(partner, signed)
  const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [one])
  const partnerId = String(row?.partner_id)
  const entry = (customerId: string, changes = {}) =>
    `${JSON.stringify({ customerId, partnerId, erasedAt: new Date().toISOString(), reason: 'requested', ...changes })}\n`
  const [a, b] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')]
  // This quote is still valid, so the job that removes abandoned ones was rolled back.
  const open = await startOne()
  // The acceptance of the terms is later than this entry, so its erasure cannot have taken effect.
  await appendFile(
    a,
    `damaged\n${entry(signed, { erasedAt: '2026-01-01T00:00:00Z' })}${entry(one)}${entry(open, { reason: 'retention' })}{"customerId":"ten`,
  )
  await appendFile(b, `${entry(two, { partnerId: 'partner_01h455vb4pex5vsknk084sn02q' })}${entry(one)}`)

  const failed = await run('customers', 'erase', '--replay', a, b)
  assert.equal(failed.code, 1)
  assert.match(failed.stdout, /^Erased: 1\. Already erased: 1\. Unknown here: 0\.$/m)
  assert.match(failed.stdout, /^Not erased, because they went on with their quote later: 2\.$/m)
  assert.match(failed.stdout, /a\.jsonl, line 5: was cut off by a crash; its erasure was never confirmed\.$/m)
  assert.match(failed.stderr, /a\.jsonl, line 1: cannot be read$/m)
  assert.match(failed.stderr, /b\.jsonl, line 1: tenant_\w+ belongs to another partner than this line says$/m)

  assert.equal((await run('customers', 'erase', '--replay', a, join(folder, 'missing'))).code, 1)
  for (const wrong of [['erase'], ['erase', one, '--replay'], ['erase', '--replay', '--force']])
    assert.equal((await run('customers', ...wrong)).code, 2, wrong.join(' '))
})

test('a service whose ledger names customers who are not erased says at its start that a replay is missing', async (t) => {
  const back = (await startHousehold(partner, { tenants: 1 })).lead
  const signed = (await startHousehold(partner, { tenants: 1 })).lead
  const open = (await startHousehold(partner, { tenants: 1 })).lead
  const gone = (await startHousehold(partner, { tenants: 1 })).lead
  await onboard(partner, signed)
  const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [back])
  const partnerId = String(row?.partner_id)
  const file = join(await temporaryFolder(t), 'erasures.jsonl')
  const entries = [back, signed, gone, open].map((customerId) => {
    const erasedAt = customerId === signed ? '2026-01-01T00:00:00Z' : new Date().toISOString()
    return `${JSON.stringify({ customerId, partnerId, erasedAt, reason: customerId === open ? 'retention' : 'requested' })}\n`
  })
  await writeFile(file, entries.join(''))
  await housebill(['customers', 'erase', gone], service.environment)
  const logged: { customers?: number; msg: string }[] = []
  const log = pino({ level: 'error' }, { write: (line) => logged.push(JSON.parse(line)) })
  const config = { ...service.config, erasureLedger: { file, isGiven: true } }
  await withDatabaseKeys(service, async ({ databases }) => {
    await warnOfMissedErasures({ config, databases, log })
    assert.equal(logged.length, 1)
    assert.equal(logged[0]?.customers, 1)
    assert.match(logged[0]?.msg ?? '', /run "housebill customers erase --replay"/)
    assert.ok(!JSON.stringify(logged).includes(back))

    assert.equal((await run('customers', 'erase', '--replay', file)).code, 0)
    await warnOfMissedErasures({ config, databases, log })
    await warnOfMissedErasures({ config: service.config, databases, log })
    assert.equal(logged.length, 1)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServiceProcess } from '../app/process/service-process.ts'
import { isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { call, connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { findFreePort, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { runCrashes } from './campaign.ts'

test('no acknowledged write is lost and the data stays consistent if the service, PostgreSQL or both are killed under load', async (t) => {
  const rounds = wholeNumberFromEnv('ROUNDS') ?? (isFullSize ? 21 : 3)
  const householdsPerRound = isFullSize ? 4 : 2
  const report = await runCrashes({
    rounds,
    householdsPerRound,
    claims: isFullSize ? 'last a minute' : 'lapse at once',
    log: (line) => t.diagnostic(line),
  })
  const { kills, acknowledged, lost, retries, events, deliveries, contracts, statuses, ledgerFile } = report
  t.diagnostic(
    `${acknowledged} writes acknowledged, ${lost} lost, ${retries} retries, statuses ${JSON.stringify(statuses)}`,
  )
  t.diagnostic(`${events} events, delivered ${deliveries} times; the back office followed ${contracts} contracts`)
  assert.deepEqual(report.broken, [], `acknowledged writes: ${ledgerFile}`)
  assert.equal(kills.service + kills.database + kills.both, rounds)
  assert.equal(lost, 0)
  assert.equal(report.households, rounds * householdsPerRound)
  assert.ok(acknowledged >= report.households * 4)
  assert.ok(retries > 0, 'no request was interrupted by a kill')
  assert.ok(deliveries >= events && events > 0)
  assert.ok(contracts > 0)
})

test('an import of 500 rows, killed three times with -9 and repeated, makes no household twice and none by halves', async (t) => {
  const service = await startTestService()
  t.after(() => service.stop())
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { addressUid } = ordinaryProperty()
  const rows = Array.from({ length: 500 }, (_, index) => ({
    ...{ addressUid, packages: ['electricity'], reference: `row-${index}` },
    tenants: ['Ada Lang', 'Ben Okoro'].map((name, tenant) => ({ name, email: `${index}-${tenant}@list.example` })),
  }))
  const { importId } = succeeded(await partner.post('/Imports', { kind: 'start', rows }))
  const done = async () => succeeded(await partner.get(`/Imports/${importId}`)).counts.done
  const headers = { Authorization: `Bearer ${partner.token}` }
  for (const enough of [60, 140, 260]) {
    const port = await findFreePort()
    const worker = await startServiceProcess({ ...service.environment, PORT: String(port) })
    const path = '/partner-api/Sandbox/clock/advance'
    const cut = call(`http://127.0.0.1:${port}`, 'POST', path, { seconds: 0 }, { headers }).catch(() => 'cut')
    await waitFor('rows are done', done, (count) => count >= enough)
    worker.signal('SIGKILL')
    assert.equal(await cut, 'cut')
    assert.equal(await worker.ended, 'SIGKILL')
    assert.ok((await done()) < 500, 'it was killed in the middle')
  }
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds: 0 }))
  assert.equal(await done(), 500)
  const [counts] = await rawRows(
    service,
    `select count(*)::int as quotes, count(distinct q.reference_hash)::int as references, min(tenants)::int as least,
            max(tenants)::int as most, count(r.quote_id)::int as rows
       from quotes q left join import_rows r using (partner_id, quote_id)
       join (select quote_id, count(*) as tenants from customers group by 1) c using (quote_id)`,
  )
  assert.deepEqual(counts, { quotes: 500, references: 500, least: 2, most: 2, rows: 500 })
})

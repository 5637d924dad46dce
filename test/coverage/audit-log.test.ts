import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { routes } from '../../src/http/routes/table.ts'
import { listOwnedTables, withClient } from '../isolation/owned-tables.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import {
  addTenants,
  attachCard,
  finalise,
  findProperty,
  onboard,
  sampleTenants,
  startHousehold,
} from '../support/household.ts'
import { replace } from '../support/replacements.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())

/** Tables that contain partners' rows but are not audited, each with the reason. */
const withoutTrigger: Record<string, string> = {
  'public.audit_log': 'the audit log itself',
  'public.contract_versions': 'what the audit log says already, as the feed needs it',
  'public.broadband_checks': 'responses from an upstream, cached for a day',
  'public.delivery_history': 'messages that were delivered or failed, with their attempts',
  'public.delivery_queue': 'pending messages; a request for a message is audited',
  'public.events': 'reports of changes to other tables; the changes themselves are audited',
  'public.idempotency_keys': 'stored responses; the changes that the requests made to other tables are audited',
  'public.partner_mails': 'e-mails about changes to webhooks, which are audited, and about the passing of time',
  'public.processor_deletions': 'result from an erasure or a removal, which is audited',
  'public.removed_events': 'records how far the removal of old events has progressed',
  'public.sandbox_requests': 'what the partner itself asked for; the changes that the requests made are audited',
}

test("every change to a table with partners' rows is written to the audit log, unless the table is excepted here", async () => {
  const owned = (await listOwnedTables(service.connectionString)).map(({ name }) => name)
  const { rows } = await withClient(service.connectionString, (client) =>
    client.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name
         from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
         join pg_proc p on p.oid = t.tgfoid
        where p.pronamespace = 'audit'::regnamespace and t.tgenabled = 'O' and t.tgtype = ${1 + 4 + 8 + 16}`,
    ),
  )
  const audited = rows.map(({ name }) => name)
  const unaudited = owned.filter((name) => !audited.includes(name.includes('.') ? name : `public.${name}`))
  assert.deepEqual(
    unaudited.sort(),
    Object.keys(withoutTrigger).sort(),
    'see audit_table in migrations/0001-audit.sql: add a trigger, or a reason here',
  )
})

test('every audit trigger compares each column of its table, except those that it names itself', async () => {
  const { rows } = await withClient(service.connectionString, (client) =>
    client.query<{ name: string; settings: string[]; columns: string[]; compared: string[] }>(
      `select c.relname as name, trim_array((string_to_array(encode(t.tgargs, 'escape'), '\\000'))[3:], 1) as settings,
              (select array_agg(attname::text) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
              array(select distinct found[1] from regexp_matches(p.prosrc, 'new\\."?(\\w+)"?(?:::text)? is distinct', 'g') found) as compared
         from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
        where p.pronamespace = 'audit'::regnamespace`,
    ),
  )
  assert.ok(rows.length > 20)
  for (const { name, settings, columns, compared } of rows) {
    assert.deepEqual(
      [...compared, ...settings].sort(),
      columns.sort(),
      `${name}: call audit_table again in the migration that changes its columns`,
    )
  }
})

let partner: Partner

/** Calls every operation that can change something, each at least once. */
before(async () => {
  partner = await connectPartner(service.baseUrl, service.credentials)
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  succeeded(await partner.post('/Quotes/broadband-availability-requests', { addressUid }))
  const webhook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook))
  const { deliveryId } = succeeded(await partner.post(`/Webhooks/${webhookId}/send-test-event`))
  succeeded(await partner.post(`/Deliveries/${deliveryId}/redeliver`))
  succeeded(await partner.post(`/Webhooks/${webhookId}/send-verification`))
  succeeded(await partner.post(`/Webhooks/${webhookId}/rotate-secret`))
  const since = new Date(Date.now() - 60_000).toISOString()
  succeeded(await partner.post(`/Webhooks/${webhookId}/replay`, { since }))
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { events: ['customer.status.changed'] }))
  succeeded(await partner.post(`/Sandbox/webhooks/${webhookId}/advance`, { seconds: 1 }))
  succeeded(await partner.delete(`/Webhooks/${webhookId}`))
  const processor = (what: string, body: unknown) => partner.post(`/Sandbox/payment-processor/${what}`, body)
  succeeded(await processor('webhooks', { delaySeconds: 0 }))
  succeeded(await processor('outage', { down: false }))
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds: 1 }))

  const first = await startHousehold(partner, { tenants: 2, packages: ['electricity', 'gas'] })
  const [removed = '', erased = ''] = await addTenants(partner, first.quoteId, sampleTenants(4).slice(2))
  succeeded(await partner.post(`/Quotes/${first.quoteId}/remove-tenants`, { tenantIds: [removed] }))
  succeeded(await partner.post(`/Customers/${erased}/erase`))
  const { packages } = succeeded(await partner.get(`/Quotes/${first.quoteId}`))
  const packageIds = packages.filter(({ type }) => type === 'gas').map(packageIdOf)
  succeeded(await partner.post(`/Quotes/${first.quoteId}/update-packages`, { packageIds }))
  succeeded(await partner.post(`/Sandbox/quotes/${first.quoteId}/expire`))
  succeeded(await partner.get(`/Quotes/${first.quoteId}/total-cost`))
  succeeded(await finalise(partner, first.lead))
  succeeded(await partner.post(`/Customers/${first.lead}/create-setup-intent`))
  succeeded(await partner.patch(`/Quotes/${first.quoteId}`, { metadata: { branch: 'Norwich' } }))
  succeeded(await partner.post(`/Quotes/${first.quoteId}/reopen`))
  succeeded(await partner.post(`/Quotes/${first.quoteId}/cancel`))

  const second = await startHousehold(partner, { tenants: 1, packages: ['broadband'], products: ['fibre-150'] })
  const { earliestDate } = succeeded(await partner.get(`/Quotes/${second.quoteId}/get-bb-install-dates`))
  succeeded(await partner.post(`/Quotes/${second.quoteId}/select-install-date`, { date: earliestDate }))
  await onboard(partner, second.lead)
  succeeded(await partner.patch(`/Customers/${second.lead}`, { phone: '07700 900124' }))
  succeeded(await partner.post(`/Sandbox/customers/${second.lead}/collect`, { outcome: 'paid' }))
  const { contract } = succeeded(await partner.get(`/Customers/${second.lead}`))
  assert.ok(contract !== null)
  const confirmed = `/Customers/${second.lead}/contracts/${contract.contractNumber}/confirmation-sent`
  succeeded(await partner.post(confirmed, { sentAt: contract.effectiveAt }))
  succeeded(await partner.post(`/Customers/${second.lead}/revoke-links`))
  const broadband = { serviceId: 'fibre-150', status: 'requested' }
  succeeded(await partner.post(`/Sandbox/quotes/${second.quoteId}/service-status`, broadband))
  await replace(partner, second.lead, contract.startsOn)
  succeeded(await partner.post(`/Customers/${second.lead}/withdraw-replacement`))
  succeeded(await partner.post(`/Customers/${second.lead}/end-contract`, { endDate: contract.startsOn }))
  succeeded(await partner.post(`/Customers/${second.lead}/cancel-contract`))
  succeeded(await partner.post(`/Sandbox/broadband/${second.addressUid}`, { homeTelecom: { outcome: 'down' } }))

  const third = await startHousehold(partner, { tenants: 1, packages: [] })
  const ids = succeeded(await partner.get(`/Quotes/${third.quoteId}`)).packages.map(packageIdOf)
  succeeded(await partner.post(`/Quotes/${third.quoteId}/add-packages`, { packageIds: ids.slice(0, 1) }))
  succeeded(await finalise(partner, third.lead))
  const setupIntentId = await attachCard(partner, third.lead, 'pm_card_authenticationRequired')
  succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/authenticate`, { outcome: 'passed' }))
  await waitForProcessorWebhooks(service)
  succeeded(await partner.post('/Sandbox/price-change', { percent: 5 }))
})

function packageIdOf({ packageId }: { packageId: string }): string {
  return packageId
}

for (const { operationId } of routes.filter(({ method }) => method !== 'GET')) {
  test(`${operationId}: every change is in the audit log with its request and its credential`, async () => {
    const entries = await rawRows(service, `select * from audit_log where operation = $1 and action <> 'read'`, [
      operationId,
    ])
    assert.ok(
      entries.length > 0,
      'the operation wrote no audit entry: call it in this file in a way that changes an audited table',
    )
    for (const { actor, credential, request_id: requestId, subject_id: subjectId } of entries) {
      assert.deepEqual([actor, credential], ['client', service.credentials.clientId])
      assert.match(String(requestId), /^\S+$/)
      assert.match(String(subjectId), /^\S+$/)
    }
  })
}

test('a read operation writes no entry unless it changes something or shows a customer or a contract', async () => {
  const changing = ['getQuoteTotalCost', 'runBroadbandAvailabilityCheck']
  const readings = routes
    .filter(({ method, path }) => method === 'GET' && !path.startsWith('/Customers/{id}'))
    .map(({ operationId }) => operationId)
  const found = await rawRows(service, 'select distinct operation from audit_log where operation = any($1)', [readings])
  assert.deepEqual(
    found.map(({ operation }) => operation).filter((operation) => !changing.includes(String(operation))),
    [],
  )
})

test('if a notice changes a payment, the audit log names the processor as the actor', async () => {
  const entries = await rawRows(
    service,
    `select * from audit_log where operation = 'processorNotice' and actor = 'processor' and request_id is not null`,
  )
  assert.ok(entries.length > 0)
})

test('a change made directly in the database is in the log under the database login', async () => {
  const [row] = await rawRows(service, `update partners set name = name || '!' returning partner_id`)
  const [entry] = await rawRows(
    service,
    `select actor, credential = session_user as "isLogin", fields from audit_log
      where actor = 'database' and subject_type = 'partner' and action = 'changed' and subject_id = $1`,
    [row?.partner_id],
  )
  assert.deepEqual(entry, { actor: 'database', isLogin: true, fields: ['name'] })
})

test('the log cannot be changed, shortened or emptied', async () => {
  for (const text of ['update audit_log set operation = null', 'delete from audit_log', 'truncate audit_log'])
    await assert.rejects(rawRows(service, text), /append-only/)
})

test('the log contains names of changed fields and never a value', async () => {
  const text = JSON.stringify(await rawRows(service, 'select * from audit_log'))
  for (const value of ['Robin', 'robin1', 'Alex', 'Morgan', '7700900', '1999-05-17'])
    assert.ok(!text.includes(value), value)
  assert.ok(text.includes('"personal"') && text.includes('"price"'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf, waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { headingOf, noticeOf, type OpenedPage, problemsOf, rowsOf, tableOf } from '../tenant-pages/tenant-browser.ts'
import { respondToEvents, startReceiver } from '../webhooks/receiver-fixture.ts'
import { root, signIn } from './developer-pages.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
const secretOf = ({ text }: OpenedPage) => /<code data-copy>(whsec_[A-Za-z0-9+/]{43}=)<\/code>/.exec(text)?.[1] ?? ''
const plain = (text = '') =>
  text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
/** Where a page says what its error is, and in which request it happened. */
const referenceTo = (code: string) =>
  new RegExp(`<a href="/docs/errors/${code}"><code>${code}</code></a>, request id <code>request_\\w+</code>`)
const inTable = (page: OpenedPage) => tableOf(page).map((row) => row.map(plain))
const nextOf = ({ text }: OpenedPage) => /<a href="([^"]*)">Next page</.exec(text)?.[1]?.replaceAll('&amp;', '&')

async function register(partner: Partner, port: number, path = '/hook') {
  const url = `https://127.0.0.1:${port}${path}`
  return succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] })).webhookId
}

const failed = (partner: Partner, webhookId: string) =>
  waitForDeliveries(partner, webhookId, (found) => found.some((each) => each.status === 'failed'))

test('a webhook is registered once, with errors beside the fields and its secret shown once, then changed and deleted', async (t) => {
  const partner = await connectNewPartner(service)
  const receiver = await startReceiver(t)
  const browser = await signIn(service, partner)
  assert.match((await browser.open(`${root}/webhooks`)).text, /You have no webhooks yet/)
  await browser.open(`${root}/webhooks/new`)
  const wrong = await browser.send('Register', { url: 'http://hooks.example/in' })
  assert.match(problemsOf(wrong).url ?? '', /https/)
  assert.match(problemsOf(wrong).events ?? '', /at least one event/)
  assert.match(wrong.text, referenceTo('validation_failed'))
  assert.match(wrong.text, /value="http:\/\/hooks.example\/in"/)

  const url = `https://127.0.0.1:${receiver.port}/registered`
  const events = ['quote.status.changed', 'customer.payment.updated']
  const form = new Map(
    [...wrong.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, a, b]) => [a, b]),
  )
  const registered = await browser.send('Register', { url, events })
  const secret = secretOf(registered)
  assert.ok(secret, registered.text)
  const address = `${root}/webhooks/new`
  const values = { key: form.get('key') ?? '', formToken: form.get('formToken') ?? '', url, events: events[0] ?? '' }
  const other = await browser.post(address, values)
  assert.match(noticeOf(other) ?? '', /sent before with something else/)
  assert.match(other.text, referenceTo('idempotency_key_reused'))
  const [webhook, ...others] = succeeded(await partner.get('/Webhooks')).data
  assert.deepEqual([others, webhook?.url, webhook?.events.toSorted()], [[], url, events.toSorted()])
  const here = `${root}/webhooks/${webhook?.webhookId}`
  const own = await waitFor(
    'the webhook is verified',
    () => browser.open(here),
    (page) => /^Verified/.test(rowsOf(page).Verification ?? ''),
  )
  assert.ok(!own.text.includes(secret))

  await browser.open(`${here}/edit`)
  const rejected = await browser.send('Save', { url: 'https://user:password@hooks.example', events })
  assert.deepEqual(Object.keys(problemsOf(rejected)), ['url'])
  assert.match(rejected.text, /value="https:\/\/user:password@hooks.example"/)
  const saved = await browser.send('Save', { url: `${url}-moved`, events: ['customer.status.changed'] })
  assert.match(noticeOf(saved) ?? '', /A challenge is being sent to the new URL/)
  assert.equal(plain(rowsOf(saved).Events), 'customer.status.changed')

  const asked = await browser.open(`${here}/delete`)
  assert.match(asked.text, /Its deliveries and their attempts are deleted/)
  assert.equal(noticeOf(await browser.send('Delete this webhook')), 'The webhook is deleted.')
  assert.equal((await partner.get(`/Webhooks/${webhook?.webhookId}`)).status, 404)
})

test('the same form sent twice registers one webhook, rotates once and shows the same secret, and sends each message once', async () => {
  const partner = await connectNewPartner(service)
  const browser = await signIn(service, partner)
  await browser.open(`${root}/webhooks/new`)
  const given = { url: 'https://127.0.0.1:9/once', events: 'quote.status.changed' }
  const twice = async (button: string, values: Record<string, string>) => {
    const before = browser.page
    const first = secretOf(await browser.send(button, values))
    browser.page = before
    assert.equal(secretOf(await browser.send(button, values)), first)
    return first
  }
  const first = await twice('Register', given)
  const [webhook, ...others] = succeeded(await partner.get('/Webhooks')).data
  assert.deepEqual(others, [])
  const here = `${root}/webhooks/${webhook?.webhookId}`
  assert.match((await browser.open(`${here}/secret`)).text, /The current one stays valid for 24 hours/)
  const second = await twice('Rotate the secret', {})
  assert.ok(second !== '' && second !== first)
  const secrets = await rawRows(service, 'select from webhook_secrets where webhook_id = $1', [webhook?.webhookId])
  assert.equal(secrets.length, 2)
  assert.equal(secretOf(await browser.open(`${here}/secret`)), '')
  const { previousSecretValidUntil } = succeeded(await partner.get(`/Webhooks/${webhook?.webhookId}`))
  assert.ok(rowsOf(await browser.open(here)).Secrets?.includes(`datetime="${previousSecretValidUntil}"`))

  await twice('Send a new challenge', {})
  await browser.open(here)
  await twice('Send a test event', { type: 'quote.status.changed' })
  const { data } = succeeded(await partner.get(`/Webhooks/${webhook?.webhookId}/deliveries`))
  assert.equal(data.length, 3)
  const deliveryId = data.find(({ eventType }) => eventType === 'quote.status.changed')?.deliveryId
  await browser.open(`${root}/deliveries/${deliveryId}`)
  await twice('Redeliver', {})
  await browser.open(`${here}/replay?since=`)
  await twice('Start replay', {})
  const done = await rawRows(
    service,
    `select operation from audit_log where subject_id = $1 or subject_id like 'replay_%' and action = 'created' and
            partner_id = (select partner_id from webhooks where webhook_id = $2) order by 1`,
    [deliveryId, webhook?.webhookId],
  )
  assert.deepEqual(done, [{ operation: 'redeliver' }, { operation: 'replayWebhook' }])
})

test('a delivery shows what was sent and received as text, and is sent again; test events and challenges too', async (t) => {
  const partner = await connectNewPartner(service)
  const hostile = '<img src=x onerror="alert(1)"><script>alert(1)</script>'
  let status = 500
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(status).end(status === 500 ? hostile : 'ok')),
  )
  const webhookId = await register(partner, receiver.port, `/<img/src=x>?next=javascript:alert(1)`)
  const { quoteId } = await createQuote(partner, { reference: hostile })
  const [delivery] = await failed(partner, webhookId)
  const [event] = await eventsOf(partner)
  const browser = await signIn(service, partner)
  const here = `${root}/deliveries/${delivery?.deliveryId}`
  for (const path of [
    `${root}/webhooks`,
    `${root}/webhooks/${webhookId}`,
    ...['edit', 'secret', 'replay', 'delete', 'deliveries'].map((part) => `${root}/webhooks/${webhookId}/${part}`),
    here,
    `${root}/events`,
    `${root}/events/${event?.id}`,
  ])
    assert.doesNotMatch((await browser.open(path)).text, /<img|<script>|href="javascript/, path)

  const ofFailed = await browser.open(`${root}/webhooks/${webhookId}/deliveries?status=failed`)
  assert.match(ofFailed.text, /href="[^"]*\/replay\?since=&amp;until=">Send all that match again</)
  const page = await browser.open(here)
  assert.equal(rowsOf(page).Status, 'Failed: all attempts failed')
  assert.ok(page.text.includes(`&quot;quoteId&quot;: &quot;${quoteId}&quot;`))
  assert.match(
    plain(page.text),
    /Failed: all attempts failed\. .* Attempt 2: 500, [\d.]+ (ms|s) The receiver responded with status 500 instead of 2xx/,
  )
  assert.match(page.text, /<dt>webhook-signature<\/dt><dd>v1,/)
  assert.ok(page.text.includes('&lt;img src=x onerror='))
  assert.equal(page.text.match(/<summary>Attempt/g)?.length, 2)
  status = 200
  assert.match(noticeOf(await browser.send('Redeliver')) ?? '', /being sent again/)
  const delivered = await waitFor(
    'the message is delivered',
    () => browser.open(here),
    (found) => rowsOf(found).Status === 'Delivered',
  )
  assert.match(delivered.text, /Attempt 3: 200/)

  await browser.open(`${root}/webhooks/${webhookId}`)
  const test = await browser.send('Send a test event', { type: 'customer.payment.updated' })
  assert.equal(noticeOf(test), 'The test event is being sent.')
  assert.match(rowsOf(test).Status ?? '', /\(test event\)$/)
  assert.ok(test.text.includes('&quot;test&quot;: true'))
  const unverified = await register(partner, 9)
  await browser.open(`${root}/webhooks/${unverified}`)
  const challenge = await browser.send('Send a new challenge')
  assert.equal(plain(rowsOf(challenge)['Event type']), 'webhook.verification')
})

test('deliveries and events are filtered by their address and read page by page', async (t) => {
  const partner = await connectNewPartner(service)
  const receiver = await startReceiver(t)
  const webhookId = await register(partner, receiver.port)
  const { quoteId } = await createQuote(partner, { packages: ['gas'], reference: 'the-first' })
  for (let made = 0; made < 10; made += 1) await createQuote(partner, { packages: ['gas'] })
  await waitForDeliveries(
    partner,
    webhookId,
    (found) => found.length === 23 && found.every(({ status }) => status === 'delivered'),
  )
  const browser = await signIn(service, partner)
  const list = `${root}/webhooks/${webhookId}/deliveries`
  const counts = async (path: string) => inTable(await browser.open(path)).length
  const first = await browser.open(`${list}?status=delivered`)
  assert.equal(inTable(first).length, 20)
  assert.match(nextOf(first) ?? '', /^\?status=delivered&cursor=/)
  assert.equal(await counts(`${list}${nextOf(first)}`), 3)
  for (const [query, expected] of [
    ['status=failed', 0],
    ['eventType=webhook.verification', 1],
    ['from=2040-01-01T00%3A00', 0],
    ['to=2040-01-01T00%3A00', 20],
    ['status=nonsense', 20],
  ] as const)
    assert.equal(await counts(`${list}?${query}`), expected, query)
  const chosen = await browser.open(`${list}?status=failed`)
  assert.match(chosen.text, /<option value="failed" selected>/)
  assert.match(chosen.text, /No matching deliveries/)

  const csv = await browser.open(`${list}?eventType=quote.status.changed&format=csv`)
  const lines = csv.text.trimEnd().split('\r\n')
  assert.equal(lines.length, 1 + 22, 'every row of the filter, not only those of a page')
  assert.match(csv.text, /^\uFEFF?deliveryId,/)
  assert.equal(csv.headers.get('content-disposition'), `attachment; filename="webhooks-${webhookId}-deliveries.csv"`)

  const newest = await browser.open(`${root}/events?type=quote.status.changed`)
  const [, turned] = /aria-sort="descending">Happened <a href="([^"]*)"/.exec(newest.text) ?? []
  assert.equal(turned, '?type=quote.status.changed&amp;order=oldest')
  const own = await browser.open(`${root}/events?quoteId=${quoteId}&format=csv`)
  assert.match(own.text, new RegExp(`quote.status.changed,[^,]*,new → draft,${quoteId},the-first\r\n`))
  const events = await browser.open(`${root}/events?order=oldest`)
  assert.match(events.text, /aria-sort="ascending"/)
  assert.match(inTable(events)[0]?.join(' ') ?? '', /quote.status.changed .* new → draft .*the-first/)
  assert.equal(inTable(events).length, 20)
  assert.equal(await counts(`${root}/events${nextOf(events)}`), 2)
  assert.equal(await counts(`${root}/events?quoteId=${quoteId}`), 2)
  const bad = await browser.open(`${root}/events?cursor=nonsense`)
  assert.match(bad.text, /in the address of the page, is not right/)

  const [event] = (await eventsOf(partner)).filter(({ data }) => 'quoteId' in data && data.quoteId === quoteId)
  const one = await browser.open(`${root}/events/${event?.id}`)
  assert.deepEqual(inTable(one)[0]?.[4], webhookId)
  assert.ok(one.text.includes(`href="${root}/events?quoteId=${quoteId}"`))
  const requests = await waitFor(
    'the requests are listed',
    () => browser.open(`${root}/requests?operation=createQuote&status=200`),
    (page) => inTable(page).length === 11,
  )
  assert.equal(await counts(`${root}/requests?status=404`), 0)
  assert.match(requests.text, /<h1>Requests<\/h1>/)
  const all = (await browser.open(`${root}/requests?operation=createQuote&format=csv`)).text.trimEnd().split('\r\n')
  assert.equal(all.length, 1 + 11)
  assert.match(all[1] ?? '', /,POST,\/partner-api\/Quotes,createQuote,200,,\d+$/)
})

test('a webhook that failed for five days comes first with the reason; it is enabled, and what it missed is replayed', async (t) => {
  const partner = await connectNewPartner(service)
  let status = 500
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(status).end()),
  )
  const webhookId = await register(partner, receiver.port)
  await createQuote(partner, { packages: ['gas'] })
  await failed(partner, webhookId)
  await rawRows(
    service,
    `update webhooks set failing_since = now() - interval '5 days', last_failed_at = now() where webhook_id = $1`,
    [webhookId],
  )
  await createQuote(partner, { packages: ['gas'] })
  await waitFor(
    'the webhook is disabled',
    async () => succeeded(await partner.get(`/Webhooks/${webhookId}`)),
    (webhook) => webhook.status === 'disabled',
  )
  const missed = await createQuote(partner, { packages: ['gas'] })
  await eventsOf(partner, 6)
  const browser = await signIn(service, partner)
  const here = `${root}/webhooks/${webhookId}`
  const list = await browser.open(`${root}/webhooks`)
  assert.match(plain(list.text), /A webhook is disabled .* Why: Every delivery failed for five days\. .*What to do/)
  assert.ok(list.text.indexOf('A webhook is disabled') < list.text.indexOf('<table'))
  await browser.open(`${here}/replay?since=`)
  assert.match(noticeOf(await browser.send('Start replay')) ?? '', /disabled, so nothing was sent/)

  status = 200
  receiver.received.length = 0
  await browser.open(here)
  const enabled = await browser.send('Enable')
  assert.equal(noticeOf(enabled), 'Enabled. New events are sent from now on.')
  const again = await browser.open(enabled.path)
  assert.match(again.text, /Send the events it missed\?/)
  assert.match(again.text, /replay\?since=20\d\d-\d\d-\d\dT\d\d%3A\d\d%3A\d\d"/)
  const early = await browser.open(`${here}/replay?since=2020-01-01T00:00`)
  assert.match(early.text, /value="2020-01-01T00:00"/)
  assert.match(problemsOf(await browser.send('Start replay')).since ?? '', /30 days/)
  const asked = await browser.open(`${here}/replay?since=`)
  const [, figure] = /<strong>(\d+)<\/strong> (?:delivery has|deliveries have) failed/.exec(asked.text) ?? []
  await browser.send('Start replay')
  const path = browser.page?.path ?? ''
  const done = await waitFor(
    'the replay has ended',
    () => browser.open(path),
    (page) => rowsOf(page).Status === 'Completed: all messages are queued.',
  )
  const rows = rowsOf(done)
  assert.equal(rows['Failed deliveries queued again'], figure)
  assert.equal(Number(figure) + Number(rows['Missed events queued']), 6)
  await waitFor('all events arrive', () => receiver.events().length === 6)
  assert.ok(receiver.events().some(({ message }) => message.data.quoteId === missed.quoteId))
  await browser.open(here)
  const byHand = await browser.send('Disable it')
  assert.match(byHand.text, /Why: You disabled it\./)
})

test("another partner's ids are as unknown as any other, on every page and for every form", async () => {
  const [owner, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  const webhookId = await register(owner, 9)
  const { deliveryId } = succeeded(await owner.post(`/Webhooks/${webhookId}/send-test-event`))
  const { replayId } = succeeded(await owner.post(`/Webhooks/${webhookId}/replay`))
  await createQuote(owner)
  const [event] = await eventsOf(owner)
  const [own, foreign] = [await signIn(service, owner), await signIn(service, other)]
  const formToken =
    /name="formToken" value="([^"]+)"/.exec((await foreign.open(`${root}/webhooks/new`)).text)?.[1] ?? ''
  const pages = [
    ...['', '/edit', '/secret', '/replay', '/delete', '/deliveries'].map((part) => `webhooks/${webhookId}${part}`),
    `deliveries/${deliveryId}`,
    `replays/${replayId}`,
    `events/${event?.id}`,
  ]
  for (const page of pages) {
    assert.equal((await own.open(`${root}/${page}`)).status, 200, page)
    const unknown = await foreign.open(`${root}/${page.replace(/_\w+/, '_unknown')}`)
    const found = await foreign.open(`${root}/${page}`)
    const withoutId = ({ text }: OpenedPage) => text.replace(/request_\w+/, '')
    assert.deepEqual([found.status, withoutId(found)], [404, withoutId(unknown)], page)
    assert.match(found.text, referenceTo('not_found'))
    assert.equal(headingOf(found), 'There is nothing here')
  }
  for (const [page, values] of [
    [`webhooks/${webhookId}`, { do: 'disable' }],
    [`webhooks/${webhookId}`, { do: 'challenge' }],
    [`webhooks/${webhookId}`, { do: 'test', type: 'quote.status.changed' }],
    [`webhooks/${webhookId}/edit`, { url: 'https://127.0.0.1:9/taken', events: 'quote.status.changed' }],
    [`webhooks/${webhookId}/secret`, { key: 'a' }],
    [`webhooks/${webhookId}/replay`, { since: '' }],
    [`webhooks/${webhookId}/delete`, {}],
    [`deliveries/${deliveryId}`, {}],
  ] as const)
    assert.equal((await foreign.post(`${root}/${page}`, { ...values, formToken })).status, 404, page)
  const { url, status } = succeeded(await owner.get(`/Webhooks/${webhookId}`))
  assert.deepEqual([url, status], ['https://127.0.0.1:9/hook', 'active'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, waitForDeliveries } from '../../support/deliveries.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { waitFor } from '../../support/wait-for.ts'
import { respondToEvents, startReceiver } from '../../webhooks/receiver-fixture.ts'
import {
  focusedText,
  openConsoleLab,
  openTab,
  register,
  signIn,
  signInAs,
  textOf,
  waitForHeading,
} from './console-fixture.ts'

const lab = await openConsoleLab({ WEBHOOK_RETRY_SECONDS: '1' })
const { partner, service } = lab
const hostile = '<img src=x onerror="document.title=`taken over`"><script>document.title=`taken over`</script>'

test('deliveries are listed newest first and can be filtered by status, type and time; a button loads more by cursor', async (t) => {
  let status = 200
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(status).end()),
  )
  const webhookId = await register(partner, receiver.port)
  for (let made = 0; made < 11; made += 1) await createQuote(partner, { packages: ['gas'] })
  await waitForDeliveries(
    partner,
    webhookId,
    (found) => found.length === 23 && found.every((each) => each.status === 'delivered'),
  )
  status = 503
  await createQuote(partner)
  await waitForDeliveries(partner, webhookId, (found) => found.some((each) => each.status === 'failed'))

  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}/deliveries`)
  const rows = page.locator('.rows > li')
  await page.getByText('20 shown, more available').waitFor()
  assert.equal(await rows.count(), 20)
  assert.match(
    await textOf(page, '.rows > li'),
    /quote.status.changed .*Failed .* 2 attempts; all attempts failed .*status 503 instead of 2xx/,
  )
  await page.getByRole('button', { name: 'Load more' }).click()
  await page.getByText('24 shown.').waitFor()
  assert.equal(await rows.count(), 24)
  assert.equal(await page.getByRole('button', { name: 'Load more' }).count(), 0)
  assert.match(await focusedText(page), /quote.status.changed/)

  await page.getByLabel('Status').selectOption('failed')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('1 shown.').waitFor()
  assert.match(page.url(), /\?status=failed$/)
  await page.getByLabel('Status').selectOption('')
  await page.getByLabel('Event type').selectOption('webhook.verification')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('1 shown.').waitFor()
  assert.match(await textOf(page, '.rows'), /webhook.verification/)
  await page.goBack()
  await page.getByText('1 shown.').waitFor()
  assert.equal(await page.getByLabel('Status').inputValue(), 'failed')
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.getByLabel('From (UK time)').fill('2040-01-01T00:00')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('No matching deliveries').waitFor()

  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.getByText('20 shown').waitFor()
  status = 200
  await createQuote(partner)
  await waitForDeliveries(partner, webhookId, (found) => found.length === 25 && found[0]?.status === 'delivered')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await waitFor('the new delivery comes first', async () => (await textOf(page, '.rows > li')).includes('Delivered'))
})

test('a delivery shows its payload and every attempt with headers, response and error, and can be redelivered', async (t) => {
  const own = await connectNewPartner(service)
  let status = 500
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) =>
      response.writeHead(status).end(status === 500 ? 'database is down' : 'ok'),
    ),
  )
  const webhookId = await register(own, receiver.port)
  const { quoteId } = await createQuote(own)
  const [failed] = (
    await waitForDeliveries(own, webhookId, (found) => found.some((each) => each.status === 'failed'))
  ).filter((each) => each.status === 'failed')
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  await page.goto(`${service.baseUrl}/console/deliveries/${failed?.deliveryId}`)
  await page.getByText('Attempt 2').waitFor()
  assert.match(await textOf(page, 'pre'), new RegExp(`"quoteId": "${quoteId}"`))
  await page.getByText('Exact bytes, as signed').click()
  assert.equal(await page.getByLabel('Payload as signed').innerText(), receiver.events()[0]?.body)
  const attempt = await textOf(page, '.attempt')
  assert.match(attempt, /Attempt 2 500 .* (ms|s) The receiver responded with status 500 instead of 2xx/)
  assert.match(attempt, /webhook-signature v1,/)
  assert.match(attempt, /database is down/)
  assert.equal(await page.locator('.attempt').count(), 2)

  status = 200
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('The message was delivered.').waitFor()
  assert.match(await textOf(page, '.facts'), /Status Delivered/)
  assert.match(await textOf(page, '.attempt'), /Attempt 3 200/)
  const ids = new Set(receiver.events().map(({ headers }) => headers['webhook-id']))
  assert.deepEqual([receiver.events().length, ids.size], [3, 1])
})

test("receivers' responses and URLs are shown as text and never run", async (t) => {
  const own = await connectNewPartner(service)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(500, { 'Content-Type': 'text/html' }).end(hostile)),
  )
  const path = `/<img/src=x/onerror=document.title='taken-over'>?next=javascript:alert(1)`
  const webhookId = await register(own, receiver.port, { path })
  await createQuote(own, { reference: hostile.slice(0, 90) })
  const [delivery] = await waitForDeliveries(own, webhookId, (found) => found.some((each) => each.status === 'failed'))
  await eventsOf(own, 1)
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  for (const [address, title, shown] of [
    ['/console/webhooks', 'Webhooks', '<img/src=x'],
    [`/console/webhooks/${webhookId}`, 'Webhook', '<img/src=x'],
    [`/console/webhooks/${webhookId}/edit`, 'Edit webhook', undefined],
    [`/console/webhooks/${webhookId}/deliveries`, 'Deliveries', '<img/src=x'],
    [`/console/webhooks/${webhookId}/delete`, 'Delete a webhook?', '<img/src=x'],
    [`/console/deliveries/${delivery?.deliveryId}`, 'Delivery', hostile],
    ['/console/events', 'Events', '<img src=x'],
  ] as const) {
    await page.goto(`${service.baseUrl}${address}`)
    await waitForHeading(page, title)
    if (shown !== undefined)
      await waitFor(`${address} shows it`, async () => (await page.innerText('#page')).includes(shown))
    assert.equal(await page.locator('#page img, #page script').count(), 0)
    assert.equal(await page.title(), `${title} · Housebill sandbox`)
    const outside = `[...document.querySelectorAll('a')].filter((link) => link.origin !== location.origin).length`
    assert.equal(await page.evaluate(outside), 0, 'every link stays on this site')
  }
})

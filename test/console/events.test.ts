import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from '../support/deliveries.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { heading, openConsoleLab, openTab, signIn, textOf } from './console-fixture.ts'

const lab = await openConsoleLab()
const { partner } = lab

test('events are listed by filters and in both orders, loaded further, and each is shown with its payload', async (t) => {
  const { quoteId } = await createQuote(partner, { packages: ['gas'], reference: 'the-first' })
  for (let made = 0; made < 12; made += 1) await createQuote(partner, { packages: ['gas'] })
  const events = await eventsOf(partner, 26)
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/events')
  await page.getByText('20 shown, and there may be more').waitFor()
  await page.getByRole('button', { name: 'Load more' }).click()
  await page.getByText('26 shown.').waitFor()
  await page.getByLabel('Order').selectOption('oldest')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('20 shown, and there may be more').waitFor()
  assert.match(await textOf(page, '.rows > li'), /new → draft .*the-first/)
  await page.getByLabel('Order').selectOption('')
  await page.getByLabel('Quote id').fill(quoteId)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('2 shown.').waitFor()
  await page.locator('.rows a').first().click()
  await heading(page, 'Event')
  const shown = JSON.parse(await page.getByLabel('Payload').innerText())
  assert.deepEqual(
    shown,
    events.find(({ id }) => id === shown.id),
  )
  await page.getByRole('link', { name: 'All events of its quote' }).click()
  await page.getByText('2 shown.').waitFor()
})

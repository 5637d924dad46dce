import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventsOf, waitForDeliveries } from '../../support/deliveries.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { succeeded } from '../../support/responses.ts'
import { waitFor } from '../../support/wait-for.ts'
import { startReceiver } from '../../webhooks/receiver-fixture.ts'
import { focusedText, openConsoleLab, openTab, register, signIn, textOf, waitForHeading } from './console-fixture.ts'

const lab = await openConsoleLab()
const { partner, service } = lab

/**
 * Presses Tab until the element with this text has the focus. Every element on the way must be visible and show that it
 * has the focus.
 */
async function tabTo(page: Page, text: string) {
  for (let stop = 0; stop < 60; stop += 1) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(`(() => {
      const { activeElement } = document
      const { outlineStyle, outlineWidth } = getComputedStyle(activeElement)
      const { width, height } = activeElement.getBoundingClientRect()
      const label = activeElement.labels?.[0]?.innerText ?? activeElement.innerText
      return { label, isShown: activeElement === document.body || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0) }
    })()`)
    const { label, isShown } = seen as { label: string; isShown: boolean }
    assert.ok(isShown, `the focus on "${label}" is visible`)
    if (label.includes(text)) return
  }
  throw new Error(`the keyboard does not reach "${text}"`)
}

test('the keyboard alone is enough to sign in, register a webhook, send a test event and read its delivery', async (t) => {
  const receiver = await startReceiver(t)
  const page = await openTab(t, lab)
  await page.goto(`${service.baseUrl}/console`)
  await waitForHeading(page, 'Sign in')
  await tabTo(page, 'Client id')
  await page.keyboard.type(service.credentials.clientId)
  await tabTo(page, 'Client secret')
  await page.keyboard.type(service.credentials.clientSecret)
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Webhooks')
  await page.getByRole('link', { name: 'Register a webhook' }).waitFor()
  await tabTo(page, 'Register a webhook')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Register a webhook')
  assert.equal(await focusedText(page), 'Register a webhook')
  await tabTo(page, 'URL of your receiver')
  await page.keyboard.type(`https://127.0.0.1:${receiver.port}/typed`)
  await tabTo(page, 'quote.status.changed')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await page.getByLabel('Signing secret').waitFor()
  await tabTo(page, 'I have saved it')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Webhook')
  await page.getByLabel('Test event').waitFor()
  await tabTo(page, 'Send a test event')
  await page.keyboard.press('Enter')
  await page.getByText('is being sent').waitFor()
  assert.match(await focusedText(page), /Send a test event/, 'the focus stays where it was')
  const link = await page.getByRole('link', { name: 'View the delivery' }).getAttribute('href')
  await page.goto(`${service.baseUrl}${link}`)
  await page.getByText('Delivered').first().waitFor()
  await tabTo(page, 'Exact bytes, as signed')
  await page.keyboard.press('Enter')
  await page.getByLabel('Payload as signed').waitFor()
})

test('the skip link is the first tab stop and leads to the heading', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/events')
  await page.reload()
  await waitForHeading(page, 'Events')
  await page.keyboard.press('Tab')
  assert.equal(await focusedText(page), 'Skip to the content')
  await page.keyboard.press('Enter')
  assert.equal(await focusedText(page), 'Events')
  assert.match(page.url(), /\/console\/events$/)
})

test('each page has its own title and moves the focus to its heading, and Back and Forward work', async (t) => {
  const webhookId = await register(partner, 9)
  const page = await openTab(t, lab)
  await signIn(page, lab)
  await page.locator(`a[href="/console/webhooks/${webhookId}"]`).click()
  await waitForHeading(page, 'Webhook')
  assert.equal(await page.title(), 'Webhook · Housebill sandbox')
  assert.equal(await focusedText(page), 'Webhook')
  await page.getByRole('link', { name: 'All deliveries' }).click()
  await waitForHeading(page, 'Deliveries')
  await page.goBack()
  await waitForHeading(page, 'Webhook')
  assert.equal(await page.title(), 'Webhook · Housebill sandbox')
  await page.goForward()
  await waitForHeading(page, 'Deliveries')
  assert.equal(await focusedText(page), 'Deliveries')
  assert.equal(await page.locator('[aria-current="page"]').innerText(), 'Webhooks')
  await page.goto(`${service.baseUrl}/console/nowhere`)
  await waitForHeading(page, 'Page not found')
})

test('every page fits widths of 320, 390 and 1280 px, labels its fields and has one h1', async (t) => {
  const receiver = await startReceiver(t, (_received, response) => response.writeHead(500).end('x'.repeat(5_000)))
  const path = `/${'a-long-path-without-a-break'.repeat(20)}`
  const webhookId = await register(partner, receiver.port, { path })
  const disabled = await register(partner, receiver.port, { path })
  await createQuote(partner, { packages: ['gas'] })
  const [delivery] = await waitForDeliveries(partner, webhookId, (found) => found.some((each) => each.attemptCount > 0))
  const [event] = await eventsOf(partner, 1)
  succeeded(await partner.patch(`/Webhooks/${disabled}`, { status: 'disabled' }))
  const since = new Date(Date.now() - 60_000).toISOString()
  const { replayId } = succeeded(await partner.post(`/Webhooks/${webhookId}/replay`, { since }))
  const of = `/console/webhooks/${webhookId}`
  for (const width of [320, 390, 1280]) {
    const page = await openTab(t, lab, width)
    await page.goto(`${service.baseUrl}/console`)
    await waitForHeading(page, 'Sign in')
    await checkLayout(page, `sign-in at ${width}`)
    await signIn(page, lab)
    for (const address of [
      '/console/webhooks',
      '/console/webhooks/new',
      of,
      `${of}?missed-since=${since}`,
      ...['edit', 'secret', 'replay', 'delete', 'deliveries'].map((part) => `${of}/${part}`),
      `/console/webhooks/${disabled}`,
      `/console/deliveries/${delivery?.deliveryId}`,
      `/console/replays/${replayId}`,
      '/console/events',
      `/console/events/${event?.id}`,
    ]) {
      await page.goto(`${service.baseUrl}${address}`)
      await page.locator('#page h1').waitFor()
      await waitFor(`${address} has loaded`, async () => !(await textOf(page, '#page')).includes('Loading '))
      await checkLayout(page, `${address} at ${width}`)
    }
  }
})

async function checkLayout(page: Page, what: string) {
  const found = await page.evaluate(`({
    tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    headings: [...document.querySelectorAll('h1')].filter((each) => each.checkVisibility()).length,
    unlabelled: [...document.querySelectorAll('input, select, textarea')].filter((each) => each.checkVisibility() && each.labels.length === 0).length,
    nameless: [...document.querySelectorAll('a, button')].filter((each) => each.checkVisibility() && each.innerText.trim() === '').length,
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index),
    tooSmall: [...document.querySelectorAll('button, input, select')].filter((each) => each.checkVisibility() && Math.min(each.offsetWidth, each.offsetHeight) < 18).length,
  })`)
  assert.deepEqual(found, { tooWide: 0, headings: 1, unlabelled: 0, nameless: 0, ids: [], tooSmall: 0 }, what)
}

test('text contrasts with its background by at least 4.5 to 1', async (t) => {
  const webhookId = await register(partner, 9)
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  const page = await openTab(t, lab)
  await signIn(page, lab)
  for (const address of [
    '/console/webhooks',
    `/console/webhooks/${webhookId}`,
    '/console/webhooks/new',
    '/console/events',
  ]) {
    await page.goto(`${service.baseUrl}${address}`)
    await waitFor(`${address} has loaded`, async () => !(await textOf(page, '#page')).includes('Loading '))
    const faint = await page.evaluate(`(() => {
      const channels = (colour) => colour.match(/[\\d.]+/g).map(Number)
      const behind = (element) => {
        for (let at = element; at !== null; at = at.parentElement) {
          const [red, green, blue, alpha = 1] = channels(getComputedStyle(at).backgroundColor)
          if (alpha === 1) return [red, green, blue]
        }
        return [255, 255, 255]
      }
      const light = (colour) => {
        const [red, green, blue] = colour.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      const texts = [...document.body.querySelectorAll('*')].filter((each) => each.checkVisibility() && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
      return texts.flatMap((each) => {
        const [one, other] = [light(channels(getComputedStyle(each).color)), light(behind(each))].sort((a, b) => b - a)
        const contrast = (one + 0.05) / (other + 0.05)
        return contrast < 4.5 ? [each.className + ' ' + each.innerText + ' ' + contrast.toFixed(2)] : []
      })
    })()`)
    assert.deepEqual(faint, [], address)
  }
})

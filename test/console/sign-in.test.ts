import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConsoleLab, openTab, signIn } from './console-fixture.ts'

const lab = await openConsoleLab()

test('a partner, when they sign in with their credentials, sees their webhooks, and that this is a sandbox', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab)
  assert.equal(await page.locator('#page h1').textContent(), 'Webhooks')
  assert.match((await page.locator('.realm').textContent()) ?? '', /Sandbox/)
})

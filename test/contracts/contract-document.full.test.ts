import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'
import { buildTermsDocument } from '../../src/contracts/terms/view-terms.ts'
import { openPage, shareBrowser } from '../web/pages/browser.ts'
import { contractFacts, sampleOperator } from './contract-facts.fixture.ts'
import { renderContract } from './rendering.fixture.ts'

const browser = await shareBrowser()

const facts = contractFacts()
const terms = buildTermsDocument(
  { ...facts.terms, storedAt: facts.acceptedAt },
  { operator: sampleOperator, realm: 'sandbox' },
)
const documents = {
  contract: (await renderContract(facts)).html,
  terms: (
    await createContractRenderer().render(terms, { contractId: terms.reference, acceptedAt: facts.acceptedAt }, [
      'html',
    ])
  ).html,
}

test('on a phone, a contract and the public terms fit the screen, and no table has to be scrolled', async (t) => {
  for (const [name, html] of Object.entries(documents)) {
    // Each brings a policy for its own style sheet.
    const page = await openPage(t, browser)
    await page.setContent(html.toString('utf8'))
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name} at ${width}`)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    const scrolled = `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length`
    assert.equal(await page.evaluate(scrolled), 0, name)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import { documentFormats } from '../../src/contracts/document-renderer.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { contractFacts } from './contract-facts.fixture.ts'

const renderer = createContractRenderer()
const blocks = [
  [0x20, 0x17f],
  [0x300, 0x36f],
  [0x590, 0x6ff],
  [0x900, 0xaff],
  [0xb80, 0xbff],
  [0xe00, 0xe7f],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0x1f600, 0x1f64f],
] as const
const letters = fc
  .constantFrom(...blocks)
  .chain(([first, last]) => fc.array(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 8 }))
  .map((codePoints) => String.fromCodePoint(...codePoints))

function render(name: string): Promise<{ html: Buffer; pdf: Buffer }> {
  const facts = contractFacts({ name: `A ${name}` })
  const identity = { contractId: facts.customerId, acceptedAt: facts.acceptedAt }
  return renderer.render(buildContractDocument(facts), identity, documentFormats)
}

test('a contract can be rendered for a name in any script with any characters', async () => {
  await fc.assert(
    fc.asyncProperty(letters, async (name) => {
      const { html, pdf } = await render(name)
      assert.ok(html.length > 10_000 && pdf.length > 10_000)
    }),
    { numRuns: isFullSize ? 40 : 12 },
  )
})

test('a Gurmukhi name, whose marks have no anchors in the font, is still rendered', async () => {
  const { pdf } = await render('ਗੁਰਮੀਤ ਸਿੰਘ')
  assert.ok(pdf.includes('/FontFile2'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import { contractFacts, fibreLine, wifiAddOn } from './contract-facts.fixture.ts'
import { documentTexts, withoutWhitespace } from './document-texts.ts'
import { htmlText } from './html-text.ts'
import { readPdf } from './pdf-contents.ts'
import { renderContract } from './rendering.fixture.ts'

const longName = 'Maximiliana-Alexandrina Żółć-Nguyễn Thị Κωνσταντίνου Шевченко Wolfeschlegelsteinhausenbergerdorfffff'
const longProduct = { ...fibreLine, name: 'Whole-home fibre with everything '.repeat(4).slice(0, 100) }

const households: Record<string, ContractFacts> = {
  'three tenants with every service': contractFacts(),
  'twelve tenants for two years with the longest names': contractFacts({
    tenants: 12,
    months: 24,
    name: longName,
    products: [longProduct, wifiAddOn],
    environment: 'live',
  }),
  'one tenant, energy only, a one-month contract': contractFacts({
    services: ['electricity', 'gas'],
    tenants: 1,
    months: 1,
  }),
  'broadband only': contractFacts({ services: ['broadband'], tenants: 2, months: 6, mprn: null }),
  'a property without gas': contractFacts({ services: ['electricity', 'broadband'], mprn: null }),
}

for (const [household, facts] of Object.entries(households)) {
  test(`HTML and PDF of ${household} contain exactly the document's texts, in order`, async () => {
    const { document, html, pdf } = await renderContract(facts)
    const expected = withoutWhitespace(documentTexts(document).join(''))
    const contents = await readPdf(pdf)

    assert.equal(withoutWhitespace(htmlText(html)), expected)
    assert.equal(withoutWhitespace(contents.pages.map(({ text }) => text).join('')), expected)
  })
}

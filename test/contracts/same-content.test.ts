import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import { formatPounds } from '../../src/platform/kernel/money.ts'
import type { CostFigures } from '../../src/quoting/pricing/price.ts'
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

  test(`the document of ${household} contains every figure of its price and payment plan`, async () => {
    const { document } = await renderContract(facts)
    const texts = new Set(documentTexts(document))
    const { price, payments } = facts
    const share = price.shares.find(({ tenantId }) => tenantId === facts.customerId)
    assert.ok(share)

    const own = [share, ...share.lines].flatMap(figuresOf)
    const household = [price, ...price.lines].flatMap(({ monthlyCost, totalCost }) =>
      [monthlyCost, totalCost].map(formatPounds),
    )
    const setup = share.lines.filter(({ setupCost }) => setupCost > 0).flatMap(setupFiguresOf)
    for (const figure of [...own, ...household, ...setup]) assert.ok(texts.has(figure), `${figure} is missing`)
    const planned = document.sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'table' && block.caption === 'Your payments' ? [block] : [])),
    )[0]
    assert.deepEqual(
      planned?.rows.map((row) => row[2]),
      payments.map(({ amount }) => formatPounds(amount)),
    )
    assert.equal(planned?.total?.[2], formatPounds(share.totalCost))
  })
}

function figuresOf(cost: CostFigures): string[] {
  const { weeklyCost, monthlyCost, yearlyCost, totalCost, totalNet, totalVat } = cost
  return [weeklyCost, monthlyCost, yearlyCost, totalCost, totalNet, totalVat].map(formatPounds)
}

function setupFiguresOf({ setupCost, setupNet, setupVat }: CostFigures): string[] {
  return [setupCost, setupNet, setupVat].map(formatPounds)
}

test('the worked example shows the documented figures', () => {
  const texts = documentTexts(buildContractDocument(contractFacts())).join('\n')
  for (const figure of [
    '£58.82 per month',
    '£94.42 on 1 February 2027',
    '£26.58, is on 4 January 2028',
    '£176.46',
    '£2,127.58',
    '£709.20',
  ]) {
    assert.ok(texts.includes(figure), figure)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import type { ContractFacts, HouseholdAgreement } from '../../src/contracts/contract-facts.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { contractFacts } from './contract-facts.fixture.ts'
import { documentTexts, withoutWhitespace } from './document-texts.ts'
import { htmlText } from './html-text.ts'
import { readPdf } from './pdf-contents.ts'
import { renderContract } from './rendering.fixture.ts'

/** The facts of a household whose agreement has come this far. */
function factsOf(agreement: Partial<HouseholdAgreement>, tenants = 3): ContractFacts {
  const known = { draft: false, lapsesAfter: null, takesOver: false, contractNumber: null, ...agreement }
  return { ...contractFacts({ tenants }), agreement: known }
}
const textOf = (facts: ContractFacts) => documentTexts(buildContractDocument(facts)).join('\n')
const lapsesAfter = isoDate('2027-01-03')

test('every page of a draft says that it is not a contract, and the draft names no moment of acceptance', async () => {
  const facts = factsOf({ draft: true, lapsesAfter })
  const { html, pdf } = await renderContract(facts)
  const { pages, metadata } = await readPdf(pdf)
  for (const [index, page] of pages.entries()) {
    const marked = withoutWhitespace(index === 0 ? page.text : page.artifactText)
    assert.ok(marked.includes('DRAFT–notacontract'), `page ${index + 1}`)
  }
  assert.ok(htmlText(html).trimStart().startsWith('DRAFT – not a contract'))
  assert.match(metadata, /Draft for quote quote_01/)
  const text = textOf(facts)
  assert.match(text, /You have not agreed to anything yet\./)
  assert.doesNotMatch(text, /20 December 2026|14:03|You accepted|tenant_01|contract number/i)
})

test('until every tenant has accepted nobody owes anything, and the document says so with the date', () => {
  for (const draft of [true, false]) {
    const text = textOf(factsOf({ draft, lapsesAfter }))
    assert.match(text, /The contract takes effect when all three tenants have accepted\./)
    assert.match(
      text,
      /Until then nobody owes anything\. If somebody has not accepted by the end of 3 January 2027, there is no contract and nobody pays\./,
    )
  }
  assert.match(textOf(factsOf({ lapsesAfter }, 2)), /when both tenants have accepted/)
  const unlocked = textOf(factsOf({ draft: true }))
  assert.match(unlocked, /Until then nobody owes anything\./)
  assert.doesNotMatch(unlocked, /by the end of/)
})

test('before the contract takes effect, the 14 days have no date and the tenant can withdraw at any time', () => {
  const text = textOf(factsOf({ lapsesAfter }))
  assert.match(
    text,
    /The contract takes effect when every tenant of your household has accepted\. The 14 days are counted/,
  )
  assert.match(text, /Before the contract takes effect, you can withdraw at any time and pay nothing\./)
  assert.match(
    text,
    /14 days to cancel\nYou can cancel without giving a reason\. The days begin when the contract takes effect\./,
  )
})

test('the last tenant to accept, a sole tenant and an earlier contract see the last day to cancel', () => {
  const { agreement: _, ...earlier } = factsOf({})
  for (const facts of [factsOf({}), factsOf({}, 1), earlier]) {
    const text = textOf(facts)
    assert.match(text, /The contract took effect when you accepted it, on 20 December 2026 at 14:03 \(UK time\)\./)
    assert.match(text, /You can cancel until the end of 3 January 2027\./)
    assert.doesNotMatch(text, /nobody owes/)
  }
})

test('the draft of a sole tenant takes effect when they accept, and mentions no other tenant', () => {
  const text = textOf(factsOf({ draft: true }, 1))
  assert.match(text, /The contract takes effect when you accept\. Until then you owe nothing\./)
  assert.doesNotMatch(text, /(?:other|another|every|all) tenants?/)
})

test('the contract number is printed where the tenant needs it; an earlier contract is named by the customer id', async () => {
  const { document, pdf } = await renderContract(factsOf({ contractNumber: '4821-7730-9' }))
  const text = documentTexts(document).join('\n')
  assert.match(text, /Contract number\n4821-7730-9/)
  assert.match(text, /I hereby give notice .* contract number 4821-7730-9\./)
  assert.doesNotMatch(text, /tenant_01/)
  const { pages } = await readPdf(pdf)
  for (const { artifactText } of pages) assert.match(artifactText, /Contract 4821-7730-9/)
  assert.match(textOf(contractFacts()), /Contract number\ntenant_01/)
})

test('the document names no other tenant, by id or otherwise', () => {
  for (const facts of [contractFacts(), factsOf({ draft: true, lapsesAfter }), factsOf({ lapsesAfter })]) {
    assert.doesNotMatch(textOf(facts), /tenant_0[23]/)
  }
})

test('the document of a usual household has at most eight pages, as a draft too', async () => {
  const households = [
    contractFacts(),
    contractFacts({ tenants: 1 }),
    factsOf({ draft: true, lapsesAfter }),
    factsOf({ lapsesAfter, contractNumber: '4821-7730-9' }),
  ]
  for (const facts of households) {
    const { pages } = await readPdf((await renderContract(facts)).pdf)
    assert.ok(pages.length <= 8, `${pages.length} pages`)
  }
})

test('a tenant who takes over a share does not wait for anybody, and the document says whose share it is', () => {
  const draft = textOf(factsOf({ draft: true, takesOver: true }))
  assert.match(draft, /You take over the share of a tenant who leaves, at the same rates\. This is your equal share/)
  assert.match(draft, /The contract takes effect when you accept\./)
  assert.match(draft, /what is left of one of the 3 equal shares/)
  assert.doesNotMatch(draft, /differ by a penny/)
  const agreed = textOf(factsOf({ takesOver: true, contractNumber: '4821-7730-9' }))
  assert.match(agreed, /You can cancel until the end of 3 January 2027\./)
  assert.doesNotMatch(agreed, /all three tenants have accepted/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Service, serviceNames } from '../../src/quoting/packages/services.ts'
import { contractFacts } from './contract-facts.fixture.ts'
import { withoutWhitespace } from './document-texts.ts'
import { htmlText } from './html-text.ts'
import { readPdf } from './pdf-contents.ts'
import { renderContract } from './rendering.fixture.ts'

/** Words that a contract may use only if it includes the service: these, or else the name of the service. */
const ownWords: Partial<Record<Service, RegExp>> = {
  electricity: /electric|\bMPAN\b|Sample Power/i,
  gas: /\bgas\b|\bMPRN\b|Sample Gas/i,
  broadband: /broadband|router|equipment|Mbps|download|fibre|wi-?fi|9\.98|communications|telecom/i,
}
const wordsOf = (service: Service) => ownWords[service] ?? new RegExp(`\\b${service}\\b`, 'i')
const energyWords = /energy|meter|kWh|Ofgem/i
const wordsOfSeveral =
  /tenant leaves|another tenant|other tenant|each tenant|all tenants|housemate|\bshares?\b|sharing/i
const wordsOfSole = /only tenant/i

const combinations: Service[][] = [
  ['electricity'],
  ['gas'],
  ['broadband'],
  ['electricity', 'gas'],
  ['electricity', 'broadband'],
  ['gas', 'broadband'],
  ['electricity', 'gas', 'broadband'],
]

/** The text of a contract, which must be the same in the PDF as in the HTML. */
async function textOf(household: Parameters<typeof contractFacts>[0]): Promise<string> {
  const { html, pdf } = await renderContract(contractFacts(household))
  const { pages } = await readPdf(pdf)
  const text = htmlText(html)
  assert.equal(withoutWhitespace(pages.map((page) => page.text).join('')), withoutWhitespace(text))
  return text
}

for (const services of combinations) {
  for (const tenants of [1, 2, 6]) {
    test(`a contract says nothing of what is not in it: ${services.join(', ')}; tenants: ${tenants}`, async () => {
      const text = await textOf({ services, tenants })
      for (const service of serviceNames()) {
        if (services.includes(service)) assert.match(text, wordsOf(service))
        else assert.doesNotMatch(text, wordsOf(service))
      }
      if (services.every((service) => service === 'broadband')) assert.doesNotMatch(text, energyWords)
      else assert.match(text, energyWords)
      assert.doesNotMatch(text, tenants === 1 ? wordsOfSeveral : wordsOfSole)
    })
  }
}

test('broadband that is selected without a line appears only in the sentence that it is not included', async () => {
  const text = await textOf({ services: ['electricity', 'broadband'], products: [] })
  const sentence = 'Broadband is not part of this contract.'
  assert.equal(text.split(sentence).length - 1, 2, 'at a glance, and in section 2')
  assert.doesNotMatch(text.replaceAll(sentence, ''), wordsOf('broadband'))
})

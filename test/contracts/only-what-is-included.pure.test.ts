import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import { type Service, serviceNames } from '../../src/quoting/packages/services.ts'
import { contractFacts } from './contract-facts.fixture.ts'
import { documentTexts } from './document-texts.ts'

/** Words that a contract may use only if it includes the service: these, or else the name of the service. */
const ownWords: Partial<Record<Service, RegExp>> = {
  electricity: /electric|\bMPAN\b|Sample Power/i,
  gas: /\bgas\b|\bMPRN\b|Sample Gas/i,
  broadband: /broadband|router|equipment|Mbps|download|fibre|wi-?fi|10\.34|communications|telecom/i,
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

/** The texts of a contract, which both of its forms have (same-content.test.ts). */
const textOf = (household: Parameters<typeof contractFacts>[0]) =>
  documentTexts(buildContractDocument(contractFacts(household))).join(' ')

/** Contracts of every length: with many payments, with two, with one, and one that is over within days. */
const lengths = {
  year: { months: 12 },
  'two payments': { months: 2 },
  'one payment': { months: 1 },
  'ten days from tomorrow': { days: 10, startsOn: '2026-12-21' },
}

const cases = combinations.flatMap((services) => [
  ...[1, 2, 6].map((tenants) => ({ services, tenants, length: 'year' as keyof typeof lengths })),
  { services, tenants: 2, length: 'two payments' as const },
  { services, tenants: 1, length: 'one payment' as const },
  { services, tenants: 3, length: 'ten days from tomorrow' as const },
])

/** Sentences that are true of every contract of this length, and those that are not. */
function checkLength(text: string, { services, length }: (typeof cases)[number]): void {
  const says = (sentence: RegExp, expected: boolean) =>
    expected ? assert.match(text, sentence) : assert.doesNotMatch(text, sentence)
  const isLong = length === 'year'
  says(/You pay\s+£[\d,.]+ per month/, isLong)
  says(/We then take a payment from your card each month/, isLong)
  says(/We then take one more payment from your card/, length === 'two payments')
  says(
    /We take one payment from the card you registered, on the 1st of a month/,
    ['one payment', 'ten days from tomorrow'].includes(length),
  )
  says(
    /The first is for a period that began before that day. Each other is in advance/,
    isLong || length === 'two payments',
  )
  says(/Tell us at least 30 days before/, length !== 'ten days from tomorrow')
  says(/There is no exit fee\. /, length === 'one payment')
  says(/exit fee of £20\.00/, isLong || length === 'two payments')
  says(/you leave early or/, isLong || length === 'two payments')
  says(/This contract is too short to be ended early: a notice of 30 days/, length === 'ten days from tomorrow')
  says(
    /You do not lose this right before the period ends/,
    services.some((service) => service !== 'broadband'),
  )
  says(/and more only where section 3 says so/, true)
  says(/except what you owe for supply that began at your request and charges for failed payments/, true)
  says(/We do not make your tenancy depend on this, and you may choose your own suppliers instead\./, true)
  says(
    /within eight weeks/,
    services.some((service) => service !== 'broadband'),
  )
  says(/within six weeks/, services.includes('broadband'))
  says(/monthly in advance|and nothing more|42 days|We pay back everything you have paid us\./, false)
}

for (const each of cases) {
  const { services, tenants, length } = each
  test(`a contract says only what is true of it: ${services.join(', ')}; tenants: ${tenants}; ${length}`, () => {
    const text = textOf({ services, tenants, ...lengths[length] })
    checkLength(text, each)
    for (const service of serviceNames()) {
      if (services.includes(service)) assert.match(text, wordsOf(service))
      else assert.doesNotMatch(text, wordsOf(service))
    }
    if (services.every((service) => service === 'broadband')) assert.doesNotMatch(text, energyWords)
    else assert.match(text, energyWords)
    const [right, wrong] = tenants === 1 ? [wordsOfSole, wordsOfSeveral] : [wordsOfSeveral, wordsOfSole]
    assert.match(text, right)
    assert.doesNotMatch(text, wrong)
  })
}

test('broadband that is selected without a line appears only in the sentence that it is not included', () => {
  const text = textOf({ services: ['electricity', 'broadband'], products: [] })
  const sentence = 'Broadband is not part of this contract.'
  assert.equal(text.split(sentence).length - 1, 2, 'at a glance, and in section 2')
  assert.doesNotMatch(text.replaceAll(sentence, ''), wordsOf('broadband'))
})

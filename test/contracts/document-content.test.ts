import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import type { Section } from '../../src/contracts/document.ts'
import type { OperatorFile } from '../../src/contracts/operator-file.ts'
import { pence } from '../../src/platform/kernel/money.ts'
import { serviceRow } from '../../src/quoting/packages/services.ts'
import { autumnCard, summerCard, withSetupFee } from '../../src/quoting/pricing/rate-card.fixture.ts'
import type { RegionalRate } from '../../src/quoting/rates/rate-card.ts'
import { contractFacts, fibreLine, sampleOperator, wifiAddOn } from './contract-facts.fixture.ts'
import { documentTexts } from './document-texts.ts'

/** The services of the household in the fixture. */
const soldServices = [...new Set(autumnCard.packages.map(({ type }) => type))]
const soldSuppliers = soldServices.flatMap((service) => sampleOperator.suppliers[service] ?? [])

const textOf = (facts: ContractFacts) => documentTexts(buildContractDocument(facts)).join('\n')
const sectionIds = (facts: ContractFacts) => buildContractDocument(facts).sections.map(({ id }) => id)

function sectionOf(facts: ContractFacts, id: string): Section {
  const section = buildContractDocument(facts).sections.find((each) => each.id === id)
  assert.ok(section, `no section ${id}`)
  return section
}

const withElectricityRate = (rate: RegionalRate) => ({
  ...autumnCard,
  packages: autumnCard.packages.map((each) => (each.type === 'electricity' ? { ...each, rates: { GB: rate } } : each)),
})

const headingsOf = (section: Section) =>
  section.blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []))

test('every text in the operator file appears in the document', () => {
  const text = textOf(contractFacts())
  const {
    earlyExit: _,
    latePayment: __,
    suppliers: ___,
    look: ____,
    privacyNotice: _____,
    complaints,
    ...others
  } = sampleOperator
  const sections = soldServices.map((service) => serviceRow(service).contractSection)
  const isAboutSold = ([key]: [string, unknown]) =>
    !key.endsWith('Ombudsman') || sections.some((section) => key.startsWith(section))
  const texts = [others, soldSuppliers, Object.fromEntries(Object.entries(complaints).filter(isAboutSold))]
  const conditions = ['services', 'household']
  const leaves = (value: unknown): string[] => {
    if (typeof value === 'string') return value.split('\n')
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, each]) => (conditions.includes(key) ? [] : leaves(each)))
  }
  for (const leaf of leaves(texts)) assert.ok(text.includes(leaf), leaf)
})

test('the document contains no identifiers from the source code', () => {
  const facts = contractFacts({ products: [fibreLine, wifiAddOn], earlySupplyRequested: true })
  const words = textOf(facts).match(/\b[a-z]{2,}[A-Z]\w*/g) ?? []
  assert.deepEqual(words, [])
})

test('the assumed usage says if it is that of a home without gas', () => {
  const facts = contractFacts({ services: ['electricity'] })
  assert.match(textOf(facts), /what a household of three people uses in a year/)
  const price = { ...facts.price, consumptionBasis: { occupants: 3, withoutGas: true } }
  assert.match(textOf({ ...facts, price }), /what a household of three people in a home without gas uses in a year/)
})

test('every item that Schedule 2 requires appears in the document', () => {
  const text = textOf(contractFacts())
  const items = {
    'main characteristics': 'Electricity for the whole home, 15 January 2027 to 14 January 2028',
    'for whom the trader acts': 'Who we act for',
    'complaints address': 'Sample Bills, Complaints',
    'total price with taxes': 'With VAT',
    'extra charges': 'There is no delivery charge',
    'monthly total': '£58.82 per month',
    'cost of contact': 'Cost of contacting us',
    'where the contract can be seen and changed':
      'Go to https://bills.example.com/my-bills: we send a link to the e-mail address that you gave us',
    'how data is used': 'https://bills.example.com/privacy',
    'payment and performance': 'We provide each service from the first day shown for it until the last.',
    'right to cancel': 'You have the right to cancel this contract within 14 days without giving any reason.',
    'its loss': 'You do not lose this right before the period ends, even if everything was supplied.',
    'returning goods': 'We bear the cost of returning it.',
    'paying for supply begun on request': 'in proportion to what has been supplied',
    conformity: 'We are under a legal duty',
    'after-sales': 'Help after you buy',
    codes: 'Codes of conduct',
    duration: 'You pay for each service from its first day to its last',
    'minimum duration': 'the end of the minimum term',
    deposits: 'Deposits and guarantees',
    redress: 'Sample Energy Ombudsman',
    'own share only': 'You are liable for your own share only',
    'VAT alters nothing': 'does not go up or down if the law on VAT changes',
    'assumed usage': 'the price does not depend on your meter readings',
  }
  for (const [item, words] of Object.entries(items)) assert.ok(text.includes(words), item)
})

test('the cancellation period ends 14 days after the day in London on which the terms were accepted', () => {
  assert.match(textOf(contractFacts()), /until the end of 3 January 2027/)
  const lateAtNight = { ...contractFacts(), acceptedAt: new Date('2027-06-01T23:30:00Z') }
  assert.match(textOf(lateAtNight), /until the end of 16 June 2027/)
})

test('only broadband alone can end the right to cancel, and only if all of it is supplied within the period', () => {
  const right = (household: Parameters<typeof contractFacts>[0]) =>
    JSON.stringify(sectionOf(contractFacts(household), 'cancel'))
  const never = /You do not lose this right before the period ends, even if everything was supplied\./
  const short = { days: 10, startsOn: '2026-12-21' }
  for (const services of [['electricity'], ['gas', 'broadband']] as const)
    for (const length of [{}, short]) assert.match(right({ services, ...length }), never)
  assert.match(right({ services: ['broadband'] }), /Your contract is longer than that, so you keep the right/)
  assert.match(right({ services: ['broadband'], ...short }), /When we have done so, .* you lose the right to cancel\./)
})

test('what is not paid back after cancelling is named, and only if there can be any', () => {
  const { latePayment: _, ...withoutFees } = sampleOperator
  const none = contractFacts({ earlySupplyRequested: false, operator: withoutFees })
  assert.match(textOf(none), /We pay back everything you have paid us\. /)
  assert.match(textOf(none), /You pay more only if you leave early or the terms at the end say so\./)
  const free = { ...withoutFees, terms: { ...sampleOperator.terms, clauses: [] } }
  const short = contractFacts({ operator: free, months: 1 })
  assert.match(textOf(short), /There is nothing else to pay\./)
  assert.match(textOf(short), /You owe your own share, £[\d.]+, and nothing more\./)
})

test('broadband that begins later than the contract is described as paid for from its own first day', () => {
  const facts = contractFacts({ services: ['broadband'], broadbandStartsOn: '2027-01-20' })
  assert.match(textOf(facts), /Set-up, 20 to 31 January 2027 and February 2027/)
})

test('the document says what leaving early costs, with an example in its own dates and price', () => {
  const leaving = (facts: ContractFacts) => JSON.stringify(sectionOf(facts, 'duration'))
  assert.match(
    leaving(contractFacts()),
    /if you tell us on 15 April 2027, the contract can end on 15 May 2027\. You then pay an exit fee of £20\.00\. If your tenancy ends, or your last day is 26 November 2027 or later, you pay none\./,
  )
  assert.doesNotMatch(leaving(contractFacts({ months: 5 })), /For example/)
  const tells = (facts: ContractFacts) =>
    JSON.stringify(buildContractDocument(facts).keyFacts).includes(
      'If your tenancy ends, you can end this contract on the same day without a fee: you pay your share until that day and nothing for the time after. Tell us 14 days before if you can. If you tell us later, it still ends on your tenancy’s last day once that day is confirmed.',
    )
  const { earlyExit: exit, ...operator } = sampleOperator
  const withoutWaiver = { ...sampleOperator, earlyExit: { ...exit, waivedFor: [] } } as OperatorFile
  assert.deepEqual([tells(contractFacts()), tells(contractFacts({ operator: withoutWaiver }))], [true, false])
  const term = (terms: OperatorFile) =>
    textOf(contractFacts({ operator: terms })).includes('or until your tenancy ends')
  assert.deepEqual([term(sampleOperator), term(withoutWaiver)], [true, false])
  assert.match(leaving(contractFacts({ operator })), /These terms do not say how to end the contract early/)
  assert.doesNotMatch(leaving(contractFacts({ operator })), /exit fee/)
})

test('the broadband summary keeps the prescribed order', () => {
  assert.deepEqual(headingsOf(sectionOf(contractFacts(), 'broadband')), [
    'Provider',
    'Services and equipment',
    'Speeds, and what you can do if your broadband is slower',
    'Price',
    'Duration, renewal and ending',
    'Features for users with disabilities',
    'Other information',
  ])
})

test('the energy terms say charges, duration, ending, fees and deposit, "None" if there is none', () => {
  const stated = (facts: ContractFacts) =>
    sectionOf(facts, 'energy').blocks.flatMap((block) => (block.kind === 'details' ? block.items : []))
  const linesOf = (facts: ContractFacts, term: string) => stated(facts).find((item) => item.term === term)?.lines
  const terms = stated(contractFacts()).map(({ term }) => term)
  assert.deepEqual(terms, ['Charges', 'Duration', 'Ending', 'Fees', 'Deposit'])
  const { latePayment: _, ...withoutFees } = sampleOperator
  const facts = contractFacts({ operator: withoutFees })
  assert.deepEqual([linesOf(facts, 'Deposit'), linesOf(facts, 'Fees')], [['None'], ['None']])
  const withDeposit = { ...sampleOperator, terms: { ...sampleOperator.terms, deposit: 'A deposit of £50.' } }
  assert.match(linesOf(contractFacts({ operator: withDeposit }), 'Deposit')?.join(' ') ?? '', /Section 4/)
})

test('the sections that others refer to by number have these numbers', () => {
  for (const facts of [contractFacts(), contractFacts({ services: ['broadband'], tenants: 1 })]) {
    assert.deepEqual(sectionIds(facts).slice(0, 5), ['who', 'what', 'price', 'payments', 'duration'])
    for (const [number] of textOf(facts).matchAll(/Section \d+/g)) assert.match(number, /^Section [245]$/)
  }
})

test('the document shows the rates on which the price is based, two of a two-rate meter, and names their region', () => {
  const basis = (facts: ContractFacts) =>
    sectionOf(facts, 'price').blocks.flatMap((block) =>
      block.kind === 'table' && block.caption.startsWith('Rates') ? [block.caption, ...block.rows.flat()] : [],
    )
  assert.match(
    textOf(contractFacts({ services: ['electricity', 'gas'] })),
    /The rates are as published for October to December 2026, with VAT:/,
  )
  assert.deepEqual(basis(contractFacts({ services: ['electricity', 'gas'], card: summerCard })), [
    'Rates and assumed usage: Autumn 2026, London',
    'Standard electricity',
    '2,500 kWh',
    '26.35p',
    '44.78p',
    'Standard gas',
    '9,500 kWh',
    '7.50p',
    '29.52p',
  ])
  assert.throws(() => textOf({ ...contractFacts(), rateCard: summerCard }), RangeError)

  const twoRate = { dayRate: '31.64', nightRate: '14.92', nightShare: '0.42', standingCharge: '60.5' }
  const card = withElectricityRate({ unitRate: '26.32', standingCharge: '54.83', vatRate: '0', twoRate })
  const rowOf = (registers: 'single' | 'two_rate') =>
    basis(contractFacts({ services: ['electricity'], card, registers })).slice(2)
  assert.deepEqual(rowOf('single'), ['2,500 kWh', '26.32p', '54.83p'])
  assert.deepEqual(rowOf('two_rate'), ['2,500 kWh', '31.64p by day, 14.92p by night (42% of the use)', '60.5p'])
})

test('VAT rates are listed with their dates, electricity in two periods', () => {
  const rows = sectionOf(contractFacts(), 'price').blocks.flatMap((block) =>
    block.kind === 'table' && block.caption === 'VAT rates in the price' ? block.rows : [],
  )
  assert.deepEqual(rows, [
    ['Standard electricity', '0%', '15 January to 31 March 2027'],
    ['Standard electricity', '5%', '1 April 2027 to 14 January 2028'],
    ['Standard gas', '5%', '15 January 2027 to 14 January 2028'],
    ['Fibre 150', '20%', '15 January 2027 to 14 January 2028'],
    ['Set-up: Fibre 150', '20%', 'Once'],
  ])
})

test('a VAT rate of 0% is explained, with the rate that follows, and only if it occurs', () => {
  const explained = (facts: ContractFacts) => /0% is not a mistake.*/.exec(textOf(facts))?.[0]
  assert.equal(
    explained(contractFacts()),
    '0% is not a mistake. By law, there is no VAT on electricity in this time, 15 January to 31 March 2027. From 1 April 2027 it is 5%.',
  )
  assert.equal(
    explained(contractFacts({ months: 1 })),
    '0% is not a mistake. By law, there is no VAT on electricity in this time, 15 January to 14 February 2027.',
  )
  assert.equal(explained(contractFacts({ services: ['gas', 'broadband'] })), undefined)
})

test('the broadband summary states download, upload, normal and minimum speed, or that the provider did not state them', () => {
  const speeds = (facts: ContractFacts) =>
    sectionOf(facts, 'broadband').blocks.flatMap((block) =>
      block.kind === 'details' ? block.items.map(({ term, lines }) => `${term}: ${lines.join()}`) : [],
    )
  assert.deepEqual(speeds(contractFacts({ products: [fibreLine, wifiAddOn] })), [
    'Download: 150 Mbps',
    'Upload: 30 Mbps',
    'Normally available: 145 Mbps download. Expect this at most times of the day',
    'Minimum: 75 Mbps download. The provider guarantees at least this',
  ])
  const { speeds: _, ...storedEarlier } = fibreLine
  assert.deepEqual(speeds(contractFacts({ products: [storedEarlier] })), [
    'Download: 150 Mbps',
    'Other speeds: The provider has not stated the upload, normal and minimum speeds',
  ])
})

test('each supplier is named once, with its address and phone number', () => {
  const text = textOf(contractFacts({ products: [fibreLine, wifiAddOn] }))
  for (const { name, phone } of soldSuppliers) {
    assert.equal(text.split(name).length - 1, 1, name)
    assert.equal(text.split(phone).length - 1, 1, phone)
  }
})

test('the first payment is explained in the box at the top', () => {
  const first = (facts: ContractFacts) => {
    const { keyFacts } = buildContractDocument(facts)
    return keyFacts?.facts.find(({ label }) => /payment/.test(label))?.note ?? ''
  }
  assert.match(
    first(contractFacts()),
    /^It is more than a month’s price, because it pays for set-up, 15 to 31 January 2027 and February 2027\. We then take/,
  )
  assert.match(first(contractFacts({ months: 1 })), /^It is more than .*set-up.* There are no more payments\.$/)
  const facts = contractFacts()
  const [payment] = facts.payments
  assert.ok(payment)
  const only = (amount: number) => ({
    ...facts,
    payments: [{ ...payment, amount: pence(amount), description: 'March 2027' }],
  })
  assert.match(first(only(5_883)), /^It pays for March 2027\./)
  assert.match(first(only(0)), /^Nothing is due\./)
})

test('an energy set-up fee is listed among the energy fees', () => {
  const fees = (facts: ContractFacts) => JSON.stringify(sectionOf(facts, 'energy'))
  assert.match(fees(contractFacts()), /There is no set-up fee for energy\./)
  assert.match(fees(contractFacts({ card: withSetupFee(autumnCard, 'gas', 2_400) })), /Set-up costs you £8\.00\./)
})

test('no table of figures occurs twice, and a sole tenant gets no household table', () => {
  const tables = (facts: ContractFacts) =>
    buildContractDocument(facts).sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'table' ? [block] : [])),
    )
  for (const tenants of [1, 2, 12]) {
    const rows = tables(contractFacts({ tenants })).map((table) => JSON.stringify(table.rows))
    assert.equal(new Set(rows).size, rows.length)
  }
  const captions = (tenants: number) => tables(contractFacts({ tenants })).map(({ caption }) => caption)
  assert.ok(captions(2).includes('The whole household, with VAT'))
  assert.ok(!captions(1).some((caption) => /household/.test(caption)))
})

test('only a live contract with a real operator has no sample mark', () => {
  const mark = (facts: ContractFacts) => buildContractDocument(facts).mark
  const { sample: _, ...realOperator } = sampleOperator
  assert.equal(mark(contractFacts({ environment: 'live', operator: realOperator })), null)
  assert.equal(mark(contractFacts({ environment: 'live' })), 'Sandbox sample, not a contract')
  assert.equal(mark(contractFacts({ operator: realOperator })), 'Sandbox sample, not a contract')
})

test('facts without the tenant’s own share are rejected', () => {
  assert.throws(() => buildContractDocument({ ...contractFacts(), customerId: 'tenant_other' }), /no share/)
})

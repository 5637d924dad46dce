import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Ajv } from 'ajv'
import { liveProblems, readOperatorFile, UnusableFileError } from '../../src/app/operator-file.ts'
import { operatorFileSchema } from '../../src/contracts/operator-file.ts'
import { sampleOperator } from './contract-facts.fixture.ts'

const validate = new Ajv({ allErrors: true, strict: true }).compile(operatorFileSchema())

test('the sample operator file that ships with Housebill is valid', () => {
  assert.equal(validate(sampleOperator), true, JSON.stringify(validate.errors))
})

test('the sample operator is marked as a sample, and its names, numbers and addresses belong to no one', () => {
  assert.equal(sampleOperator.sample, true)
  const { trader, suppliers, complaints } = sampleOperator
  for (const { name } of [trader, ...Object.values(suppliers)]) assert.match(name, /^Sample /)
  // Ofcom reserves 01632 960000 to 960999 for drama.
  for (const { phone } of [trader, complaints, ...Object.values(suppliers)]) assert.match(phone, /^01632 960\d{3}$/)
  const text = JSON.stringify(sampleOperator)
  for (const [, host] of text.matchAll(/(?:https?:\/\/|@)([a-z-]+(?:\.[a-z-]+)*)/g))
    assert.match(host ?? '', /\.example\.com$/)
})

test('an operator file with an unknown field, a missing term or a blank name is rejected', () => {
  const { trader, terms } = sampleOperator
  const { afterSales: _, ...withoutAfterSales } = terms
  assert.equal(validate({ ...sampleOperator, colour: 'blue' }), false)
  assert.equal(validate({ ...sampleOperator, terms: withoutAfterSales }), false)
  assert.equal(validate({ ...sampleOperator, trader: { ...trader, name: '  ' } }), false)
})

test('a condition that no contract can meet is rejected', () => {
  const { terms } = sampleOperator
  const accepts = (condition: object) =>
    validate({ ...sampleOperator, terms: { ...terms, afterSales: [{ text: 'Call us.', ...condition }] } })
  for (const condition of [
    {},
    { services: ['gas'] },
    { household: 'sole' },
    { services: ['gas'], household: 'shared' },
  ])
    assert.equal(accepts(condition), true, JSON.stringify(condition))
  for (const condition of [
    { services: [] },
    { services: ['unknown_service'] },
    { household: 'large' },
    { service: 'gas' },
  ])
    assert.equal(accepts(condition), false, JSON.stringify(condition))
})

test('live needs a privacy notice: an address or a text', () => {
  const { privacyNotice: _, ...without } = sampleOperator
  const real = { ...without, sample: false } as const
  const isMissing = (operator: object) =>
    liveProblems({ ...real, ...operator }, sampleOperator).some((problem) => /has no privacyNotice/.test(problem))
  assert.deepEqual([isMissing({}), isMissing({ privacyNotice: 'https://bills.northern.com/privacy' })], [true, false])
  assert.equal(validate(without), true, 'a sandbox starts without one')
})

test('a version of the terms that cannot be part of a URL is rejected', () => {
  const accepts = (version: string) => validate({ ...sampleOperator, terms: { ...sampleOperator.terms, version } })
  for (const version of ['2027-01', 'v3', '1.2_b']) assert.equal(accepts(version), true, version)
  for (const version of ['May 2027', 'a/b', '3.pdf', '.hidden', '', 'x'.repeat(61)])
    assert.equal(accepts(version), false, version)
})

test('figures for leaving early and paying late are optional, but must be possible', () => {
  const { earlyExit, latePayment, ...without } = sampleOperator
  assert.equal(validate(without), true)
  for (const wrong of [
    { noFeeInLastDays: 48 },
    { noticeDays: -1 },
    { feePence: 19.5 },
    { vatRate: '20%' },
    { vatRate: '1.2' },
    { unpaidSetUpIsDue: 'yes' },
    { colour: 'blue' },
  ]) {
    assert.equal(validate({ ...without, earlyExit: { ...earlyExit, ...wrong } }), false, JSON.stringify(wrong))
  }
  for (const wrong of [{ freeFailures: -1 }, { retryAfterWorkingDays: 0 }, { feePence: -1 }])
    assert.equal(validate({ ...without, latePayment: { ...latePayment, ...wrong } }), false, JSON.stringify(wrong))
})

/** The problems for which a file with these parts in place of the sample's is refused; none if it is accepted. */
async function problemsOf(t: TestContext, parts: object): Promise<UnusableFileError['problems']> {
  const folder = await mkdtemp(join(tmpdir(), 'operator-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'operator.json')
  await writeFile(file, JSON.stringify({ ...sampleOperator, ...parts }))
  return readOperatorFile(file).then(
    () => [],
    (error: unknown) => {
      assert.ok(error instanceof UnusableFileError)
      return error.problems
    },
  )
}

test('a text beside the figures it could contradict stops the start, and the error says what to remove', async (t) => {
  const terms = { ...sampleOperator.terms, endingEarly: 'Leave at any time.', latePayment: 'Pay soon.' }
  const problems = await problemsOf(t, { terms })
  assert.deepEqual(
    problems.map(({ pointer }) => pointer),
    ['/terms/endingEarly', '/terms/latePayment'],
  )
  assert.match(problems[0]?.detail ?? '', /remove it: documents state \/earlyExit in words/)
})

test('a colour that is hard to read on its background stops the start, and the error says what to do', async (t) => {
  const look = { colour: '#767676', colourInDark: '#7f8388' }
  assert.deepEqual(await problemsOf(t, { look }), [])
  assert.deepEqual(await problemsOf(t, { look: { ...look, colour: '#777777', colourInDark: '#0B5C4B' } }), [
    {
      pointer: '/look/colour',
      detail:
        'its contrast with white (#ffffff) is 4.47 to 1, and text needs at least 4.5 to 1 (WCAG 2.2, 1.4.3): choose a darker colour',
    },
    {
      pointer: '/look/colourInDark',
      detail:
        'its contrast with the dark background (#12181f) is 2.25 to 1, and text needs at least 4.5 to 1 (WCAG 2.2, 1.4.3): choose a lighter colour',
    },
  ])
})

test('a logo is a PNG or SVG image within the file, never an address', () => {
  const accepts = (logo: string) => validate({ ...sampleOperator, look: { ...sampleOperator.look, logo } })
  for (const logo of ['data:image/png;base64,iVBORw0KGgo=', 'data:image/svg+xml;base64,PHN2Zy8+'])
    assert.equal(accepts(logo), true, logo)
  for (const logo of [
    'https://bills.example.com/logo.png',
    'data:text/html;base64,PHN2Zy8+',
    'data:image/svg+xml,<svg/>',
    `data:image/png;base64,${'A'.repeat(60_000)}`,
  ])
    assert.equal(accepts(logo), false, logo.slice(0, 60))
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Logger } from 'pino'
import { createLogger } from '../../src/app/logger.ts'
import type { OperatorFile } from '../../src/contracts/operator-file.ts'
import { termsOf } from '../../src/contracts/terms/agreed-terms.ts'
import { findTermsVersion } from '../../src/contracts/terms/terms-versions.store.ts'
import { call } from '../support/client.ts'
import { withDatabase } from '../support/partners.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startTestService } from '../support/service.ts'
import { sampleOperator } from './contract-facts.fixture.ts'
import { withoutWhitespace } from './document-texts.ts'
import { htmlText } from './html-text.ts'
import { readPdf } from './pdf-contents.ts'

const encryptionKeys = `test:${randomBytes(32).toString('base64')}`
let folder: string
let database: TestDatabase
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terms-'))
  database = await createTestDatabase()
})
after(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

/**
 * Starts a sandbox with this operator on the database of this file, and returns what `work` does and the warnings of
 * the start.
 */
async function withOperator<Result>(
  operator: OperatorFile,
  work: (baseUrl: string) => Promise<Result>,
): Promise<{ result: Result; warnings: unknown[][] }> {
  const file = join(folder, 'operator.json')
  await writeFile(file, JSON.stringify(operator))
  const warnings: unknown[][] = []
  const log: Logger = Object.assign(createLogger('silent'), { warn: (...args: unknown[]) => warnings.push(args) })
  const service = await startTestService(
    { OPERATOR_FILE: file, ENCRYPTION_KEYS: encryptionKeys },
    { log, database: { ...database, drop: () => Promise.resolve() } },
  )
  try {
    return { result: await work(service.baseUrl), warnings }
  } finally {
    await service.stop()
  }
}

const withTerms = (own: Partial<OperatorFile['terms']>) => ({
  ...sampleOperator,
  terms: { ...sampleOperator.terms, ...own },
})
const textAt = async (baseUrl: string, path: string) => htmlText(Buffer.from((await call(baseUrl, 'GET', path)).text))

test('a new version is stored at the start, old versions stay readable, and changed text under an old version is ignored with a warning', async () => {
  const first = await withOperator(withTerms({ version: 'v1', deposit: 'No deposit in version one.' }), (baseUrl) =>
    textAt(baseUrl, '/terms/v1'),
  )
  assert.match(first.result, /This is version v1 of our terms/)
  assert.match(first.result, /No deposit in version one\./)
  assert.deepEqual(first.warnings, [])

  const second = await withOperator(withTerms({ version: 'v2', deposit: 'A deposit of £50.' }), async (baseUrl) => [
    await textAt(baseUrl, '/terms/v1'),
    await textAt(baseUrl, '/terms/v2'),
  ])
  assert.match(second.result[0] ?? '', /No deposit in version one\./)
  assert.match(second.result[1] ?? '', /A deposit of £50\./)

  const changed = await withOperator(withTerms({ version: 'v1', deposit: 'A deposit after all.' }), (baseUrl) =>
    textAt(baseUrl, '/terms/v1'),
  )
  assert.match(changed.result, /No deposit in version one\./)
  assert.equal(changed.warnings.length, 1)
  assert.match(JSON.stringify(changed.warnings), /"version":"v1".*change terms\.version/)

  await withDatabase({ connectionString: database.connectionString }, async (db) => {
    const stored = await findTermsVersion(db, 'v2')
    const written = termsOf(withTerms({ version: 'v2', deposit: 'A deposit of £50.' }))
    assert.deepEqual([stored?.text, stored?.sha256], [written.text, written.sha256])
    assert.equal(stored?.words.deposit, 'A deposit of £50.')
    assert.equal(await findTermsVersion(db, 'v3'), undefined)
  })
})

test('the public terms need no credentials, may be cached, and say everything that the version says', async () => {
  const { version } = sampleOperator.terms
  await withOperator(sampleOperator, async (baseUrl) => {
    const page = await fetch(`${baseUrl}/terms/${version}`)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(page.headers.get('cache-control'), 'public, max-age=300')
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    const text = withoutWhitespace(htmlText(Buffer.from(await page.arrayBuffer())))
    const { version: _, clauses, ...texts } = sampleOperator.terms
    const parts = Object.values(texts).flatMap((each) =>
      typeof each === 'string' ? [each] : each.map((part) => part.text),
    )
    for (const each of [...parts, ...clauses.flatMap((clause) => [clause.heading, clause.text])])
      assert.ok(text.includes(withoutWhitespace(each)), each)
    for (const condition of [
      'If your contract includes electricity or gas',
      'If your contract includes broadband',
      'If your household has more than one tenant',
    ])
      assert.ok(text.includes(withoutWhitespace(condition)), condition)
    for (const figures of [
      'an exit fee of £20.00, including VAT at the rates of your services',
      'Each further one costs £5.00',
    ])
      assert.ok(text.includes(withoutWhitespace(figures)), figures)
    assert.ok(text.includes('Sandboxsample'))

    const file = await fetch(`${baseUrl}/terms/${version}.pdf`)
    assert.equal(file.headers.get('content-type'), 'application/pdf')
    const pdf = await readPdf(Buffer.from(await file.arrayBuffer()))
    assert.equal(pdf.marked, true)
    assert.equal(withoutWhitespace(pdf.pages.map((each) => each.text).join('')), text)
    assert.match(pdf.pages[0]?.artifactText ?? '', new RegExp(`Terms ${version}`))
  })
})

test('a version that does not exist returns a 404 page, whatever its spelling', async () => {
  await withOperator(sampleOperator, async (baseUrl) => {
    for (const version of [
      'nothing',
      'nothing.pdf',
      '%00',
      'a%2Fb',
      'x'.repeat(300),
      sampleOperator.terms.version.toUpperCase(),
    ]) {
      const response = await fetch(`${baseUrl}/terms/${version}`)
      assert.equal(response.status, 404, version)
      assert.match(await response.text(), /There are no terms with this version/)
      assert.equal(response.headers.get('cache-control'), 'private, no-store')
    }
  })
})

test('a client that reads the terms too often gets 429', async () => {
  const service = await startTestService({ RATE_LIMIT_PER_SECOND: '2' })
  try {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await fetch(`${service.baseUrl}/terms/nothing`)).status),
    )
    assert.ok(statuses.includes(429) && statuses.includes(404), statuses.join())
  } finally {
    await service.stop()
  }
})

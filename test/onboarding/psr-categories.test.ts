import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

/** The two-digit codes that the energy industry uses for customers' needs. */
// biome-ignore format: rows read better
const everyCode = [
  '01', '02', '03', '04', '08', '09', '12', '14', '15', '17', '18', '19', '20', '22', '23',
  '24', '25', '26', '27', '28', '29', '30', '31', '32', '33', '34', '35', '36', '37',
]

test("the categories are the register's 29 needs codes, each listed once", async () => {
  const { data } = succeeded(await partner.get('/Customers/psr-categories'))
  assert.deepEqual(
    data.map(({ code }) => code),
    everyCode,
  )
})

test('temporary categories need an expiry date, young children need an expiry or a birth date, and others need no date', async () => {
  const { data } = succeeded(await partner.get('/Customers/psr-categories'))
  const asking = data.filter(({ extra }) => extra !== 'none')
  assert.deepEqual(
    asking.map(({ code, extra }) => [code, extra]),
    [
      ['29', 'expiry-date-or-youngest-child'],
      ['32', 'expiry-date'],
      ['33', 'expiry-date'],
      ['34', 'expiry-date'],
    ],
  )
})

test("the categories include those that the specification names, in the industry's words", async () => {
  const { data } = succeeded(await partner.get('/Customers/psr-categories'))
  const names: string[] = data.map(({ name }) => name)
  for (const wanted of [
    /^Blind$/,
    /^Partially sighted$/,
    /^Hearing impairment/,
    /^Mental health$/,
    /^Dementia.*cognitive impairment$/,
    /^Physical impairment$/,
    /^Restricted hand movement$/,
    /^Pensionable age$/,
    /^Families with young children/,
  ])
    assert.equal(names.filter((name) => wanted.test(name)).length, 1, String(wanted))
})

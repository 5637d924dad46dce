import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Property } from '../property.ts'
import { createFinder, type LineMatch, matchLine } from './match-addresses.ts'

/** Numbers that look random and are the same in every run. */
function seeded(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const result = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((result ^ (result >>> 14)) >>> 0) % limit
  }
  return {
    below,
    pick: <T>(choices: readonly T[]): T => choices[below(choices.length)] as T,
    chance: (percent: number) => below(100) < percent,
  }
}
type Random = ReturnType<typeof seeded>

const names = 'Amberwick Brindlecote Hazel Juniper Kestrel Larkmere St_Johns Thistle Victoria Mill Church Otterbridge'
  .split(' ')
  .map((name) => name.replace('_', ' '))
const kinds = ['Road', 'Street', 'Terrace', 'Lane', 'Avenue', 'Grove', 'Close', 'Gardens']
const buildings = ['Rose Court', 'Willow House', 'The Old Mill', 'Beckett Lodge', 'Riverside Tower']

const blank = {
  city: 'Leeds',
  county: 'West Yorkshire',
  country: 'England',
  mpan: null,
  mprn: null,
  meter: null,
} as const

/** The homes of 40 postcodes in 4 sectors, as the lists of councils write them. Streets go over two postcodes. */
function listHomes(random: Random): Property[] {
  const homes: Property[] = []
  for (let block = 0; block < 40; block += 1) {
    const sector = `LS${2 + (block % 4)} ${1 + (block % 4)}`
    const letters = 'ABDEFGHJLN'
    const postcode = `${sector}${letters[Math.floor(block / 4)]}${letters[(block * 7) % 10]}`
    const street = `${names[(Math.floor(block / 8) * 4 + (block % 4)) % names.length]} ${random.pick(kinds)}`
    const first = 1 + random.below(60)
    const add = (addressLine1: string, addressLine2 = '') => {
      const number = homes.length + 1
      const ids = { addressUid: `address_${number}`, uprn: String(number) }
      homes.push({ ...blank, ...ids, addressLine1, addressLine2, postcode, source: 'import', specialCase: null })
    }
    const named = buildings[block % buildings.length] ?? ''
    for (let at = 0; at < 10; at += 1) add(`${first + 2 * at} ${street}`, block % 3 === 0 ? 'Headingley' : '')
    add(`${first + 4}A ${street}`)
    add(`${first + 21}-${first + 23} ${street}`)
    for (let flat = 1; flat <= 6; flat += 1) add(`Flat ${flat}, ${first + 24} ${street}`)
    for (let flat = 1; flat <= 6; flat += 1) add(`Apartment ${flat}, ${named}, ${first + 26} ${street}`)
    for (let flat = 1; flat <= 4; flat += 1) add(`Flat ${flat}`, `${named}, ${street}`)
    for (const flat of ['0/1', '0/2', '1/1', '2/1']) add(`${flat}, ${first + 28} ${street}`)
    for (const flat of ['A', 'B']) add(`Flat ${flat}`, `${first + 30} ${street}`)
    for (const flat of ['Ground Floor', 'First Floor']) add(`${flat} Flat, ${first + 32} ${street}`)
    add(random.pick(['Dairy Cottage', 'Hillcrest', 'Ivy Bank']), street)
  }
  return homes
}

const short: Record<string, string> = {
  Road: 'Rd',
  Street: 'St.',
  Terrace: 'Terr',
  Lane: 'Ln',
  Avenue: 'Ave',
  Grove: 'Gr',
}

/** A home as an agent writes it. */
function write(home: Property, random: Random): string {
  let line = [home.addressLine1, home.addressLine2].filter((part) => part !== '').join(', ')
  if (random.chance(35))
    line = line.replace(/\b(?:Flat|Apartment)\b/, random.pick(['Apt', 'Fl', 'flat', 'Apartment', 'Flat']))
  if (random.chance(15))
    line = line.replace(
      /^(?:Flat|Apartment) (\d), (\d+) /,
      random.pick(['flat $1/$2 ', '$2 Flat $1 ', '$2, flat $1, ']),
    )
  if (random.chance(10)) line = line.replace(/^(?:Flat|Apt) (\d)/, 'Flat$1')
  if (random.chance(20)) line = line.replace(/^(\d+)A /, '$1 a, ')
  for (const [whole, abbreviation] of Object.entries(short))
    if (random.chance(40)) line = line.replace(new RegExp(`${whole}\\b`), abbreviation)
  if (random.chance(30)) line = line.replaceAll(',', '')
  if (random.chance(8)) {
    const long = line.match(/[A-Za-z]{6,}/g) ?? []
    const word = random.pick(long)
    if (word !== undefined && !['Apartment', 'Ground'].includes(word)) {
      const at = 1 + random.below(word.length - 3)
      line = line.replace(word, `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`)
    }
  }
  if (random.chance(40)) line = `${line}, Leeds`
  if (random.chance(10)) line = `${line}, West Yorks`
  const [outward = '', inward = ''] = home.postcode.split(' ')
  const wrong = `${outward} ${inward[0]}${random.pick([...'PQRSTU'])}${inward[2]}`
  const written = random.below(100)
  if (written < 5) line = `${line}, ${wrong}`
  else if (written < 8) line = `${line}, ${outward} ${inward[0]}`
  else line = `${line}${random.pick([', ', ' ', '\n'])}${random.pick([home.postcode, `${outward}${inward}`])}`
  return random.chance(25) ? line.toLowerCase() : random.chance(15) ? line.toUpperCase() : line
}

/** What a list has beside homes: flats and numbers that do not exist, and no flat where there are several. */
function writeDirt(home: Property, random: Random): string {
  const line = `${home.addressLine1}, ${home.addressLine2}`
  const wrong = random.pick([
    line.replace(/^(Flat|Apartment) \d/, '$1 19'),
    line.replace(/^\d+/, '999'),
    line.replace(/^(?:Flat|Apartment) \w+, /, ''),
    line.replace(/^(\d+) /, '$1C '),
    line.replace(/^(\d+) /, 'Flat 9, $1 '),
    line.replace(/(Road|Street|Terrace|Lane|Avenue|Grove|Close|Gardens)/, 'Way'),
    line.replace(/^(\d+) \w+/, '$1 Elsewhere'),
  ])
  return wrong === line ? `999 Nowhere Street, ${home.postcode}` : `${wrong}, ${home.postcode}`
}

/** Finds lines among these homes. */
function finderOf(homes: readonly Property[]) {
  const byPostcode = Map.groupBy(homes, ({ postcode }) => postcode)
  return createFinder({
    findByPostcode: async (postcode) => byPostcode.get(postcode) ?? [],
    findByUprn: async (uprn) => homes.find((home) => home.uprn === uprn) ?? null,
    findInSector: async (sector, word) => {
      const pattern = new RegExp(String.raw`\b${word}[a-z]?\b`, 'i')
      const inSector = homes.filter(({ postcode }) => postcode.startsWith(sector))
      return inSector.filter((home) => pattern.test(`${home.addressLine1} ${home.addressLine2}`))
    },
  })
}

function shown({ outcome, reason, candidates }: LineMatch): string {
  const [first] = candidates
  return `${outcome} ${first === undefined ? reason : `${first.property.addressLine1} ${first.property.addressLine2}`.trim()}`
}

test('of 3,000 addresses as agents write them, 97 in 100 are right at first place, and none is wrong and sure', async (t) => {
  const random = seeded(59)
  const homes = listHomes(random)
  const find = finderOf(homes)
  const wrongAndSure: string[] = []
  const count = { right: 0, sure: 0 }
  for (let line = 0; line < 3_000; line += 1) {
    const home = random.pick(homes)
    const address = write(home, random)
    const match = await matchLine(find, { address })
    const isRight = match.candidates[0]?.property === home
    count.right += Number(isRight)
    count.sure += Number(match.outcome === 'sure')
    if (match.outcome === 'sure' && !isRight) wrongAndSure.push(`${address}: ${shown(match)}`)
  }
  for (let line = 0; line < 600; line += 1) {
    const address = writeDirt(random.pick(homes), random)
    const match = await matchLine(find, { address })
    if (match.outcome === 'sure') wrongAndSure.push(`${address}: ${shown(match)}`)
  }
  t.diagnostic(`${count.right} right, ${count.sure} sure`)
  assert.deepEqual(wrongAndSure, [])
  assert.ok(count.right >= 2_910, `${count.right} of 3,000`)
})

const street = [
  ...['34 Mill Lane', '44 Mill Lane', '44A Mill Lane', '46 Mill Lane', 'Rose Cottage, Mill Lane', '12-14 Mill Lane'],
  ...['Flat 1, 36 Mill Lane', 'Flat 4, 36 Mill Lane', 'Flat A, 48 Mill Lane', 'Apartment 2, Oak House, 50 Mill Lane'],
  ...['0/1, 18 Mill Lane', '0/2, 18 Mill Lane', 'Ground Floor Flat, 20 Mill Lane', 'Flat 7, Elm Court, Mill Lane'],
]
const sampleStreet: Property[] = street.map((addressLine1, at) => ({
  ...{ ...blank, addressUid: `address_${at}`, uprn: String(at + 1), addressLine1, addressLine2: '' },
  ...{ postcode: 'LS2 9JT', source: 'import', specialCase: null },
}))

for (const [address, expected] of [
  ['Flat 4/36 Mill Lane, LS2 9JT', 'sure Flat 4, 36 Mill Lane'],
  ['36 Flat 4 Mill Ln, Leeds ls29jt', 'sure Flat 4, 36 Mill Lane'],
  ['apt 4, 36 mill lane\nleeds\nLS2 9JT', 'sure Flat 4, 36 Mill Lane'],
  ['4, 36 Mill Lane, LS2 9JT', 'choose Flat 4, 36 Mill Lane'],
  ['36 Mill Lane, LS2 9JT', 'choose Flat 1, 36 Mill Lane'],
  ['Flat 9, 36 Mill Lane, LS2 9JT', 'choose Flat 1, 36 Mill Lane'],
  ['44a Mill Lane, LS2 9JT', 'sure 44A Mill Lane'],
  ['44 A Mill Lane, LS2 9JT', 'sure 44A Mill Lane'],
  ['44 Mill Lane, LS2 9JT', 'sure 44 Mill Lane'],
  ['44 Mil Lane, LS2 9JT', 'choose 44 Mill Lane'],
  ['48A Mill Lane, LS2 9JT', 'choose Flat A, 48 Mill Lane'],
  ['34 Mill Road, LS2 9JT', 'choose 34 Mill Lane'],
  ['34 Mill Lane, LS2 9JX', 'choose 34 Mill Lane'],
  ['34 Mill Lane, LS2 9', 'choose 34 Mill Lane'],
  ['34 Mill Lane LS2 OJT', 'none no_property_matches'],
  ['34 Mill Lane, Leeds', 'none postcode_missing'],
  ['34 Mill Lane, BT7 1NN', 'none postcode_not_served'],
  ['Rose Cottage, Mill Lane, LS2 9JT', 'sure Rose Cottage, Mill Lane'],
  ['Apt 2 Oak House 50 Mill Lane LS2 9JT', 'sure Apartment 2, Oak House, 50 Mill Lane'],
  ['Flat 0/2, 18 Mill Lane, LS2 9JT', 'sure 0/2, 18 Mill Lane'],
  ['GFF, 20 Mill Lane, LS2 9JT', 'sure Ground Floor Flat, 20 Mill Lane'],
  ['7 Elm Court, Mill Lane, LS2 9JT', 'choose Flat 7, Elm Court, Mill Lane'],
  ['999 Nowhere Street, LS2 9JT', 'none no_property_matches'],
  ['', 'none postcode_missing'],
] as const)
  test(`the line ${JSON.stringify(address)} gives: ${expected}`, async () => {
    assert.equal(shown(await matchLine(finderOf(sampleStreet), { address })), expected)
  })

test('a UPRN decides if its address and postcode agree with what was written, otherwise the address does', async () => {
  const find = finderOf(sampleStreet)
  const line = { address: '36 Mill Lane', postcode: 'LS2 9JT' }
  assert.equal(shown(await matchLine(find, { ...line, uprn: '0008' })), 'sure Flat 4, 36 Mill Lane')
  assert.equal(shown(await matchLine(find, { ...line, uprn: '999' })), 'choose Flat 1, 36 Mill Lane')
  assert.equal(
    shown(await matchLine(find, { address: '1 Oak Way', postcode: 'LS2 9JT', uprn: '8' })),
    'none no_property_matches',
  )
})

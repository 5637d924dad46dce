import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import { type ColumnKind, ownDomainOf, problemsAmong, readDate, readList, readRow } from './written-list.ts'

const context = { today: isoDate('2026-12-01'), ownDomain: 'agency.example' }
const named = 'Property Address,Post code,Tenant,Email,Move in date\n'
const clean = ['3 Mill Lane, Leeds', 'LS2 9JT', 'Ada Lang', 'ada@home.example', '1/2/2027']

test('days are read as people in Britain write them, the day first, and nothing is guessed', () => {
  const days: Record<string, readonly string[]> = {
    '2027-02-01': [
      '1/2/27',
      '01.02.2027',
      '1-2-2027',
      '1 Feb 2027',
      '1st February 2027',
      'Mon 1 Feb 27',
      '1-Feb-27',
      '2027-02-01',
      '2027-02-01T00:00:00',
      '01/02/2027 00:00',
      '46419',
      '1 2 2027',
    ],
    '2026-09-30': ['30 Sept 2026', '30th of September, 2026', '30/09/2026', '2026/9/30'],
    none: ['9/25/2026', '31/2/2027', '1 Feb', 'TBC', '', '1/2', '12', 'early February 2027', '1 Foo 2027', '464190'],
  }
  for (const [day, texts] of Object.entries(days))
    for (const text of texts) assert.equal(readDate(text) ?? 'none', day, text)
})

test('a list is read with any sign between its cells, with or without headings', () => {
  const quoted = clean.map((cell) => `"${cell}"`)
  const texts = {
    commas: named + quoted.join(','),
    'a byte order mark and CR LF': `\uFEFF${(named + quoted.join(',')).replaceAll('\n', '\r\n')}\r\n\r\n`,
    tabs: `${named.replaceAll(',', '\t')}${clean.join('\t')}`,
    semicolons: `${named.replaceAll(',', ';')}${clean.join(';')}\n;;;;\n`,
    'no headings': clean.join('\t'),
  }
  const kinds: ColumnKind[] = ['address', 'postcode', 'name', 'email', 'start']
  for (const [what, text] of Object.entries(texts)) {
    const { columns, rows } = readList(text)
    assert.deepEqual([columns, rows], [kinds, [clean]], what)
    const { problems, ...row } = readRow(columns, rows[0] ?? [], context)
    assert.deepEqual(
      [problems, row.start, row.tenants],
      [[], '2027-02-01', [{ name: 'Ada Lang', email: 'ada@home.example', phone: '' }]],
      what,
    )
  }
  assert.deepEqual(readList(`${named}3 Mill Lane "The Mill,LS2 9JT,Ada,a@b.example,1/2/2027`).rows.length, 1)
  assert.deepEqual(readList(' \n ').rows, [])
})

test('columns are known by what agents call them, and what nobody needs is not used', () => {
  const kinds = {
    address: ['Address', 'Property', 'address_line_1', 'Town'],
    name: ['Tenant Name', 'Tenants', 'Occupier'],
    firstName: ['Forename', 'First Name'],
    email: ['E-mail', 'Tenant 2 Email', 'email address'],
    phone: ['Mobile', 'Tel'],
    start: ['Start Date', 'First day', 'Move-in', 'Tenancy Start', 'Commencement'],
    end: ['End Date', 'Expiry', 'Vacating date'],
    soldBy: ['Negotiator', 'Lister'],
    branch: ['Branch', 'Office'],
    reference: ['Ref', 'Tenancy ID'],
    permission: ['May pass details on', 'GDPR consent'],
    bills: ['Bills included?'],
    guarantor: ['Guarantor Email'],
    other: ['Guarantor', 'Landlord email', 'Branch e-mail', 'Rent amount', 'Deposit', 'Notes'],
  }
  for (const [kind, headings] of Object.entries(kinds))
    for (const heading of headings)
      assert.equal(readList(`${heading}\tTenant\tEmail\nx\tAda\ta@b.example`).columns[0], kind, heading)
})

test('tenants are paired with their addresses: in columns of their own, in one cell, or on lines of their own', () => {
  const ben = { name: 'Ben Okoro', email: 'ben@x.example', phone: '' }
  const ada = { name: 'Ada Lang', email: 'ada@x.example', phone: '' }
  const home = 'Address,Start,'
  const lists: readonly (readonly [string, readonly object[]])[] = [
    [
      `${home}Tenant 1,Email 1,Tenant 2,Email 2\n3 Mill Lane,1/2/2027,Ben Okoro,ben@x.example,Ada Lang,ada@x.example`,
      [ben, ada],
    ],
    [`${home}Tenant 1,Email 1,Tenant 2,Email 2\n3 Mill Lane,1/2/2027,Ben Okoro,ben@x.example,,`, [ben]],
    [`${home}Tenants,Emails\n3 Mill Lane,1/2/2027,Mr Ben Okoro & Ada Lang*,ben@x.example; ada@x.example`, [ada, ben]],
    [`${home}Tenants\n3 Mill Lane,1/2/2027,Ben Okoro <ben@x.example>; Ada Lang <ada@x.example>`, [ben, ada]],
    [
      `${home}Tenant,Email\n3 Mill Lane,1/2/2027,Ben Okoro,ben@x.example\n3 Mill Lane,1/2/2027,Ada Lang (lead),ada@x.example`,
      [ada, ben],
    ],
    [
      `${home}First name,Surname,Email\n3 Mill Lane,1/2/2027,Ben,Okoro,ben@x.example\n3 Mill Lane,1/2/2027,Ada,Lang,ada@x.example`,
      [ben, ada],
    ],
    [
      `${home}Tenant,Email,Mobile\n3 Mill Lane,1/2/2027,"Okoro, Ben",ben@x.example,07700 900123`,
      [{ ...ben, phone: '07700 900123' }],
    ],
    [
      `${home}Tenant,Email\n3 Mill Lane,1/2/2027,Ben Okoro and Ada Lang,`,
      [
        { ...ben, email: '' },
        { ...ada, email: '' },
      ],
    ],
  ]
  const withoutOne = `${home}Tenant,Email\n3 Mill Lane,1/2/2027,Ben Okoro,\n3 Mill Lane,1/2/2027,Ada Lang,ada@x.example`
  for (const [text, tenants] of [...lists, [withoutOne, [{ ...ben, email: '' }, ada]] as const]) {
    const { columns, rows } = readList(text)
    const read = readRow(columns, rows[0] ?? [], context)
    assert.deepEqual([rows.length, read.problems, read.tenants], [1, [], tenants], text)
  }
})

test('dirt that lists always have is named beside its cell', () => {
  const columns: ColumnKind[] = ['address', 'postcode', 'name', 'email', 'start', 'end', 'bills', 'guarantor']
  const dirt: readonly (readonly [Partial<Record<ColumnKind, string>>, ColumnKind, RegExp])[] = [
    [{ name: 'Ben Okoro & Ada Lang' }, 'email', /more people than e-mail addresses/],
    [{ email: 'ada@home.example ben@home.example' }, 'email', /more e-mail addresses than people/],
    [{ name: 'Ben Okoro & Ada Lang', email: 'a@home.example; a@home.example' }, 'email', /have one e-mail address/],
    [{ name: 'Ben Okoro, Ada Lang', email: 'ada.l@x.example ben.o@x.example' }, 'email', /in another order/],
    [{ guarantor: 'Ada@home.example' }, 'email', /guarantor’s address/],
    [{ email: 'lettings@agency.example' }, 'email', /your own agency/],
    [{ email: 'ada@gmial.com' }, 'email', /misspelt/],
    [{ email: 'none given' }, 'email', /not an e-mail address/],
    [{ name: 'Ada Lang (guarantor)' }, 'name', /Leave out guarantors/],
    [{ name: '' }, 'name', /Whose address/],
    [{ address: '' }, 'address', /no address/],
    [{ end: '31/8/2026' }, 'end', /last year’s tenants/],
    [{ start: '1/9/2026' }, 'start', /began on 1 September 2026/],
    [{ start: '9/25/2027' }, 'start', /not a day that exists/],
    [{ end: '1/1/2027' }, 'end', /before the first/],
    [{ bills: 'Yes' }, 'bills', /includes the bills/],
    [{ address: '3 Mill Lane (bills included)' }, 'address', /includes the bills/],
  ]
  const cellsOf = (changes: Partial<Record<ColumnKind, string>>) =>
    columns.map((kind, column) => changes[kind] ?? clean[column] ?? '')
  assert.deepEqual(
    readRow(columns, cellsOf({ bills: 'no', address: '3 Mill Lane (excl. bills)' }), context).problems,
    [],
  )
  for (const [changes, kind, text] of dirt) {
    const { problems } = readRow(columns, cellsOf(changes), context)
    assert.match(problems[0]?.text ?? '', text)
    assert.deepEqual(
      problems.map(({ column, isHeld }) => [column, isHeld]),
      [[columns.indexOf(kind), undefined]],
      JSON.stringify(changes),
    )
  }
  for (const start of ['TBC', 'tba', '?', '', 'ASAP'])
    assert.deepEqual(
      readRow(columns, cellsOf({ start }), context).problems.map(({ isHeld }) => isHeld),
      [true],
      start,
    )
  assert.equal(ownDomainOf('kim@gmail.com') ?? ownDomainOf('kim@leeds.ac.uk'), undefined)
})

test('rows of the same home, and an address that several rows have, are named', () => {
  const columns: ColumnKind[] = ['address', 'postcode', 'name', 'email', 'start']
  const row = (...changes: (string | undefined)[]) =>
    readRow(
      columns,
      clean.map((cell, index) => changes[index] ?? cell),
      context,
    )
  const found = problemsAmong(
    [row(), row('3 mill lane leeds'), row('9 High Street'), row('5 Low Road', undefined, 'Cy Ott', 'cy@x.example')],
    columns,
  )
  assert.deepEqual(
    [...found].map(([index, problems]) => [index, problems[0]?.column]),
    [
      [1, 0],
      [2, 3],
      [0, 3],
    ],
  )
  assert.match(found.get(1)?.[0]?.text ?? '', /Row 1 is the same home/)
  assert.match(found.get(2)?.[0]?.text ?? '', /one e-mail address/)
  assert.equal(found.get(3), undefined)
})

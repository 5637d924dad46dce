import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rawRows } from '../support/customer-fixtures.ts'
import { eraseByForce, readPages } from '../support/operator.ts'
import { assertProblem, invalidFields, rejected, succeeded } from '../support/responses.ts'
import { type Report, startCommission, type Terms } from './start-commission.ts'

const commission = await startCommission()
after(() => commission.stop())
const { service, operator, record, endContracts, newPartner } = commission
const closing = (partnerId: string) => `/Reports/commission/${partnerId}/close`
const daysToEarn = 15
/** From 1 December to 2 January, so that December is over. */
const daysToJanuary = 32

test('a month is closed when it is over and recorded, once, with those before it', async () => {
  const { addTerms, sell, advance, close, total, partnerId } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  await sell()
  await advance(daysToEarn)
  await record()
  rejected(await close('2026-12'), 422, 'commission_month_open')
  await advance(daysToJanuary - daysToEarn)
  await sell()
  succeeded(await close('2026-12'))
  const closed = await total('2026-12')
  assert.deepEqual([closed.total, closed.closedAt?.slice(0, 10)], [3_000, '2027-01-02'])
  assert.equal((await total('2026-11')).closedAt, closed.closedAt, 'earlier months are closed too')
  assert.equal((await total('2027-01')).closedAt, null)
  for (const month of ['2026-12', '2026-11', '2026-12'])
    assert.deepEqual(succeeded(await close(month)), { partnerId, month, paidOn: null })
  assert.deepEqual(await total('2026-12'), closed)
  const closings = await rawRows(service, 'select * from commission_closings where partner_id = $1', [partnerId])
  assert.equal(closings.length, 1)
})

test('a month with something that is not recorded stays open: an earning, a clawback, or a contract whose end is due', async () => {
  const { addTerms, sell, advance, close, partner } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  const { tenants } = await sell({ tenants: 2 })
  await advance(daysToJanuary)
  rejected(await close('2026-12'), 422, 'commission_month_open')
  await record()
  succeeded(await close('2026-12'))
  const [first = ''] = tenants
  succeeded(await partner.post(`/Customers/${first}/end-contract`, { endDate: '2027-02-28' }))
  await advance(58)
  rejected(await close('2027-02'), 422, 'commission_month_open')
  await endContracts()
  rejected(await close('2027-02'), 422, 'commission_month_open')
  await record()
  succeeded(await close('2027-02'))
})

test('what is found out after the close is on the next statement, and the closed one never changes', async () => {
  const { addTerms, sell, advance, close, statement, total } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  const { contractNumber } = await sell()
  await sell()
  await advance(daysToJanuary)
  await record()
  succeeded(await close('2026-12'))
  const before = [await statement('2026-12'), await total('2026-12')]
  // As if a notice from December had come to light in January.
  await rawRows(
    service,
    `update contracts set status = 'cancelled', end_reason = 'cancelled', ended_on = '2026-12-20'
     where contract_number = $1`,
    [contractNumber],
  )
  await record()
  assert.deepEqual([await statement('2026-12'), await total('2026-12')], before)
  assert.deepEqual(
    (await statement('2027-01')).map((line) => [
      line.contractNumber,
      line.kind,
      line.countsOn,
      line.month,
      line.amount,
    ]),
    [[contractNumber, 'clawback', '2026-12-20', '2027-01', -3_000]],
  )
  const january = await total('2027-01')
  assert.deepEqual([january.earned, january.clawedBack, january.total], [0, -3_000, -3_000])
})

test('the database itself refuses to change entries, terms and closings, or to add an entry to a closed month', async () => {
  const { addTerms, sell, advance, close, partnerId, statement } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  const { contractNumber } = await sell()
  await advance(daysToJanuary)
  await record()
  succeeded(await close('2026-12'))
  const before = await statement('2026-12')
  for (const table of ['commission_entries', 'commission_terms', 'commission_closings']) {
    for (const text of [
      `update ${table} set partner_id = partner_id`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ])
      await assert.rejects(rawRows(service, text), /append-only/, text)
  }
  const add = (month: string, amount: number) =>
    rawRows(
      service,
      `insert into commission_entries (line_id, partner_id, contract_number, kind, quote_id, counts_on, month, amount_pence,
       term_number,
                                       value_net_pence, fixed_pence, term_days, household_days, unsupplied_days,
                                         recorded_at)
       select gen_random_uuid()::text, partner_id, contract_number, 'clawback', quote_id, '2026-11-20', $3, $4, term_number,
         value_net_pence,
         fixed_pence, term_days,
              household_days, 5, now() from commission_entries where partner_id = $1 and contract_number = $2`,
      [partnerId, contractNumber, month, amount],
    )
  for (const month of ['2026-12-01', '2026-11-01']) await assert.rejects(add(month, -1), /is closed/)
  await assert.rejects(add('2027-01-01', -3_001), /at most what was earned/)
  await assert.rejects(
    rawRows(service, `insert into commission_closings values ($1, '2026-11-01', now())`, [partnerId]),
    /is closed already/,
  )
  assert.deepEqual(await statement('2026-12'), before)
  await add('2027-01-01', -3_000)
  assert.equal((await statement('2027-01'))[0]?.amount, -3_000)
})

test('a close and a run of the job at the same time lose no entry and put none into the closed month', async () => {
  const { addTerms, sell, advance, close, statement } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  await sell()
  await advance(daysToJanuary)
  const [, , closed] = await Promise.all([record(), record(), close('2026-12')])
  // Either the job was first, and its entry is in December, or the close was, and was rejected because the entry was
  // missing.
  assert.ok([200, 422].includes(closed.status))
  assert.equal((await statement('2026-12')).length, 1)
})

test('two processes and interrupted runs record everything once', async () => {
  const { addTerms, sell, advance, statement } = await newPartner()
  succeeded(await addTerms('2026-01-01', { upTo: 2, amount: 1_000 }, { amount: 2_000 }))
  for (let count = 0; count < 4; count++) await sell()
  await advance(daysToEarn)
  assert.equal((await record(() => true)).recorded, 0)
  const runs = await Promise.all([record(), record(), record()])
  assert.deepEqual(
    runs.flatMap(({ failures }) => failures),
    [],
  )
  const lines = await statement('2026-12')
  assert.deepEqual(lines.map(({ numberInMonth, amount }) => [numberInMonth, amount]).sort(), [
    [1, 1_000],
    [2, 1_000],
    [3, 2_000],
    [4, 2_000],
  ])
  await record()
  assert.deepEqual(await statement('2026-12'), lines)
})

test('a run that fails records nothing of its batch, keeps no other partner waiting, and is made up for', async () => {
  const [one, other] = [await newPartner(), await newPartner()]
  for (const { addTerms } of [one, other]) succeeded(await addTerms('2026-01-01', { basisPoints: 250 }))
  await one.sell()
  const { contractNumber } = await one.sell()
  await other.sell()
  for (const { advance } of [one, other]) await advance(daysToEarn)
  const move = `update contracts set price = jsonb_set(price, '{shares,0,tenantId}', to_jsonb($2::text))
    where contract_number = $1 returning customer_id`
  const [row] = await rawRows(service, move, [contractNumber, 'nobody'])
  const { failures } = await record()
  assert.deepEqual(
    failures.map(({ partnerId }) => partnerId),
    [one.partnerId],
  )
  assert.deepEqual([(await one.statement('2026-12')).length, (await other.statement('2026-12')).length], [0, 1])
  await rawRows(service, move, [contractNumber, row?.customer_id])
  assert.deepEqual((await record()).failures, [])
  assert.equal((await one.statement('2026-12')).length, 2)
})

test('terms are listed as they were added; adding the present ones again changes nothing', async () => {
  const { addTerms, listTerms, partnerId } = await newPartner()
  const second = succeeded(await addTerms('2027-02-01', { upTo: 20, basisPoints: 250 }, { amount: 3_000 }))
  const first = succeeded(await addTerms('2027-01-01', { amount: 2_500 }))
  const again = succeeded(await addTerms('2027-02-01', { upTo: 20, basisPoints: 250 }, { amount: 3_000 }))
  assert.deepEqual(again, second)
  assert.deepEqual([first.kind, second.kind], ['fixed', 'tiers'])
  const replaced = succeeded(await addTerms('2027-02-01', { basisPoints: 300 }))
  assert.equal(replaced.kind, 'share')
  assert.deepEqual(await listTerms(), [first, second, replaced])
  const key = { headers: { 'Idempotency-Key': `terms-${partnerId}` } }
  const path = `/Partners/${partnerId}/commission-terms`
  const body = { firstDay: '2027-02-01', tiers: [{ amount: 1 }] }
  const keyed = succeeded(await operator.post<Terms>(path, body, key))
  assert.deepEqual(succeeded(await operator.post<Terms>(path, body, key)), keyed)
  const [entry] = await rawRows(
    service,
    `select actor, credential, operation from audit_log where partner_id = $1 and subject_type = 'commission terms'
     order by entry_number desc limit 1`,
    [partnerId],
  )
  assert.deepEqual(entry, { actor: 'operator', credential: operator.clientId, operation: 'addCommissionTerms' })
})

test('terms that could change a closed month or a contract that has earned are rejected', async () => {
  const { addTerms, sell, advance, close, partnerId } = await newPartner()
  succeeded(await addTerms('2026-11-01', { amount: 3_000 }))
  await sell()
  await advance(daysToEarn)
  await record()
  rejected(await addTerms('2026-12-01', { amount: 1 }), 422, 'commission_terms_not_allowed')
  rejected(await addTerms('2026-11-15', { amount: 1 }), 422, 'commission_terms_not_allowed')
  succeeded(await addTerms('2026-12-02', { amount: 4_000 }))
  succeeded(await addTerms('2026-10-01', { amount: 1 }))
  await advance(daysToJanuary - daysToEarn)
  succeeded(await close('2026-12'))
  // The last day to cancel of a contract from 16 December is 30 December, so it earned on the 31st.
  rejected(await addTerms('2026-12-16', { amount: 1 }), 422, 'commission_terms_not_allowed')
  succeeded(await addTerms('2026-12-17', { amount: 1 }))
  assert.equal((await rawRows(service, 'select from commission_terms where partner_id = $1', [partnerId])).length, 4)
})

test('the export has the same entries as the report, page by page, and the totals are their sums', async () => {
  const [one, other] = [await newPartner(), await newPartner()]
  for (const { addTerms, sell, advance } of [one, other]) {
    succeeded(await addTerms('2026-01-01', { upTo: 1, amount: 1_234 }, { basisPoints: 333 }))
    for (let count = 0; count < 3; count++) await sell()
    await advance(daysToEarn)
  }
  await record()
  const whole = succeeded(await operator.get<Report>('/Reports/commission?month=2026-12&limit=500'))
  assert.deepEqual(await readPages(operator, '/Reports/commission?month=2026-12&limit=1'), whole.data)
  for (const { partnerId, earnings, clawbacks, earned, clawedBack, total } of whole.totals) {
    const lines = whole.data.filter((line) => line.partnerId === partnerId)
    const sum = (kind?: string) =>
      lines
        .filter((line) => kind === undefined || line.kind === kind)
        .reduce((before, { amount }) => before + amount, 0)
    assert.deepEqual([earned, clawedBack, total], [sum('earned'), sum('clawback'), sum()])
    assert.equal(earnings + clawbacks, lines.length)
  }
  const exported = async (format: string, query = '') =>
    (await operator.get(`/Reports/commission/export?month=2026-12&format=${format}${query}`)).text
  const lines = whole.data.map(({ queries: _, ...line }) => line)
  const inFile = JSON.parse(await exported('json')) as Report['data']
  assert.deepEqual(inFile, lines)
  const own = JSON.parse(await exported('json', `&partnerId=${one.partnerId}`)) as Report['data']
  assert.deepEqual(
    own.map(({ lineId }) => lineId),
    (await one.statement('2026-12')).map(({ lineId }) => lineId),
  )
  const columns = Object.keys(inFile[0] ?? {})
  assert.equal(await exported('csv', '&partnerId=nobody'), `${columns.join(',')}\r\n`)
})

test('wrong tiers are named, and so are unknown partners', async () => {
  const { addTerms } = await newPartner()
  const fields = async (response: Awaited<ReturnType<typeof addTerms>>) =>
    invalidFields(rejected(response, 422, 'validation_failed'))
  assert.deepEqual(await fields(await addTerms('2027-01-01', {})), [['/tiers/0', 'not_allowed']])
  assert.deepEqual(await fields(await addTerms('2027-01-01', { amount: 1 }, { amount: 2 })), [
    ['/tiers/0', 'not_allowed'],
  ])
  rejected(await operator.get('/Reports/commission?month=2026-12&cursor=abc'), 422, 'validation_failed')
  for (const unknown of ['partner_01m7w4kmmrf2288900000000zz', `partner_${'0'.repeat(26)}`, 'nobody']) {
    rejected(await operator.get(`/Partners/${unknown}/commission-terms`), 404, 'not_found')
    const terms = { firstDay: '2027-01-01', tiers: [{ amount: 1 }] }
    rejected(await operator.post(`/Partners/${unknown}/commission-terms`, terms), 404, 'not_found')
    rejected(await operator.post(`/Reports/commission/${unknown}/close`, { month: '2026-11' }), 404, 'not_found')
  }
})

test('a partner reads its own statement, and what it asks about a line keeps no month open and is answered there', async () => {
  const { partner, partnerId, addTerms, sell, advance, close, total } = await newPartner()
  const other = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  for (const soldBy of ['Kim', 'Sam'])
    succeeded(await partner.patch(`/Quotes/${(await sell()).quoteId}`, { branch: 'York', soldBy }))
  await advance(daysToJanuary)
  await record()
  const read = async (of = partner, filter = '') =>
    succeeded(await of.get(`/Reports/commission?month=2026-12${filter}`))
  assert.deepEqual([(await read(other.partner)).data, (await read(other.partner)).total], [[], 0])
  const { partnerId: _, partnerName: __, ...sums } = await total('2026-12')
  const { data, nextCursor, ...own } = await read()
  assert.deepEqual([own, own.earned, data.length, nextCursor], [sums, 6_000, 2, null])
  const kims = await read(partner, '&branch=York&soldBy=Kim')
  assert.deepEqual([kims.total, kims.data.map(({ soldBy }) => soldBy)], [3_000, ['Kim']])
  const first = await read(partner, '&limit=1')
  assert.deepEqual((await read(partner, `&limit=1&cursor=${first.nextCursor}`)).data, data.slice(1))

  const [line] = data
  const ask = (text: string, by = partner) => by.post(`/Reports/commission/${line?.lineId ?? ''}/queries`, { text })
  rejected(await ask('x', other.partner), 404, 'not_found')
  rejected(await ask('x'.repeat(501)), 422, 'validation_failed')
  const asked = succeeded(await ask('Why £30?'))
  assert.deepEqual([asked.lineId, asked.queries.map(({ text }) => text)], [line?.lineId, ['Why £30?']])
  assertProblem(await ask('Again'), 'validation_failed', ['/text'])
  succeeded(await close('2026-12'))
  const closed = await read()
  assert.deepEqual([closed.openQueries, closed.closedAt?.slice(0, 10), closed.paidOn], [1, '2027-01-02', null])

  const { queryId } = asked.queries[0] ?? assert.fail()
  const query = `/Reports/commission/queries/${queryId}`
  assert.deepEqual(succeeded(await operator.get(query)), { partnerId, ...asked })
  rejected(await operator.get(`${query.slice(0, -1)}_`), 404, 'not_found')
  const answer = { answer: 'The terms of 1 January say so.' }
  const answered = succeeded(await operator.post<typeof asked>(`${query}/answer`, answer))
  assert.deepEqual(succeeded(await operator.post(`${query}/answer`, answer)), answered)
  assertProblem(await operator.post(`${query}/answer`, { answer: 'Another' }), 'validation_failed', ['/answer'])
  assertProblem(
    await operator.post(closing(partnerId), { month: '2026-12', paidOn: '2099-01-01' }),
    'validation_failed',
    ['/paidOn'],
  )
  const paid = { month: '2026-11', paidOn: '2027-01-02' }
  assert.deepEqual(succeeded(await operator.post(closing(partnerId), paid)), { partnerId, ...paid })
  const { data: after, ...settled } = await read()
  assert.deepEqual([settled.openQueries, settled.paidOn], [0, '2027-01-02'])
  const found = after.find(({ lineId }) => lineId === line?.lineId)?.queries
  assert.deepEqual(
    found?.map(({ text, answer }) => [text, answer]),
    [['Why £30?', answer.answer]],
  )
  succeeded(await ask('And VAT?'))
  const [{ customerId } = { customerId: '' }] = (await rawRows(
    service,
    'select customer_id as "customerId" from contracts where contract_number = $1',
    [line?.contractNumber],
  )) as { customerId: string }[]
  await eraseByForce(service, customerId)
  assert.deepEqual((await read()).data[0]?.queries, [], 'what may name an erased tenant is deleted')
})

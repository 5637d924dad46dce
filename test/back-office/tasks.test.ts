import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Static } from 'typebox'
import type { TaskList } from '../../src/back-office/tasks/list-tasks.route.ts'
import { type TaskKind, taskKindNames } from '../../src/back-office/tasks/task-kinds.ts'
import { startLedger } from '../payments/start-ledger.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { readPages } from '../support/operator.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { earnAtOnce } from './start-commission.ts'

type Task = Static<typeof TaskList>['data'][number]

const ledger = await startLedger()
after(() => ledger.stop())
const { service, operator } = ledger
const { lead } = await ledger.acceptedCustomer()

const changed = (text: string) => () => rawRows(service, text, [lead])
const ofFirst =
  "entry_id = (select entry_id from payment_entries where customer_id = $1 and kind = 'plan' order by due_on limit 1)"
const ofSecond = ofFirst.replace('limit 1', 'limit 1 offset 1')
const ofThird = ofFirst.replace('limit 1', 'limit 1 offset 2')
const refund = `with k as (select * from payment_entries where ${ofFirst})
  insert into payment_entries (entry_id, partner_id, customer_id, contract_number, kind, due_on, amount_pence, description,
    pay_by_bank, created_at, refund_kind)
  select 'entry_01kdh2e7m4f8v8q4x3w7r5t2zc', partner_id, customer_id, contract_number, 'refund', due_on, 500, 'Refund',
    false, now(), 'payment_back' from k`
const report = `insert into payment_reports (report_id, partner_id, customer_id, outcome, payment_id, amount_pence, occurred_at)
  select 'ch_1', partner_id, customer_id, 'paid', 'pi_1', 500, now() from customers where customer_id = $1`

const dispute = (id: string, status: string) => `
  insert into payment_reports (report_id, partner_id, customer_id, entry_id, outcome, payment_id, subject_id, occurred_at,
    unknown_status)
  select '${id}', partner_id, customer_id, entry_id, 'disputed', 'pi_1', 'dp_1', now(), ${status} from payment_entries
   where ${ofFirst}`

/** For each kind, a state that is one task, and the same after it has been settled. How states arise is tested elsewhere. */
const states: Readonly<
  Record<TaskKind, { waits(): Promise<unknown>; isSettled(): Promise<unknown>; ids: (keyof Task)[] }>
> = {
  email_of_another: {
    waits: changed('update customers set email_of_another_since = now() where customer_id = $1'),
    isSettled: changed('update customers set email_of_another_since = null where customer_id = $1'),
    ids: ['quoteId', 'customerId'],
  },
  card_of_many: {
    waits: changed('update setup_intents set card_shared_at = now() where customer_id = $1'),
    isSettled: changed("update setup_intents set card_shared_at = now() - interval '31 days' where customer_id = $1"),
    ids: ['quoteId', 'customerId'],
  },
  email_at_partner: {
    waits: changed('update customers set email_at_partner_since = now() where customer_id = $1'),
    isSettled: changed(
      "update customers set email_at_partner_since = now() - interval '31 days' where customer_id = $1",
    ),
    ids: ['quoteId', 'customerId'],
  },
  cap_met: {
    waits: changed(
      `insert into caused_mails (partner_id, quote_id, caused_by, kind, email_hash, caused_at, meets_cap)
       select partner_id, quote_id, customer_id, 'invitation', 'hash', now(), is_met
         from customers, unnest(array[true, false]) is_met where customer_id = $1`,
    ),
    isSettled: changed("update caused_mails set caused_at = caused_at - interval '25 hours' where caused_by = $1"),
    ids: ['quoteId', 'customerId'],
  },
  commission_queried: {
    async waits() {
      const { contract } = succeeded(await ledger.partner.get(`/Customers/${lead}`))
      await earnAtOnce(service, contract?.contractNumber ?? '')
      await changed(`insert into commission_queries (query_id, partner_id, line_id, text_encrypted, asked_at)
        select 'query_1', partner_id, line_id, '', now() from commission_entries join contracts using (partner_id, contract_number)
         where customer_id = $1`)()
    },
    isSettled: changed(
      `update commission_queries set answer_encrypted = '', answered_at = now() where $1::text is not null`,
    ),
    ids: ['quoteId', 'contractNumber', 'queryId'],
  },
  confirmation_missing: {
    waits: changed(
      `update contracts set confirmed_by = 'operator', confirmation_sent_at = null, effective_at = now() - interval '25 hours'
        where customer_id = $1`,
    ),
    isSettled: changed('update contracts set confirmation_sent_at = now() where customer_id = $1'),
    ids: ['quoteId', 'customerId', 'contractNumber'],
  },
  death_reported: {
    waits: changed(
      `insert into death_reports (death_report_id, partner_id, quote_id, customer_id, details_encrypted, reported_at,
                                  due_on, is_held)
       select 'death_1', partner_id, quote_id, customer_id, '', now(), '2027-01-08', true from customers
        where customer_id = $1`,
    ),
    isSettled: changed("update death_reports set outcome = 'lifted', decided_at = now() where customer_id = $1"),
    ids: ['quoteId', 'customerId'],
  },
  end_doubted: {
    waits: changed(
      "update contracts set end_reason_check = 'doubted', end_reason_checked_at = now() where customer_id = $1",
    ),
    isSettled: changed("update contracts set end_reason_check = 'settled' where customer_id = $1"),
    ids: ['quoteId', 'customerId', 'contractNumber'],
  },
  end_requested: {
    waits: changed(
      `insert into end_requests (customer_id, partner_id, contract_number, details_encrypted, asked_at, due_on)
       select customer_id, partner_id, contract_number, '', now(), '2027-01-08' from contracts where customer_id = $1`,
    ),
    isSettled: changed("update end_requests set outcome = 'answered' where customer_id = $1"),
    ids: ['quoteId', 'customerId', 'contractNumber'],
  },
  estate_owes: {
    async waits() {
      await changed(
        `insert into death_reports (death_report_id, partner_id, quote_id, customer_id, details_encrypted, reported_at,
                                    due_on, is_held, outcome, decided_at)
         select id, partner_id, quote_id, customer_id, '', now(), '2027-01-08', true, 'confirmed', now()
           from customers, unnest(array['death_2', 'death_3']) id where customer_id = $1`,
      )()
      await changed(
        "update payment_entries set status = 'paid' where customer_id = $1 and status = 'planned' and kind = 'plan'",
      )()
      await changed(`update payment_entries set status = 'planned' where ${ofThird}`)()
    },
    isSettled: changed(`update payment_entries set status = 'waived' where ${ofThird}`),
    ids: ['quoteId', 'customerId', 'contractNumber', 'entryId'],
  },
  erroneous_transfer: {
    waits: changed(
      `insert into service_reports (partner_id, quote_id, service_id, status, effective_on, reason, answer_by, resolve_by, reported_at)
       select partner_id, quote_id, 'gas-standard', 'active', '2027-01-04', 'erroneous_transfer', '2027-01-11', '2027-02-01', now()
         from customers where customer_id = $1`,
    ),
    isSettled: changed(
      `insert into service_reports (partner_id, quote_id, service_id, status, effective_on, reported_at)
       select partner_id, quote_id, 'gas-standard', 'active', '2027-01-20', now() from customers where customer_id = $1`,
    ),
    ids: ['quoteId'],
  },
  household_ended_before: {
    async waits() {
      const { quoteId } = succeeded(await ledger.partner.get(`/Customers/${lead}`))
      const { address, tenants } = succeeded(await ledger.partner.get(`/Quotes/${quoteId}`))
      const again = { addressUid: address.addressUid, packages: ['gas'] }
      for (const email of [tenants[0]?.email ?? '', 'somebody.else@example.com'])
        succeeded(await ledger.partner.post('/Households', { ...again, tenants: [{ name: 'Ada Lovelace', email }] }))
      await changed("update contracts set end_reason = 'tenancy_ended' where customer_id = $1")()
      await changed(`update quotes set contract_start_date = (now() at time zone 'Europe/London')::date + 10
        where quote_id <> (select quote_id from customers where customer_id = $1)`)()
    },
    isSettled: changed(`update quotes set stage = 'cancelled'
      where quote_id <> (select quote_id from customers where customer_id = $1)`),
    ids: ['quoteId'],
  },
  lead_missing: {
    waits: changed(
      `with q as (update quotes set stage = 'open', household_complete_at = null, contract_start_date = '2099-01-01',
                         contract_end_date = '2099-12-31' where quote_id = (select quote_id from customers where customer_id = $1) returning *),
            erased as (update customers set erased_at = now() where customer_id = $1 returning *)
       insert into customers (customer_id, quote_id, partner_id, joining_number, status, personal_encrypted, email_hash,
         created_at, updated_at)
       select 'tenant_next', quote_id, partner_id, 50, 'active', '', 'hash of next', now(), now() from q`,
    ),
    isSettled: changed(
      `update customers set agreed_to_lead_at = now() where customer_id = 'tenant_next' and $1::text is not null`,
    ),
    ids: ['quoteId'],
  },
  payment_disputed: {
    waits: changed(`update payment_entries set status = 'disputed' where ${ofSecond}`),
    isSettled: changed(`update payment_entries set status = 'paid' where ${ofSecond}`),
    ids: ['quoteId', 'customerId', 'contractNumber', 'entryId'],
  },
  tenancy_end_unanswered: {
    waits: changed(
      `insert into tenancy_end_questions (contract_number, partner_id, last_day, quote_id, reason, is_household, asked_at,
         closes_on, outcome, closed_at)
       select contract_number, partner_id, (now() at time zone 'Europe/London')::date, quote_id, 'tenancy_ended', true,
          now(), (now() at time zone 'Europe/London')::date, 'asked_operator',
         now() from contracts where customer_id = $1`,
    ),
    isSettled: changed("update contracts set ended_on = starts_on, end_reason = 'notice' where customer_id = $1"),
    ids: ['quoteId', 'customerId', 'contractNumber'],
  },
  next_occupier_missing: {
    waits: changed(`update contracts set ends_on = (now() at time zone 'Europe/London')::date + 5,
        starts_on = (now() at time zone 'Europe/London')::date where customer_id = $1`),
    isSettled: changed(`update quotes set next_occupier_encrypted = ''
      where quote_id = (select quote_id from customers where customer_id = $1)`),
    ids: ['quoteId'],
  },
  payment_failed: {
    waits: changed(`update payment_entries set status = 'failed' where ${ofFirst}`),
    isSettled: changed(`update payment_entries set retry_on = '2027-01-04' where ${ofFirst}`),
    ids: ['quoteId', 'customerId', 'contractNumber', 'entryId'],
  },
  wrong_meter: {
    waits: changed(
      `insert into meter_readings (partner_id, quote_id, customer_id, service, read_on, meter_serial, supplier_serial, reading, reported_at)
       select partner_id, quote_id, customer_id, 'gas', '2027-01-04', 'A1', 'A2', 1, now() from customers where customer_id = $1`,
    ),
    isSettled: changed('update meter_readings set supplier_serial = null where customer_id = $1'),
    ids: ['quoteId'],
  },
  payment_unmatched: {
    waits: changed(report),
    isSettled: changed("update payment_reports set settlement = 'paid back' where customer_id = $1"),
    ids: ['quoteId', 'customerId', 'reportId'],
  },
  payment_owed_again: {
    waits: changed(`update payment_entries set owed_again_pence = 500 where ${ofFirst}`),
    isSettled: changed(`update payment_entries set owed_again_pence = 0 where ${ofFirst}`),
    ids: ['quoteId', 'customerId', 'contractNumber', 'entryId'],
  },
  dispute_unknown: {
    waits: changed(dispute('dp_1:unknown', "'arbitrated'")),
    isSettled: changed(dispute('dp_1:known', 'null')),
    ids: ['quoteId', 'customerId', 'entryId', 'reportId'],
  },
  prepayment_meter: {
    waits: changed(
      `update quotes set meter = '{"payment": "prepayment"}'
        where quote_id = (select quote_id from customers where customer_id = $1)`,
    ),
    isSettled: changed(
      `update quotes set meter = '{"payment": "credit"}' where quote_id = (select quote_id from customers where customer_id = $1)`,
    ),
    ids: ['quoteId'],
  },
  refund_due: {
    waits: changed(refund),
    isSettled: changed("update payment_entries set status = 'paid' where kind = 'refund' and customer_id = $1"),
    ids: ['quoteId', 'customerId', 'contractNumber', 'entryId'],
  },
}

const tasks = async (query = '') => succeeded(await operator.get<Static<typeof TaskList>>(`/Tasks${query}`))

test('a state that waits for the operator is a task until it is settled, and the metrics count it', async () => {
  await changed('update contracts set confirmation_sent_at = now() where customer_id = $1')()
  assert.deepEqual((await tasks()).data, [])
  for (const { waits } of Object.values(states)) await waits()
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()

  const { data } = await tasks()
  assert.deepEqual(data.map(({ kind }) => kind).sort(), [...taskKindNames].sort())
  for (const task of data) {
    const ids = ['quoteId', 'customerId', 'contractNumber', 'entryId', 'reportId', 'queryId'] as const
    assert.deepEqual(
      ids.filter((id) => task[id] !== null),
      states[task.kind].ids,
      task.kind,
    )
    assert.deepEqual((await tasks(`?kind=${task.kind}`)).data, [task])
    assert.match(metrics, new RegExp(`^housebill_tasks\\{kind="${task.kind}"\\} 1$`, 'm'))
  }
  const days = data.map(({ due }) => due ?? '9999')
  assert.deepEqual(days, [...days].sort(), 'what has no due day comes last')

  assert.deepEqual(await readPages(operator, '/Tasks?limit=1'), data)

  for (const { isSettled } of Object.values(states)) await isSettled()
  assert.deepEqual((await tasks()).data, [])
})

test('the cursor of another list is rejected', async () => {
  rejected(await operator.get('/Tasks?cursor=abc'), 422, 'validation_failed')
})

import { Client } from 'pg'
import type { ContractStatus, EndReason } from '../../src/contracts/contract.ts'
import type { QuotePrice } from '../../src/quoting/pricing/price.ts'

export interface SignedContract {
  contractNumber: string
  customerId: string
  /** Whose share the customer takes over; null for a tenant of the original household. */
  replaces: string | null
  status: ContractStatus
  endReason: EndReason | null
  /** The London day of the acceptance. */
  agreedOn: string
  startsOn: string
  endsOn: string
  endedOn: string | null
  hasEarlySupply: boolean
  price: QuotePrice
  /** What the contract says that the tenant owes in the end; null while it runs as agreed. */
  statement: { supplyCost: number; setUpCost: number; fee: number; reduction: number; total: number } | null
  /**
   * What the ledger says that the tenant pays: collected and not paid back, also while it is disputed, planned, less
   * planned refunds.
   */
  inLedger: number
  /** What was collected and paid back, or taken back by the tenant's bank for good. */
  reversed: number
  documents: number
  /** Changes if a document does. */
  fingerprint: string
}

export interface SignedState {
  stage: string
  price: QuotePrice
  contracts: SignedContract[]
  /** The statuses of those who are on the quote and whether they wait to take over a share. */
  customers: { customerId: string; status: string; replaces: string | null }[]
}

/** What is stored about one completed quote, read in one transaction. */
export async function readSignedState(connectionString: string, quoteId: string): Promise<SignedState> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const quotes = await client.query(`select stage, price from quotes where quote_id = $1`, [quoteId])
    const customers = await client.query(
      `select customer_id as "customerId", status, replaces_customer_id as replaces from customers where quote_id = $1
        order by joining_number`,
      [quoteId],
    )
    const contracts = await client.query<SignedContract>(
      `select k.contract_number as "contractNumber", k.customer_id as "customerId", c.replaces_customer_id as replaces,
       k.status,
              k.end_reason as "endReason", (k.agreed_at at time zone 'Europe/London')::date::text as "agreedOn",
              k.starts_on::text as "startsOn", k.ends_on::text as "endsOn", k.ended_on::text as "endedOn",
              c.supply_during_cancellation as "hasEarlySupply", k.price,
              case when k.final_statement is null then null else json_build_object(
                'supplyCost', k.final_statement -> 'supplyCost', 'setUpCost', k.final_statement -> 'setUpCost',
                'fee', k.final_statement -> 'fee', 'reduction', k.final_statement -> 'reduction',
                'total', k.final_statement -> 'total') end as statement,
              (select coalesce(sum(case when e.kind = 'refund' and e.status = 'planned'
                then coalesce(e.collected_pence, 0) - e.amount_pence
                                        when e.kind = 'refund' then 0
                                        when e.status in ('planned', 'failed') then e.amount_pence
                                        else e.collected_pence - e.refunded_pence - e.disputed_pence + e.contested_pence
                                          end), 0)::float8
                 from payment_entries e where e.contract_number = k.contract_number
                   and e.status <> 'cancelled') as "inLedger",
              (select coalesce(sum(e.refunded_pence + e.disputed_pence - e.contested_pence), 0)::float8
                 from payment_entries e where e.contract_number = k.contract_number and e.kind <> 'refund'
                   and e.status <> 'cancelled') as reversed,
              (select count(*)::int from contract_documents d where d.contract_number = k.contract_number) as documents,
              (select md5(string_agg(d::text, '')) from contract_documents d
                where d.contract_number = k.contract_number) as fingerprint
         from contracts k join customers c using (customer_id) where k.quote_id = $1
           order by c.joining_number, k.agreed_at`,
      [quoteId],
    )
    await client.query('commit')
    const [quote] = quotes.rows
    return { stage: quote.stage, price: quote.price, contracts: contracts.rows, customers: customers.rows }
  } finally {
    await client.end()
  }
}

import { Client } from 'pg'
import type { ContractStatus } from '../../src/contracts/contract.ts'
import type { QuotePrice } from '../../src/quoting/pricing/price.ts'
import type { QuoteStage, StepLabel } from '../../src/quoting/quotes/quote.ts'
import type { CustomerStatus, PaymentStatus } from '../../src/quoting/tenants/customer.ts'

export interface StoredQuote {
  quoteId: string
  stage: QuoteStage
  stepLabel: StepLabel
  price: QuotePrice | null
  packages: string[]
  hasLock: boolean
}

export interface StoredCustomer {
  customerId: string
  quoteId: string
  status: CustomerStatus
  paymentStatus: PaymentStatus
  hasLeft: boolean
  /** Whether the customer is to take over or took over a share. */
  takesOver: boolean
  contracts: StoredContract[]
  openIntents: number
  intents: number
  /** The number of customer records in the simulated processor that belong to this customer. */
  processorCustomers: number
  processorIntents: number
}

export interface StoredContract {
  contractNumber: string
  status: ContractStatus
  /** Whether it took effect, and did not end because the first day of the household moved. */
  isEffective: boolean
  hasDocuments: boolean
}

export interface StoredEvent {
  eventId: string
  quoteId: string
  type: string
  data: Record<string, string | null>
}

/** All the data that the invariants are about, as stored at one moment. */
export interface StoredState {
  quotes: StoredQuote[]
  /** The customers of each quote, in joining order. */
  customers: StoredCustomer[]
  /** The events, in the order of their numbers. */
  events: StoredEvent[]
  violations: string[]
}

const atProcessor = (table: string, more: string) => `
  (select count(*)::int from simulated_processor.${table} p
    where p.object #>> '{metadata,housebill_customer_id}' = c.customer_id ${more})`

/** Reads the state as it is at one moment, in a single transaction, so the service may be running. */
export async function readStoredState(connectionString: string): Promise<StoredState> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const quotes = await client.query<StoredQuote>(
      `select quote_id as "quoteId", stage, step_label as "stepLabel", price, selected_package_ids as packages,
              locked_until is not null as "hasLock" from quotes`,
    )
    const customers = await client.query<StoredCustomer>(
      `select customer_id as "customerId", quote_id as "quoteId", status, payment_status as "paymentStatus",
              removed_at is not null as "hasLeft", replaces_customer_id is not null as "takesOver",
              (select coalesce(json_agg(json_build_object('contractNumber', k.contract_number, 'status', k.status,
                        'isEffective', k.effective_at is not null and k.end_reason is distinct from 'tenancy_did_not_start',
                        'hasDocuments', exists (select from contract_documents d
                          where d.contract_number = k.contract_number))), '[]')
                 from contracts k where k.customer_id = c.customer_id) as contracts,
              (select count(*)::int from setup_intents s where s.customer_id = c.customer_id) as intents,
              (select count(*)::int from setup_intents s where s.customer_id = c.customer_id
                and status <> 'canceled') as "openIntents",
              ${atProcessor('customers', '')} as "processorCustomers",
              ${atProcessor('setup_intents', `and p.object ->> 'status' <> 'canceled'`)} as "processorIntents"
         from customers c order by quote_id, joining_number`,
    )
    const events = await client.query<StoredEvent>(
      `select event_id as "eventId", quote_id as "quoteId", type, data from events order by event_number`,
    )
    const isWatched = (await client.query(`select to_regclass('watched.violations') as found`)).rows[0].found !== null
    const violations = isWatched ? (await client.query('select violation from watched.violations')).rows : []
    await client.query('commit')
    return {
      quotes: quotes.rows,
      customers: customers.rows,
      events: events.rows,
      violations: violations.map(({ violation }) => String(violation)),
    }
  } finally {
    await client.end()
  }
}

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Static } from 'typebox'
import { eraseForOperator } from '../../src/app/operator-customers.ts'
import type { ContractRecordObject } from '../../src/back-office/contract-feed/contract-record.schema.ts'
import type { FeedObject } from '../../src/back-office/contract-feed/feed.schema.ts'
import { createOperatorCredential } from '../../src/partners/operators/manage-operator-credentials.ts'
import { type OperatorScope, operatorScopes } from '../../src/partners/operators/operator-scopes.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { type ApiResponse, type CallOptions, call } from './client.ts'
import { rawRows } from './customer-fixtures.ts'
import { openDatabases } from './databases.ts'
import { cipherOf, type Sealing, withDatabase } from './partners.ts'
import { succeeded } from './responses.ts'
import type { ServiceUnderTest } from './service.ts'
import { waitFor } from './wait-for.ts'

/** A page of the contract feed, as the API returns it. */
export type Feed = Static<typeof FeedObject>
export type ContractRecord = Static<typeof ContractRecordObject>

/**
 * A client of the operator API. Its paths are below /operator-api, and every response is checked against the document.
 */
export interface Operator {
  clientId: string
  clientSecret: string
  token: string
  get<Success = unknown>(path: string, options?: CallOptions): Promise<ApiResponse<Success>>
  post<Success = unknown>(path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse<Success>>
  patch<Success = unknown>(path: string, body?: unknown): Promise<ApiResponse<Success>>
  send<Success = unknown>(method: string, path: string, body?: unknown): Promise<ApiResponse<Success>>
}

/** Creates credentials in the service's database, as `housebill operator create` does. */
export function createOperator(
  service: Sealing,
  scopes: readonly OperatorScope[] = operatorScopes,
): Promise<{ clientId: string; clientSecret: string }> {
  return withDatabase(service, async (db) =>
    createOperatorCredential(
      { db, clock: systemClock, cipher: await cipherOf(service) },
      { name: 'back office', scopes },
    ),
  )
}

/** Erases a customer during their contract, as `housebill customers erase --force` does. */
export async function eraseByForce(
  { connectionString, environment, config }: ServiceUnderTest,
  customerId: string,
): Promise<void> {
  const secrets = await loadSecrets(environment, 'sandbox', config.dataDir)
  const databases = await openDatabases(connectionString)
  const erased = await eraseForOperator({ databases, secrets, config }, customerId, { force: true })
  assert.ok(erased)
}

/** Creates credentials and gets a token for them. */
export async function connectOperator(
  service: Sealing & Pick<ServiceUnderTest, 'baseUrl'>,
  scopes: readonly OperatorScope[] = operatorScopes,
): Promise<Operator> {
  const { baseUrl } = service
  const credentials = await createOperator(service, scopes)
  const response = await call(baseUrl, 'POST', '/operator-api/Auth/token', credentials)
  const { access_token: token } = JSON.parse(response.text) as { access_token: string }
  const withToken = (options: CallOptions = {}): CallOptions => ({
    ...options,
    headers: { Authorization: `Bearer ${token}`, ...options.headers },
  })
  return {
    ...credentials,
    token,
    get: <Success>(path: string, options?: CallOptions) =>
      call(baseUrl, 'GET', `/operator-api${path}`, undefined, withToken(options)) as Promise<ApiResponse<Success>>,
    post: <Success>(path: string, body?: unknown, options?: CallOptions) =>
      call(baseUrl, 'POST', `/operator-api${path}`, body, withToken(options)) as Promise<ApiResponse<Success>>,
    patch: <Success>(path: string, body?: unknown) =>
      call(baseUrl, 'PATCH', `/operator-api${path}`, body, withToken()) as Promise<ApiResponse<Success>>,
    send: <Success>(method: string, path: string, body?: unknown) =>
      call(baseUrl, method, `/operator-api${path}`, body, withToken()) as Promise<ApiResponse<Success>>,
  }
}

/**
 * Waits until reading the feeds shows every change that has been made. A change is shown once every transaction that
 * began before it has ended, and those of other databases on the server count too.
 */
export async function untilFeedsShowAll(service: Pick<ServiceUnderTest, 'connectionString'>): Promise<void> {
  const heldBack = 'position is null and transaction_id >= pg_snapshot_xmin(pg_current_snapshot())'
  await waitFor('every change can be shown', async () => {
    const rows = await rawRows(
      service,
      `select from contract_versions where ${heldBack} union all select from psr_entries where ${heldBack}`,
    )
    return rows.length === 0
  })
}

/** Reads the feed from a cursor, or from the start, to its present end. */
export async function followFeed(
  operator: Operator,
  after?: string,
): Promise<{ entries: Feed['data']; nextCursor: string }> {
  const entries: Feed['data'] = []
  for (let cursor = after; ; ) {
    const query = cursor === undefined ? '' : `?after=${cursor}`
    const page = succeeded(await operator.get<Feed>(`/Contracts${query}`))
    entries.push(...page.data)
    cursor = page.nextCursor
    if (!page.hasMore) return { entries, nextCursor: cursor }
  }
}

/** Reads a list of the operator API to its end, page by page. The path has a query already. */
export async function readPages<Item>(operator: Operator, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: Item[]; nextCursor: string | null } = succeeded(
      await operator.get<{ data: Item[]; nextCursor: string | null }>(`${path}${cursor && `&cursor=${cursor}`}`),
    )
    items.push(...page.data)
    cursor = page.nextCursor
  }
  return items
}

const sample = new URL('../../reference-data/operator.sample.json', import.meta.url)

/** An operator's file with which live starts: the sample with another business in it. */
export async function readLiveOperator(): Promise<Record<string, unknown>> {
  const text = await readFile(sample, 'utf8')
  const real = text
    .replaceAll('Sample', 'Northern')
    .replaceAll('sample-', 'northern-')
    .replaceAll('example', 'northern')
    .replaceAll('Example', 'Northern')
  const {
    sample: _flag,
    look: _sampleLook,
    ...operator
  } = JSON.parse(
    real
      .replaceAll('ZZ1', 'LS1')
      .replaceAll('01632 960', '0113 496 0')
      .replaceAll('00000000', '12345678')
      .replaceAll('000 0000 00', '123 4567 89'),
  )
  return operator
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { DomainError } from '../kernel/errors.ts'
import { asDependencyFailure, violatedConstraint } from './failures.ts'

function databaseError(code: string, more: { file?: string; constraint?: string } = {}): DatabaseError {
  return Object.assign(new DatabaseError('a message in any language', 20, 'error'), { code, ...more })
}

const passing: Record<string, string> = {
  '53100': 'disk full',
  '53200': 'out of memory',
  '53300': 'too many connections',
  '53400': 'a configured limit was reached',
  '57P01': 'shut down by an operator',
  '57P02': 'another process of the server crashed',
  '57P03': 'starting up or recovering',
  '57P05': 'idle for too long',
  '57014': 'statement time limit exceeded',
  '25P03': 'idle-in-transaction time limit exceeded',
  '25P04': 'transaction time limit exceeded',
  '58030': 'disk I/O failed',
  '25006': 'read-only, as in a failover',
  '40P01': 'deadlock',
  '40001': 'serialisation',
  '55P03': 'lock not available',
  '08006': 'the connection failed',
}

for (const [code, what] of Object.entries(passing)) {
  test(`${code} (${what}) becomes a 503 with a Retry-After of two seconds and keeps the cause for the log`, () => {
    const error = databaseError(code)
    const failure = asDependencyFailure(error)
    assert.ok(failure instanceof DomainError)
    assert.equal(failure.code, 'service_unavailable')
    assert.equal(failure.retryAfterSeconds, 2)
    assert.equal(failure.cause, error)
  })
}

test("PostgreSQL's internal error becomes a 503 if raised in a source file that writes to disk; otherwise it is treated as a bug", () => {
  const quota = asDependencyFailure(databaseError('XX000', { file: 'md.c' }))
  assert.ok(quota instanceof DomainError)
  for (const fault of [
    databaseError('XX000', { file: 'execExpr.c' }),
    databaseError('XX000'),
    databaseError('XX001', { file: 'md.c' }),
  ])
    assert.equal(asDependencyFailure(fault), fault)
})

for (const [what, error] of [
  ['no server at the address', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
  ['no socket in the folder', Object.assign(new Error('connect'), { code: 'ENOENT' })],
  ['a broken connection', new Error('Connection terminated unexpectedly')],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ['a query on a broken connection', new Error('Client has encountered a connection error and is not queryable')],
  ['a query on a closed connection', new Error('Client was closed and is not queryable')],
] as const) {
  test(`${what} becomes a 503`, () => {
    const failure = asDependencyFailure(error)
    assert.ok(failure instanceof DomainError)
    assert.equal(failure.code, 'service_unavailable')
  })
}

test('bugs, domain errors and values that are not errors are returned unchanged', () => {
  const domainError = new DomainError('quote_locked', 'Reopen it.')
  for (const other of [
    domainError,
    databaseError('42601'),
    databaseError('23505'),
    new TypeError('x is undefined'),
    'text',
  ])
    assert.equal(asDependencyFailure(other), other)
})

test('violatedConstraint returns the name of a unique or check constraint only', () => {
  assert.equal(
    violatedConstraint(databaseError('23505', { constraint: 'one_tenant_per_email' })),
    'one_tenant_per_email',
  )
  assert.equal(violatedConstraint(databaseError('23514', { constraint: 'quotes_stage_check' })), 'quotes_stage_check')
  assert.equal(violatedConstraint(databaseError('23503', { constraint: 'quotes_partner_id_fkey' })), undefined)
  assert.equal(violatedConstraint(new Error('23505')), undefined)
})

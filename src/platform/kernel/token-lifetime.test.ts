import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasPossibleLifetime } from './token-lifetime.ts'

const longestLifetimeSeconds = 86_400
const issuedAt = Date.parse('2026-12-01T09:00:00Z') / 1000
const isPossible = (exp: number | undefined, iat: number | undefined, nowSeconds = issuedAt) =>
  hasPossibleLifetime(
    { ...(exp === undefined ? {} : { exp }), ...(iat === undefined ? {} : { iat }) },
    { longestLifetimeSeconds, now: new Date(nowSeconds * 1000) },
  )

test('every token that the service can have issued is accepted, also by a server whose clock differs by a minute', () => {
  const lifetime = fc.integer({ min: 0, max: longestLifetimeSeconds })
  fc.assert(
    fc.property(lifetime, fc.integer({ min: -60, max: longestLifetimeSeconds }), (lasts, passed) =>
      isPossible(issuedAt + lasts, issuedAt, issuedAt + passed),
    ),
  )
})

test('no claimed time of issue makes a token possible that expires later than a day and a minute from now', () => {
  const tooLate = fc.integer({ min: issuedAt + longestLifetimeSeconds + 61, max: issuedAt + 400_000_000 })
  fc.assert(fc.property(tooLate, fc.option(fc.integer(), { nil: undefined }), (exp, iat) => !isPossible(exp, iat)))
})

test('a lifetime one second too long, or without an end, is not possible', () => {
  assert.equal(isPossible(issuedAt + longestLifetimeSeconds + 1, issuedAt), false)
  assert.equal(isPossible(undefined, issuedAt), false)
})

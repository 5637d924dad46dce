import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceHeaders } from './request-context.ts'

const child = (traceparent: string | undefined) => traceHeaders({ traceparent, tracestate: undefined }).traceparent

const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

test('a valid traceparent is continued with the same trace id and flags and a new span id', () => {
  const own = child('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
  assert.match(own, /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)
  assert.doesNotMatch(own, /00f067aa0ba902b7/)
})

test('a new unsampled trace begins if there is no valid traceparent', () => {
  const unusable = [
    undefined,
    '',
    'nonsense',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
    '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ]
  for (const parent of unusable) {
    const own = child(parent)
    assert.match(own, wellFormed)
    assert.ok(own.endsWith('-00'))
    assert.doesNotMatch(own, /4bf92f3577b34da6a3ce929d0e0e4736/)
  }
})

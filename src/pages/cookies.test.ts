import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createCookie, isOwnOrigin } from './cookies.ts'

const request = (headers: Record<string, string>) => ({ headers }) as unknown as FastifyRequest

test('over https a cookie is bound to its host or its path, hidden from scripts and not sent by forms of other sites', () => {
  const sent: string[] = []
  const reply = { header: (_name: string, value: string) => sent.push(value) } as unknown as FastifyReply
  createCookie('https://bills.example', 'a', { of: 'host' }).set(reply, 'x', { seconds: 60 })
  createCookie('https://bills.example', 'a', { of: 'path' }).clear(reply, { path: '/b' })
  createCookie('http://127.0.0.1', 'a', { of: 'host' }).set(reply, 'x', { seconds: 60 })
  assert.deepEqual(sent, [
    '__Host-a=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure',
    '__Secure-a=; Path=/b; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    'a=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=60',
  ])
})

test('a cookie is read by its whole name, and not at all if the browser sends two', () => {
  const cookie = createCookie('https://bills.example', 'a', { of: 'host' })
  const read = (header: string) => cookie.in(request({ cookie: header }))
  assert.equal(read('__Host-ab=1; x__Host-a=2; __Host-a=3=4'), '3=4')
  assert.equal(read('a=1'), undefined)
  assert.equal(read('__Host-a=1; __Host-a=2'), undefined)
})

test('a form is ours if the browser says so, or if it says nothing: then its token decides', () => {
  const isOurs = (headers: Record<string, string>) =>
    isOwnOrigin(request({ host: 'inner.example', ...headers }), 'https://bills.example')
  for (const [headers, expected] of [
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://other.example' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ origin: 'https://bills.example' }, true],
    [{ origin: 'http://inner.example' }, true],
    [{ origin: 'https://other.example' }, false],
    [{ origin: 'null' }, true],
    [{}, true],
  ] as const)
    assert.equal(isOurs(headers), expected, JSON.stringify(headers))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../src/config/config.ts'

const both = { TLS_CERT_FILE: '/etc/bills/chain.pem', TLS_KEY_FILE: '/etc/bills/key.pem' }

test('a certificate and its key, when PUBLIC_URL is https, are where HTTPS comes from', () => {
  const { server } = buildConfig({ ...both, PUBLIC_URL: 'https://bills.example' })
  assert.deepEqual(server.tls, { certFile: '/etc/bills/chain.pem', keyFile: '/etc/bills/key.pem' })
})

test('one without the other, or an http PUBLIC_URL beside them, stops the start', () => {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = both
  assert.throws(() => buildConfig({ TLS_CERT_FILE }), /TLS_CERT_FILE also needs TLS_KEY_FILE/)
  assert.throws(() => buildConfig({ TLS_KEY_FILE }), /TLS_KEY_FILE also needs TLS_CERT_FILE/)
  assert.throws(() => buildConfig(both), /need an https PUBLIC_URL/)
  assert.throws(() => buildConfig({ ...both, PUBLIC_URL: 'http://bills.example' }), /need an https PUBLIC_URL/)
})

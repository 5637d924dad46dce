import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../../src/platform/config/config.ts'

const both = { TLS_CERT_FILE: '/etc/bills/chain.pem', TLS_KEY_FILE: '/etc/bills/key.pem' }

test('a certificate and its key, with an https PUBLIC_URL, make the server use HTTPS', () => {
  const { server } = buildConfig({ ...both, PUBLIC_URL: 'https://bills.example' })
  assert.deepEqual(server.tls, { certFile: '/etc/bills/chain.pem', keyFile: '/etc/bills/key.pem' })
})

test('a certificate without its key or with an http PUBLIC_URL prevents startup', () => {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = both
  assert.throws(() => buildConfig({ TLS_CERT_FILE }), /TLS_CERT_FILE also needs TLS_KEY_FILE/)
  assert.throws(() => buildConfig({ TLS_KEY_FILE }), /TLS_KEY_FILE also needs TLS_CERT_FILE/)
  assert.throws(() => buildConfig(both), /need an https PUBLIC_URL/)
  assert.throws(() => buildConfig({ ...both, PUBLIC_URL: 'http://bills.example' }), /need an https PUBLIC_URL/)
})

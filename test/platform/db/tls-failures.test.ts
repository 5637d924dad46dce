import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { connectLogins } from '../../../src/platform/db/connect-logins.ts'
import { temporaryFolder } from '../../support/embedded-postgres-fixture.ts'

// A key made for this test, and its certificates, each its own authority.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge+Fo4pzAUsSYozm4
TkkLGL1a+CYXV/aiUOzEgVAqt+ahRANCAAQljUIR1yMTSzA0RKxEKmUfLsntRvmY
zRsEi9kg16Z449V9iZ/WJuMd1fl89iyXycPmSe2wcX/AWL2m6RCCKoaX
-----END PRIVATE KEY-----`
const certificates = {
  /** For 127.0.0.1, until 2126. */
  good: `-----BEGIN CERTIFICATE-----
MIIBMzCB2aADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFRlc3QwIBcN
MjAwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMA8xDTALBgNVBAMMBFRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQljUIR1yMTSzA0RKxEKmUfLsntRvmY
zRsEi9kg16Z449V9iZ/WJuMd1fl89iyXycPmSe2wcX/AWL2m6RCCKoaXoyQwIjAP
BgNVHREECDAGhwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAw
RgIhAOubWER69GbtRL/sdybh7vnn7RxiHPsbryD9xMXXbL4HAiEAyoRBxxmNO/7q
XReReBfOry4Le3FmbA+dKQZaMZtF1UI=
-----END CERTIFICATE-----`,
  /** For db.example, until 2126. */
  otherHost: `-----BEGIN CERTIFICATE-----
MIIBODCB36ADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFRlc3QwIBcN
MjAwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMA8xDTALBgNVBAMMBFRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQljUIR1yMTSzA0RKxEKmUfLsntRvmY
zRsEi9kg16Z449V9iZ/WJuMd1fl89iyXycPmSe2wcX/AWL2m6RCCKoaXoyowKDAV
BgNVHREEDjAMggpkYi5leGFtcGxlMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0E
AwIDSAAwRQIgEvJhsMUNprxbvPEEmutxhpJDOgwfrbQ/D6TF0xX1xFMCIQD30+Wc
CapbIfBq+9S7DVW8Mh6Ipzhn4L/bLMGPC1zCxQ==
-----END CERTIFICATE-----`,
  /** For 127.0.0.1, until 2020. */
  expired: `-----BEGIN CERTIFICATE-----
MIIBMDCB16ADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFRlc3QwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAPMQ0wCwYDVQQDDARUZXN0MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJY1CEdcjE0swNESsRCplHy7J7Ub5mM0b
BIvZINemeOPVfYmf1ibjHdX5fPYsl8nD5kntsHF/wFi9pukQgiqGl6MkMCIwDwYD
VR0RBAgwBocEfwAAATAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUC
IH8qXx7nMUZYpBIsL1R756+fscoJ0YoZJymc8qUaB0DGAiEA/d+SZ5+qc9PozBTQ
VRj9I8tRXzBe/RJtU3L29lTiIe0=
-----END CERTIFICATE-----`,
}

/**
 * Starts a server that offers TLS with this certificate, or none, and ends every connection after that. Returns its
 * port.
 */
async function startServer(t: TestContext, cert: string | undefined): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      socket.write(cert === undefined ? 'N' : 'S')
      if (cert === undefined) return
      const secured = new TLSSocket(socket, { isServer: true, key, cert })
      secured.on('error', () => socket.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('the certificate of each of several hosts must be for that host', async (t) => {
  const folder = await temporaryFolder(t)
  const port = await startServer(t, certificates.otherHost)
  const file = join(folder, 'trusted.pem')
  await writeFile(file, certificates.otherHost)
  const connectionString = `postgresql://housebill@127.0.0.1:1,127.0.0.1:${port}/any?sslmode=verify-full&sslrootcert=${file}&target_session_attrs=read-write`
  await assert.rejects(
    connectLogins([{ variable: 'DATABASE_URL', connectionString }], { isPreparing: false }),
    /The certificate of the server in DATABASE_URL is for another host name/,
  )
})

test('each failure of TLS with the database names the variable and its remedy, and never quotes the URL', async (t) => {
  const folder = await temporaryFolder(t)
  const cases = [
    [undefined, undefined, /^The server in DATABASE_SYSTEM_URL does not offer TLS\. Turn on ssl/],
    [
      'good',
      undefined,
      /^The certificate of the server in DATABASE_SYSTEM_URL is not trusted \(DEPTH_ZERO_.*sslrootcert=FILE/,
    ],
    ['good', 'otherHost', /^The certificate of the server in DATABASE_SYSTEM_URL is not trusted .*sslrootcert=FILE/],
    [
      'otherHost',
      'otherHost',
      /^The certificate of the server in DATABASE_SYSTEM_URL is for another host name\. Use the name/,
    ],
    [
      'expired',
      'expired',
      /^The certificate of the server in DATABASE_SYSTEM_URL is not valid today \(CERT_HAS_EXPIRED\)/,
    ],
  ] as const
  for (const [offered, trusted, expected] of cases) {
    const port = await startServer(t, offered && certificates[offered])
    const url = new URL(`postgresql://housebill:secret-word@127.0.0.1:${port}/any?sslmode=verify-full`)
    if (trusted !== undefined) {
      const file = join(folder, `${trusted}.pem`)
      await writeFile(file, certificates[trusted])
      url.searchParams.set('sslrootcert', file)
    }
    const login = { variable: 'DATABASE_SYSTEM_URL', connectionString: url.href }
    await assert.rejects(connectLogins([login], { isPreparing: false }), (error) => {
      assert.ok(error instanceof Error)
      assert.equal(error.name, 'CommandError', String(error))
      assert.match(error.message, expected)
      assert.doesNotMatch(error.message, /secret-word|127\.0\.0\.1/)
      return true
    })
  }
})
